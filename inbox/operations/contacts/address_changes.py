"""What a change of a card does to the addresses of somebody whom the workspace has written with."""

from collections.abc import Sequence
from typing import NamedTuple

from inbox.actor import Actor
from inbox.models import Person, PersonEmail


class AddressChange(NamedTuple):
    """The addresses, in lower case, that come and go; `known` is one that we have written to."""

    known: str
    added: tuple[str, ...]
    removed: tuple[str, ...]


def find_address_change(
    *, actor: Actor, workspace_id: int, person: Person | None, emails: Sequence[str]
) -> AddressChange | None:
    """Return what becomes of the addresses of somebody we have written with; None: nothing.

    `emails` are all that the card of `person` is to have from then on. Without a person they are
    those of a new card: whoever mail brought with one of them gets the others too.
    """
    rows = PersonEmail.objects.visible_to(actor.within(workspace_id))
    wanted = {email.lower(): None for email in emails}
    claimed = list(rows.filter(email__in=wanted))
    owners = {row.person_id for row in claimed} if person is None else {person.pk}
    own = list(rows.filter(person__in=owners).order_by("position", "pk"))
    on_card = [row.email for row in own if row.removed_at is None]
    added = tuple(email for email in wanted if email not in on_card)
    removed = tuple(it for it in on_card if it not in wanted) if person is not None else ()
    written = [row.email for row in (*own, *claimed) if row.sent_count]
    return AddressChange(written[0], added, removed) if written and (added or removed) else None
