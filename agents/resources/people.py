"""People: whom mail came from or went to, and who has a card."""

from typing import Annotated

from django.db.models import Prefetch

from agents.contracts.fields import Closed, Moment, OrAbsent
from agents.lists.filters import Filters, TextFilter
from agents.lists.pages import Order
from agents.resources.collection import Collection, declare
from agents.resources.shapes import From, Made
from agents.resources.trust import Trust
from inbox.actor import Actor
from inbox.models import Person, PersonEmail
from inbox.models.base import VisibleQuerySet
from inbox.search.people import keep_people


def _addresses(row: Person) -> list[str]:
    known = sorted(row.emails.all(), key=lambda one: (one.position, one.pk))
    return [one.email for one in known if one.removed_at is None]


def _number(count: int | None) -> int:
    return count or 0


class PersonShape(Closed):
    """Somebody; the names are those of RFC 6350, the counts those of the caller's accounts."""

    id: str
    email: OrAbsent[str] = None
    emails: Annotated[list[str], Made(_addresses)]
    fn: OrAbsent[str] = None
    given_name: OrAbsent[str] = None
    family_name: OrAbsent[str] = None
    org: OrAbsent[str] = None
    department: OrAbsent[str] = None
    title: OrAbsent[str] = None
    tel: OrAbsent[str] = None
    first_contact_at: Annotated[OrAbsent[Moment], From("first")] = None
    last_contact_at: Annotated[OrAbsent[Moment], From("last")] = None
    received_count: Annotated[int, From("received", _number)]
    sent_count: Annotated[int, From("sent", _number)]
    contact_count: Annotated[int, From("contacts", _number)]
    trust: Trust = None


class PersonFilters(Filters):
    """People by address and organisation, without regard to case."""

    email = TextFilter("emails__email", "iexact")
    org = TextFilter()


def _rows(actor: Actor) -> VisibleQuerySet[Person]:
    rows = Person.objects.counted_for(actor).kept().defer("note", "vcard_properties")
    emails = PersonEmail.objects.visible_to(actor)
    return rows.prefetch_related(Prefetch("emails", emails))


declare(
    Collection(
        noun="people", one="person", domain="storage", rows=_rows, item=PersonShape,
        filters=PersonFilters, search=("fn", "email", "org", "title", "tel", "note"),
        keep_found=keep_people, found_as="query_people",
        orders={
            "contact_count": Order("contacts", "number"),
            "last_contact_at": Order("last", nullable=True), "fn": Order("fn", "text"),
        },
        default="-contact_count",
        words="whom the caller's accounts are in touch with, and who has a card there.",
    )
)  # fmt: skip
