"""Looking up whom we write with."""

from typing import Annotated, Any

from django.db.models import F, Q
from pydantic import Field

from agents.contracts import REGISTRY, Effect, tool
from agents.contracts.fields import WHOLE, Closed, Moment
from agents.contracts.schemas import published
from inbox.actor import Actor
from inbox.models import Person, PersonEmail

_DEFAULT_LIMIT = 20
_MOST = 200
_MOST_WORDS = 8


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
    addresses and organisations. `limit` is 20 unless given, and at most 200. Whom no account that
    the caller was granted has met is not there, and the counts are of those accounts.
    """
    rows = Person.objects.counted_for(actor).kept().order_by(F("contacts").desc(), "-id")
    if args.email is not None:
        # In a query of its own, lest the join counts anybody twice.
        wanted = PersonEmail.objects.visible_to(actor).kept()
        rows = rows.filter(pk__in=wanted.filter(email=args.email.strip().lower()).values("person"))
    elif args.search is not None:
        for word in args.search.split()[:_MOST_WORDS]:
            rows = rows.filter(
                Q(fn__icontains=word)
                | Q(email__icontains=word)
                | Q(org__icontains=word)
                | Q(pk__in=_with_address(actor, word))
            )
    found = [_shape(person) for person in rows[: args.limit or _DEFAULT_LIMIT]]
    return PersonList(people=found, count=len(found))


def _with_address(actor: Actor, word: str) -> Any:
    others = PersonEmail.objects.visible_to(actor).kept().filter(position__gt=0)
    return others.filter(email__icontains=word).values("person")


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
