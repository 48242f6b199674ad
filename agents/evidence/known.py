"""Whom a workspace knows: the one answer for flags, policies, batches and the review page.

Known are our own addresses, those that we wrote to, those that a person put on a card, and the
guests of meetings that we organise. Nobody becomes known by writing to us, nor by what an agent
writes down. An address counts as it is written: what a server makes of `name+tag@` is its affair.
"""

from collections.abc import Iterable
from typing import Literal, TypeAlias

from calendar_app.operations.guests import guests_of_ours
from inbox.actor import Actor
from inbox.models import Account, Identity, Inbox, Membership, PersonEmail

Why: TypeAlias = Literal["ours", "written", "card", "guest"]
# So many of the addresses we write with most, and of our newest guests, may be imitated.
MOST_IMITATED, _MOST_GUESTS = 500, 100


def own_addresses(actor: Actor, workspace_id: int) -> frozenset[str]:
    """Return, in lower case, where mail to ourselves goes; in one query.

    They are the addresses of accounts, inboxes and identities, and those of the members.
    """
    there = actor.within(workspace_id)
    members = Membership.objects.visible_to(there).filter(user__is_active=True)
    found = members.values_list("user__email").union(
        Account.objects.visible_to(there).values_list("address"),
        Inbox.objects.visible_to(there).values_list("address"),
        Identity.objects.visible_to(there).values_list("email"),
    )
    return frozenset(email.lower() for (email,) in found if email)


def know(
    actor: Actor,
    workspace_id: int,
    emails: Iterable[str],
    *,
    own: frozenset[str] | None = None,
) -> dict[str, Why]:
    """Return why each of the addresses is known, in lower case; who is missing is new.

    In three queries; `own` saves one.
    """
    asked = {email.lower() for email in emails}
    ours = own_addresses(actor, workspace_id) if own is None else own
    found: dict[str, Why] = dict.fromkeys(asked & ours, "ours")
    rest = asked - ours
    if not rest:
        return found
    guests = guests_of_ours(actor=actor, workspace_id=workspace_id, own=ours)
    invited = guests.filter(email__in=rest).values_list("email", flat=True).distinct()
    found |= dict.fromkeys(invited, "guest")
    rows = PersonEmail.objects.visible_to(actor.within(workspace_id)).trusted()
    for email, sent in rows.filter(email__in=rest).values_list("email", "sent_count"):
        found[email] = "written" if sent else "card"
    return found


def imitable(actor: Actor, workspace_id: int, *, own: frozenset[str]) -> list[str]:
    """Return the addresses that a look-alike would imitate: whom we know best, and ourselves.

    In two queries.
    """
    rows = PersonEmail.objects.visible_to(actor.within(workspace_id)).trusted()
    best = rows.order_by("-contact_count", "-id").values_list("email", flat=True)
    guests = guests_of_ours(actor=actor, workspace_id=workspace_id, own=own).order_by("-id")
    newest = guests.values_list("email", flat=True)[:_MOST_GUESTS]
    return list(dict.fromkeys([*best[:MOST_IMITATED], *newest, *sorted(own)]))
