"""What both forms of contacts have: parts of cards, and lists of which only some values change."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from inbox.formats.vcard import Card, Property, escape_text, read_cards, text_of, write_cards

Json: TypeAlias = Mapping[str, Any]
Key = TypeVar("Key")
_PART = re.compile(r"((?:\\.|[^\\;])*)(?:;|$)", re.DOTALL)
_DAY = re.compile(r"(?:(\d{4})-?|--)(\d\d)-?(\d\d)(?:T.*)?", re.ASCII)


class Known(NamedTuple, Generic[Key]):
    """A value as the server has it: what it says as a card does, its id, and itself."""

    key: Key
    id: str
    value: Json


def rebuilt(
    known: Sequence[Known[Key]], wanted: Iterable[Key], make: Callable[[Key, Json], dict[str, Any]]
) -> list[tuple[str, dict[str, Any]]]:
    """Return values that say what is wanted, by id: those that say the same stay as they are.

    One that only says it otherwise is changed in place, and so is one in whose place another of
    its kind stands now; a new one has no id yet.
    """
    wanted = list(wanted)
    likes = _alike(known, wanted)
    made = []
    for key, like in zip(wanted, likes, strict=True):
        if like is None:
            made.append(("", make(key, {})))
        else:
            made.append((like.id, dict(like.value) if like.key == key else make(key, like.value)))
    return made


def _alike(known: Sequence[Known[Key]], wanted: Sequence[Key]) -> list[Known[Key] | None]:
    """Return for each what is wanted the value that it was, each value once."""
    found: list[Known[Key] | None] = [None] * len(wanted)
    rest = dict(enumerate(known))
    for says in (_whole, _word):
        for at, key in enumerate(wanted):
            same = (it for it, one in rest.items() if says(one.key) == says(key))
            if found[at] is None and (place := next(same, None)) is not None:
                found[at] = rest.pop(place)
    for at, key in enumerate(wanted):
        if found[at] is None and at in rest and _kind(rest[at].key) == _kind(key):
            found[at] = rest.pop(at)
    return found


def _whole(key: Any) -> Any:
    return key


def _word(key: Any) -> str:
    return f"{getattr(key, 'name', '')}:{key.value}".casefold()


def _kind(key: Any) -> Any:
    return (key.name, kind_of(key)) if isinstance(key, Property) else key.kind


def read_card(raw: bytes) -> Card:
    """Return what a card says, what it says twice too; raises ValueError where there is none."""
    return read_cards(raw, repeated=True)[0]


def as_read(card: Card) -> Card:
    """Return a card as it reads once it was written: then the same says the same."""
    return read_card(write_cards([card]))


def uid_in(card: Card) -> str:
    """Return the UID of a card."""
    return next((text_of(one.value) for one in card.others if one.name == "UID"), "")


def named(card: Card, name: str) -> list[Property]:
    """Return the properties of a name."""
    return [one for one in card.others if one.name == name]


def components(value: str) -> list[str]:
    """Return the components of a structured value (RFC 6350 3.3)."""
    return [text_of(found[1]) for found in _PART.finditer(value)]


def structured(name: str, parts: Iterable[str], kind: str = "") -> Property:
    """Return a property whose value has components, with its TYPE."""
    return Property(name, ";".join(map(escape_text, parts)), {"TYPE": [kind]} if kind else {})


def kind_of(key: Property) -> str:
    """Return whether a property is of work or of home; empty: neither."""
    return next((kind for kind in ("home", "work") if kind in key.types()), "")


def day_of(said: Property) -> tuple[int, int, int] | None:
    """Return year, month and day of a date (RFC 6350 4.3.1); the year is 0 where it says none.

    Apple says a year all the same, and in a parameter that it is none.
    """
    found = _DAY.fullmatch(text_of(said.value))
    if found is None:
        return None
    year, month, day = (int(it or 0) for it in found.groups())
    return (0 if str(year) in said.params.get("X-APPLE-OMIT-YEAR", []) else year), month, day


def day_property(name: str, year: int, month: int, day: int) -> list[Property]:
    """Return a date as a property; none for what is no date."""
    if not (0 <= year <= 9999 and 1 <= month <= 12 and 1 <= day <= 31):
        return []
    return [Property(name, f"{year:04}{month:02}{day:02}" if year else f"--{month:02}{day:02}")]
