"""The flags of a proposal as its page lists them: grouped by kind, numbered, linked both ways."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from agents.admin.evidence.highlights import Flagged, Highlight
from agents.evidence.refs import read_refs
from inbox.flags import Finding, Flag, read_flags

# So many kinds stand open on the page; the others are named in one line, which opens.
SHOWN = 3
# By what the id of a source begins with; other texts have a page of where they come from.
_PAGES = {"msg": "message", "apr": "review"}


@dataclass(frozen=True, slots=True)
class ItemSeen:
    """One thing that raised a flag; `in_message`, `in_source`: there is a mark to go to there."""

    mark: Highlight
    reason: str
    excerpt: str
    source: str
    in_message: bool
    in_source: bool


@dataclass(frozen=True, slots=True)
class FlagSeen:
    """A flag with all that raised it, in the reader's language; `more` were only counted."""

    number: int
    code: str
    title: str
    severity: str
    items: tuple[ItemSeen, ...]
    count: int
    more: int

    @property
    def first(self) -> ItemSeen:
        """The first thing that raised it."""
        return self.items[0]


@dataclass(frozen=True, slots=True)
class FlagsSeen:
    """The flags of a proposal, the gravest first."""

    all: tuple[FlagSeen, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.all)

    @property
    def shown(self) -> tuple[FlagSeen, ...]:
        """Those that stand open."""
        return self.all[:SHOWN]

    @property
    def folded(self) -> tuple[FlagSeen, ...]:
        """Those that are named in one line."""
        return self.all[SHOWN:]


def find_uninspectable_parts(stored: Sequence[Any]) -> dict[str, str]:
    """Return, by the name or type of a part that could not be looked into, why that is."""
    return {
        part: finding.words
        for flag in read_flags(stored)
        if flag.flag == "uninspectable"
        for finding in flag.findings
        for name, part in finding.params
        if name == "part"
    }


def number_flags(stored: Sequence[Any]) -> list[Flagged]:
    """Return the words that raised each flag, with the mark that points at them."""
    return [
        Flagged(Highlight("flag", number, item), finding.excerpt, finding.source or "")
        for number, flag in enumerate(read_flags(stored), start=1)
        for item, finding in enumerate(flag.findings, start=1)
    ]


def see_flags(
    stored: Sequence[Any],
    *,
    in_message: frozenset[Highlight] = frozenset(),
    in_source: frozenset[Highlight] = frozenset(),
) -> FlagsSeen:
    """Return the flags that an approval keeps with their numbers, by which marks are found."""
    flags = enumerate(read_flags(stored), start=1)
    return FlagsSeen(tuple(_see(number, flag, in_message, in_source) for number, flag in flags))


def _see(
    number: int, flag: Flag, in_message: frozenset[Highlight], in_source: frozenset[Highlight]
) -> FlagSeen:
    marked = [
        (Highlight("flag", number, item), finding) for item, finding in enumerate(flag.findings, 1)
    ]
    items = tuple(
        _item(mark, finding, is_in_message=mark in in_message, is_in_source=mark in in_source)
        for mark, finding in marked
    )
    return FlagSeen(number, flag.flag, flag.title, flag.severity, items, flag.count, flag.more)


def _item(
    mark: Highlight, finding: Finding, *, is_in_message: bool, is_in_source: bool
) -> ItemSeen:
    url = _url_of(finding.source or "")
    return ItemSeen(mark, finding.words, finding.excerpt, url, is_in_message, is_in_source)


def _url_of(source: str) -> str:
    """Return the page of what a flag comes from; "" for what has none."""
    page = _PAGES.get(source.partition("_")[0])
    if page is None and read_refs([source]):
        page = "origin"
    return reverse(page, args=[source]) if page else ""
