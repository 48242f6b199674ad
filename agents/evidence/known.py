"""Whom a workspace knows: the one answer for flags, policies, batches and the review page.

Known are our own addresses, those that we wrote to, those that a person put on a card, and the
guests of meetings that we organise. Nobody becomes known by writing to us, nor by what an agent
writes down. An address counts as it is written: what a server makes of `name+tag@` is its affair.
"""

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

from calendar_app.operations.guests import guests_of_ours
from inbox.actor import Actor
from inbox.models import Account, Identity, Inbox, Membership, PersonEmail
from inbox.prepared import Prepared, padded

Why: TypeAlias = Literal["ours", "written", "card", "guest"]
# So many of the addresses we write with most, and of our newest guests, may be imitated.
MOST_IMITATED, _MOST_GUESTS = 500, 100


def own_addresses(actor: Actor, workspace_id: int) -> frozenset[str]:
    """Return, in lower case, where mail to ourselves goes; in one query.

    They are the addresses of accounts, inboxes and identities, and those of the members.
    """
    found = _OWN.rows(there=actor.within(workspace_id))
    return frozenset(email.lower() for (email,) in found if email)


def _own_addresses(*, there: Actor) -> list[Any]:
    members = Membership.objects.visible_to(there).filter(user__is_active=True)
    return [
        members.values_list("user__email").union(
            Account.objects.visible_to(there).values_list("address"),
            Inbox.objects.visible_to(there).values_list("address"),
            Identity.objects.visible_to(there).values_list("email"),
        )
    ]


_OWN = Prepared(_own_addresses)


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
    there, sought = actor.within(workspace_id), padded(sorted(rest))
    invited = _INVITED.rows(there=there, own=padded(sorted(ours)), emails=sought)
    found |= dict.fromkeys(invited, "guest")
    for email, sent in _TRUSTED.rows(there=there, emails=sought):
        found[email] = "written" if sent else "card"
    return found


def imitable(actor: Actor, workspace_id: int, *, own: frozenset[str]) -> list[str]:
    """Return the addresses that a look-alike would imitate: whom we know best, and ourselves.

    In two queries.
    """
    there = actor.within(workspace_id)
    best = _BEST.rows(there=there)
    newest = _NEWEST_GUESTS.rows(there=there, own=padded(sorted(own)))
    return list(dict.fromkeys([*best, *newest, *sorted(own)]))


def _trusted(*, there: Actor, emails: tuple[str, ...]) -> list[Any]:
    rows = PersonEmail.objects.visible_to(there).trusted().filter(email__in=emails)
    return [rows.values_list("email", "sent_count")]


def _best_known(*, there: Actor) -> list[Any]:
    rows = PersonEmail.objects.visible_to(there).trusted().order_by("-contact_count", "-id")
    return [rows.values_list("email", flat=True)[:MOST_IMITATED]]


def _guests(there: Actor, own: tuple[str, ...]) -> Any:
    workspace_id = next(iter(there.workspace_ids), 0)
    return guests_of_ours(actor=there, workspace_id=workspace_id, own=own)


def _invited(*, there: Actor, own: tuple[str, ...], emails: tuple[str, ...]) -> list[Any]:
    guests = _guests(there, own).filter(email__in=emails)
    return [guests.values_list("email", flat=True).distinct()]


def _newest_guests(*, there: Actor, own: tuple[str, ...]) -> list[Any]:
    guests = _guests(there, own).order_by("-id")
    return [guests.values_list("email", flat=True)[:_MOST_GUESTS]]


_BEST, _TRUSTED = Prepared(_best_known), Prepared(_trusted)
_INVITED, _NEWEST_GUESTS = Prepared(_invited), Prepared(_newest_guests)
