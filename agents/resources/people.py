"""People: whom mail came from or went to, and who has a card."""

from collections.abc import Sequence
from typing import Any

from agents.contracts.fields import Closed, Moment, OrAbsent
from agents.lists.filters import Filters, TextFilter
from agents.lists.pages import Order
from agents.resources.collection import Collection, declare
from inbox.actor import Actor
from inbox.models import Person
from inbox.models.base import VisibleQuerySet


class PersonShape(Closed):
    """Somebody; the names are those of RFC 6350, the counts those of the caller's accounts."""

    id: str
    email: OrAbsent[str] = None
    emails: list[str]
    fn: OrAbsent[str] = None
    given_name: OrAbsent[str] = None
    family_name: OrAbsent[str] = None
    org: OrAbsent[str] = None
    department: OrAbsent[str] = None
    title: OrAbsent[str] = None
    tel: OrAbsent[str] = None
    first_contact_at: OrAbsent[Moment] = None
    last_contact_at: OrAbsent[Moment] = None
    received_count: int
    sent_count: int
    contact_count: int


class PersonFilters(Filters):
    """People by address and organisation, without regard to case."""

    email = TextFilter("emails__email", "iexact")
    org = TextFilter()


def _rows(actor: Actor) -> VisibleQuerySet[Any]:
    rows = Person.objects.counted_for(actor).kept().defer("note", "vcard_properties")
    return rows.prefetch_related("emails")


def _shapes(rows: Sequence[Any]) -> list[PersonShape]:
    return [_shape(row) for row in rows]


def _shape(row: Any) -> PersonShape:
    known = sorted(row.emails.all(), key=lambda one: (one.position, one.pk))
    or_absent = ("email", "fn", "given_name", "family_name", "org", "department", "title", "tel")
    fields: dict[str, Any] = {
        "id": row.public_id,
        "emails": [one.email for one in known if one.removed_at is None],
        "first_contact_at": row.first,
        "last_contact_at": row.last,
        "received_count": row.received or 0,
        "sent_count": row.sent or 0,
        "contact_count": row.contacts or 0,
    }
    fields |= {name: getattr(row, name) or None for name in or_absent}
    return PersonShape(**fields)


declare(
    Collection(
        noun="people", one="person", domain="storage", rows=_rows, item=PersonShape,
        shapes=_shapes, filters=PersonFilters, search=("fn", "email", "org"),
        orders={
            "contact_count": Order("contacts", "number"),
            "last_contact_at": Order("last", nullable=True), "fn": Order("fn", "text"),
        },
        default="-contact_count",
        words="whom the caller's accounts are in touch with, and who has a card there.",
    )
)  # fmt: skip
