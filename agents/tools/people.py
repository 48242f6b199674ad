"""Looking up whom we write with."""

from typing import Annotated, Any

from django.db.models import F, QuerySet
from pydantic import Field

from agents.contracts import REGISTRY, Effect, tool
from agents.contracts.fields import WHOLE, Closed, Moment
from agents.contracts.schemas import published
from inbox.actor import Actor
from inbox.models import Person, PersonEmail
from inbox.search.people import find_people

_DEFAULT_LIMIT = 20
_MOST = 200
# Of so many who have every word those most in contact come first.
_MOST_RANKED = 1000


class QueryPeople(Closed):
    """Whom to look up."""

    email: str | None = None
    search: str | None = None
    limit: Annotated[int, Field(ge=1, le=_MOST), WHOLE] | None = _DEFAULT_LIMIT


class PersonShape(Closed):
    """A correspondent; the names are those of RFC 6350."""

    model_config = published("concierge/person.json")

    id: str
    email: str
    fn: str | None
    org: str | None
    tel: str | None
    first_contact_at: Moment | None
    last_contact_at: Moment | None
    received_count: int
    sent_count: int
    contact_count: int


REGISTRY.publish_model(PersonShape, "concierge/person.json")


class PersonList(Closed):
    """People, and how many these are."""

    people: list[PersonShape]
    count: int


@tool(
    family="concierge", domain="storage", effect=Effect.READ, example={"search": "customer.example"}
)
def query_people(actor: Actor, args: QueryPeople) -> PersonList:
    """Look up people, those most in contact first.

    `email` is exact, without regard to case, and wins over `search`, which looks in names,
    addresses, numbers, organisations and notes: first who has every word, then who has some. There
    "…" keeps words together, -word leaves out and OR takes either; conditions are name: email:
    company: title: phone: note: has: is:contact after: and before: (the last contact). `limit` is
    20 unless given, and at most 200. Whom no account that the caller was granted has met is not
    there, and the counts are of those accounts.
    """
    rows = Person.objects.counted_for(actor).kept().order_by(F("contacts").desc(), "-id")
    limit = args.limit or _DEFAULT_LIMIT
    if args.email is not None:
        # In a query of its own, lest the join counts anybody twice.
        wanted = PersonEmail.objects.visible_to(actor).kept()
        rows = rows.filter(pk__in=wanted.filter(email=args.email.strip().lower()).values("person"))
    if args.email is not None or not (args.search or "").strip():
        people = list(rows[:limit])
    else:
        people = _find(actor, rows, args.search or "", limit)
    found = [_shape(person) for person in people]
    return PersonList(people=found, count=len(found))


def _find(actor: Actor, rows: QuerySet[Any], search: str, limit: int) -> list[Any]:
    """Return who has every word, those most in contact first, then who has some, best first."""
    every, some = find_people(actor=actor, query=search, limit=_MOST_RANKED)
    people = list(rows.filter(pk__in=every)[:limit])
    places = {key: place for place, key in enumerate(some[: limit - len(people)])}
    others = rows.filter(pk__in=places)
    return [*people, *sorted(others, key=lambda person: places[person.pk])]


def _shape(person: Any) -> PersonShape:
    return PersonShape(
        id=person.public_id,
        email=person.email,
        fn=person.fn or None,
        org=person.org or None,
        tel=person.tel or None,
        first_contact_at=person.first,
        last_contact_at=person.last,
        received_count=person.received,
        sent_count=person.sent,
        contact_count=person.contacts,
    )
