"""What stands beside people for the search: further names, addresses, numbers, forms of words."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from inbox.background.jobs import Payload, handler
from inbox.models import Person, PersonEmail, PersonPhone, SharedAddress
from inbox.operations.renewing import renew_words
from inbox.rfc5322.text.short_texts import words_beside

_TEXTS = (
    "fn", "given_name", "family_name", "additional_names", "org", "department", "title", "note",
)  # fmt: skip


def _words(person: Person, others: Iterable[str]) -> str:
    """Return what stands beside a person; `others` are addresses and numbers that they have."""
    named = (person.given_name, person.additional_names, person.family_name, person.department)
    text = "\n".join(str(getattr(person, name)) for name in _TEXTS)
    return words_beside(text, [*named, *others])


def keep_searched(keys: Collection[int]) -> None:
    """Renew what stands beside people whose cards, addresses or numbers were just changed."""
    rows = list(Person.objects.filter(pk__in=keys).order_by("pk"))
    changed = []
    for person, extra in zip(rows, _beside(rows), strict=True):
        if person.search_extra != extra:
            person.search_extra = extra
            changed.append(person)
    Person.objects.bulk_update(changed, ["search_extra"], batch_size=100)


@handler("search.people")
def renew_forms(payload: Payload) -> None:
    """Renew what stands beside the next people after a key, and go on."""
    rows = Person.objects.only("pk", "email", "search_extra", *_TEXTS)
    renew_words("search.people", rows, int(payload["after"]), _beside)


def _beside(people: Sequence[Person]) -> list[str]:
    """Return what stands beside each; three queries."""
    others: dict[int, list[str]] = {person.pk: [] for person in people}
    emails: Any = PersonEmail.objects.kept().filter(person__in=others)
    shared: Any = SharedAddress.objects.filter(person__in=others)
    for rows, column in ((emails, "email"), (shared, "email")):
        for key, text in rows.order_by("position", "pk").values_list("person_id", column):
            others[key].append(text)
    phones = PersonPhone.objects.filter(person__in=others).order_by("position", "pk")
    for key, number in phones.values_list("person_id", "number"):
        digits = "".join(letter for letter in number if letter.isdigit())
        others[key] += [number, digits]
    return [
        _words(person, (it for it in others[person.pk] if it != person.email)) for person in people
    ]
