"""Whom texts name, by a whole name or by a part of it; pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TypeAlias

import regex

from agents.evidence.claims.distance import plain
from agents.evidence.claims.readers.people import NAMES, names_anybody
from agents.evidence.claims.records import Named, Source, Value, values_in
from agents.evidence.claims.words import small_words
from inbox.extract.readers.calendar_words import months, weekdays
from inbox.extract.readers.display_names import straight_name
from inbox.languages import any_of, language, lazy_regex

# Somebody's first name, and the last one.
Person: TypeAlias = tuple[str, ...]

_WORD = lazy_regex(r"(?<![\p{L}\p{N}@._-])\p{Lu}[\p{L}\p{M}'’-]{2,24}(?![\p{L}\p{N}@]|\.\p{L})")
_PART = lazy_regex(r"\p{L}[\p{L}\p{M}'’-]+")
# A line that greets somebody, or is a name alone.
_ADDRESSED = lazy_regex(
    lambda: (
        rf"^[ \t]*(?:{any_of(lambda it: it.letters.greetings)})[, \t]+[^\n]{{2,60}}$"
        r"|^[ \t]*(?:[\p{Lu}][\p{L}.'’-]{0,20}[ ,.]{0,2}){1,4}$"
    ),
    regex.IGNORECASE,
)
# Between two words of one name stands this at most.
_GAP = 1
_MOST_PEOPLE = 200
# A name of a head or a card counts as often as this.
_OF_HEAD = 10


@dataclass
class People:
    """Those whom the texts name, how often, and by which words each may be meant.

    `sure` are those who are people: whoever writes, reads, has a card or a title.
    """

    every: Counter[Person] = field(default_factory=Counter)
    sure: set[object] = field(default_factory=set)
    _by_word: dict[str, set[Person]] = field(default_factory=lambda: defaultdict(set))

    def add(self, words: Sequence[str], times: int = 1, *, is_sure: bool = True) -> None:
        """Take somebody in by the words of a name, as often as that stands somewhere."""
        if len(words) < 2 or len(self.every) >= _MOST_PEOPLE or _day_words() & {*words}:
            return
        person = (words[0], words[-1])
        self.every[person] += times
        for word in person:
            self._by_word[word].add(person)
        if is_sure:
            self.sure.add(person)

    def mentions(self, text: str, *, is_name: bool = False) -> list[Value]:
        """Return where a text names somebody; the key is None where it may be one of several."""
        found: list[Value] = []
        words: list[str] = []
        for match in _WORD.finditer(text):
            word = plain(match[0])
            if word not in self._by_word or (not is_name and _is_addressed(text, match.start())):
                continue
            if found and match.start() - found[-1].end <= _GAP:
                words.append(word)
                found[-1] = Value(self._meant(words), found[-1].start, match.end())
            else:
                words = [word]
                found.append(Value(self._meant(words), *match.span()))
        return found

    def _meant(self, words: Sequence[str]) -> Person | None:
        fitting = set.intersection(*(self._by_word[word] for word in words))
        both = sorted(fitting, key=lambda it: -self.every[it])
        is_clear = len(both) == 1 or (both and self.every[both[0]] >= 2 * self.every[both[1]])
        return both[0] if is_clear else None


def _is_addressed(text: str, place: int) -> bool:
    end = text.find("\n", place)
    line = text.rfind("\n", 0, place) + 1, end if end >= 0 else len(text)
    return _ADDRESSED.search(text, *line) is not None


def people_in(sources: Sequence[Source], known: Iterable[Named]) -> People:
    """Return those whom sources name, and who write and read."""
    found = People()
    for one in (*known, *(it for source in sources for it in source.people)):
        if _is_own(one):
            found.add(_words(one.name), _OF_HEAD)
    for source in sources:
        if source.type == "contact":
            found.add(_words(source.text.partition("\n")[0]), _OF_HEAD)
    first = {one[0] for one in found.every} | set(_guests(sources))
    for source in sources:
        _add_named(found, source, first)
    for word in first - {part for one in found.every for part in one}:
        found.add((word, word))
    return found


def _add_named(found: People, source: Source, first: set[str]) -> None:
    """Take in those whom a text names; two words with a capital are perhaps somebody."""
    spoken = language(source.language)
    for value in values_in(NAMES, source.text, source.written_on, source.language):
        assert isinstance(value.key, tuple)  # noqa: S101
        is_sure = value.is_sure or value.key[0] in first
        if is_sure or not (spoken and spoken.claims.capitalised):
            found.add(value.key, is_sure=is_sure)


def _guests(sources: Iterable[Source]) -> Iterator[str]:
    """Yield the first names of guests, as their addresses have them."""
    for guest in (it for source in sources for it in source.guests):
        local = guest.rpartition(" ")[2].partition("@")[0]
        yield from map(plain, _PART.findall(local)[:1])


def _words(name: str) -> list[str]:
    words = [plain(word) for word in _PART.findall(straight_name(name))]
    return [word for word in words if word not in small_words("")]


def _is_own(one: Named) -> bool:
    """Return True if an address has a part of the name: a mailbox of all has the house's."""
    local = plain(one.email.partition("@")[0])
    return not names_anybody(one.name) and any(word in local for word in _words(one.name))


@cache
def _day_words() -> frozenset[str]:
    return frozenset(map(plain, (*months(), *weekdays())))
