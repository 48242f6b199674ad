"""Searching people: their names, addresses, numbers, companies and notes."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Replace

from inbox.actor import Actor
from inbox.models import Correspondence, Person, PersonEmail, PersonPhone, SharedAddress
from inbox.search.operators import one_of, read_moment, read_text, refuse
from inbox.search.rows.finding import Wanted, find_apart, keep_rows
from inbox.search.rows.folding import contains
from inbox.search.rows.kinds import Kind, Operator

_NAMES = ("fn", "given_name", "family_name", "additional_names")
# So many digits are a part of a telephone number.
_LEAST_DIGITS = 4
_BETWEEN_DIGITS = " -/().\u00a0"


def find_people(*, actor: Actor, query: str, limit: int) -> tuple[list[int], list[int]]:
    """Return the keys of who has every word, and of who has some, each best first; six queries.

    DomainError names an operator that has a bad value.
    """
    wanted = Wanted(PEOPLE, actor, actor.workspace_ids, query)
    *every, some = find_apart(wanted, Person.objects.visible_to(actor).kept(), limit) or [{}]
    found = dict.fromkeys(key for hits in every for key in hits)
    return list(found), [key for key in some if key not in found]


def keep_people(actor: Actor, rows: QuerySet[Any], query: str) -> QuerySet[Any]:
    """Keep the people who have every word of a query; DomainError as with `keep_rows`."""
    return keep_rows(Wanted(PEOPLE, actor, actor.workspace_ids, query), rows)


def _any(columns: Sequence[str], text: str) -> Q:
    found = Q()
    for column in columns:
        found |= contains(column, text)
    return found


def _has_email(text: str) -> Q:
    # An address that lies in another workspace is none of this person's.
    of_it = {"person": OuterRef("pk"), "workspace": OuterRef("workspace")}
    others = PersonEmail.objects.kept().filter(contains("email", text), **of_it)
    shared = SharedAddress.objects.filter(contains("email", text), **of_it)
    return contains("email", text) | Q(Exists(others)) | Q(Exists(shared))


def _read_phone(name: str, text: str) -> str:
    digits = "".join(letter for letter in text if letter.isdigit())
    if not digits:
        raise refuse(name, text, f"{name}:4930123, some digits that follow each other")
    return digits


def _has_phone(digits: str) -> Q:
    number: Any = "number"
    for mark in _BETWEEN_DIGITS:
        number = Replace(number, Value(mark), Value(""))
    phones = PersonPhone.objects.annotate(digits=number)
    return Q(Exists(phones.filter(person=OuterRef("pk"), digits__contains=digits)))


def _contacts(actor: Actor) -> QuerySet[Correspondence]:
    """Return what the accounts that the actor sees had to do with a person, for a subquery."""
    rows = Correspondence.objects.filter(person=OuterRef("pk"), last_contact_at__isnull=False)
    return rows if actor.account_ids is None else rows.filter(account__in=actor.account_ids)


def _met_since(value: datetime, actor: Actor) -> Q:
    return Q(Exists(_contacts(actor).filter(last_contact_at__gte=value)))


def _met_before(value: datetime, actor: Actor) -> Q:
    return Q(Exists(_contacts(actor))) & ~_met_since(value, actor)


def _has(value: str, _: Actor) -> Q:
    match value:
        case "phone":
            return ~Q(tel="")
        case "email":
            return ~Q(email="")
        case "company":
            return ~Q(org="")
    return ~Q(note="")


def _has_part(text: str) -> Q:
    digits = "".join(letter for letter in text if letter.isdigit())
    found = _any(("fn", "org", "tel"), text) | _has_email(text)
    return found | _has_phone(digits) if len(digits) >= _LEAST_DIGITS else found


_COMPANY = Operator(read_text, lambda value, _: _any(("org", "department"), value))

PEOPLE = Kind(
    model=Person,
    index="inbox_person_search",
    weights={
        "fn": 8.0, "email": 4.0, "org": 4.0, "title": 2.0, "search_extra": 2.0, "note": 1.0,
    },
    owner="workspace_id",
    # The note, title and further words, address and company, the name.
    ts_rank="'{0.1, 0.25, 0.5, 1}'",
    operators={
        "name": Operator(read_text, lambda value, _: _any(_NAMES, value)),
        "email": Operator(read_text, lambda value, _: _has_email(value)),
        "company": _COMPANY,
        "org": _COMPANY,
        "title": Operator(read_text, lambda value, _: contains("title", value)),
        "phone": Operator(_read_phone, lambda value, _: _has_phone(value)),
        "note": Operator(read_text, lambda value, _: contains("note", value)),
        "has": Operator(one_of(("phone", "email", "company", "note")), _has),
        "is": Operator(
            one_of(("contact",)), lambda _, __: ~Q(given_name="") | ~Q(family_name="")
        ),
        "after": Operator(read_moment, _met_since),
        "before": Operator(read_moment, _met_before),
    },
    newest=("-contact_count", "-pk"),
    has_all_words=True,
    # Half an address is that of others.
    splits=False,
    has_part=_has_part,
)  # fmt: skip
