"""Labels and what stands beside or below them, in forms and tables as text has them; pure.

A label is the whole of a line or cell, or what stands before a colon: `Invoice no.: 17`,
`Invoice no. | 17`, or the number on the line below. The languages say what labels there are.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

import regex

from inbox.extract import roles
from inbox.languages import any_of, language, lazy_regex
from inbox.languages.model import Language

LONGEST_LABEL = 48
_MOST_LINES = 800
_MOST_WORDS = 6


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a row, and where it stands."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Pair:
    """A label, and what stands beside or below it from `start` to `end`."""

    label: str
    start: int
    end: int


Row = tuple[Cell, ...]
_CELL = lazy_regex(r"(?:(?!\s*\||\t|[ \u00a0]{2})[^\n])+")
# `Label: value`; a time or an address of the web is no label.
_LABELLED = lazy_regex(
    rf"(?P<label>(?!https?:)[^\n:\uff1a]{{1,{LONGEST_LABEL}}}?)[ \u00a0]?[:\uff1a](?!//)"
    r"[ \u00a0]*(?P<value>\S.*)?"
)
_DECORATION = lazy_regex(
    r"\([^)]*\)|@?\s?\d{1,2}(?:[.,]\d{1,2})?\s?%|(?<!\p{L})(?:EUR|USD|GBP|CHF|PLN|SEK|DKK|NOK)(?!\p{L})"
    r"|[*•x]{2,}[ -]?\d{2,4}|[€$£*•\uf0b7]|[.·…_]{3,}|^[\s\W]+",
    regex.IGNORECASE,
)
_DIGIT = lazy_regex(r"\d")
# A line of a table drawn in text: `-----`, `|---|---|`, `+=====+`.
_RULE = lazy_regex(r"[\s|+=_*:.\u2500-\u257f–—-]{3,}+")


@lru_cache(maxsize=32)
def rows_of(text: str) -> tuple[Row, ...]:
    """Return the lines that say something, as rows of cells."""
    rows = []
    place = 0
    for line in text.split("\n")[:_MOST_LINES]:
        cells = []
        for part in [] if _RULE.fullmatch(line) else line_parts(line):
            # A colon may stand in a column of its own, or before the value.
            stripped = part[0].lstrip(" \t\u00a0:\uff1a")
            start = place + part.end() - len(stripped)
            stripped = stripped.rstrip()
            if stripped or ":" not in part[0]:
                cells.append(Cell(stripped, start, start + len(stripped)))
        if any(it.text for it in cells):
            rows.append(tuple(cells))
        place += len(line) + 1
    return tuple(rows)


def line_parts(line: str) -> list["regex.Match[str]"]:
    """Return the cells of a line: what ` | `, a tab or two blanks part; empty ones as well."""
    if "|" in line:
        return list(regex.finditer(r"(?:(?<=\|)|^)[^|]*", line))
    return list(_CELL.finditer(line))


def bare(label: str) -> str:
    """Return a label as it is compared: without a rate, a currency and marks around it."""
    plain = _DECORATION.sub(" ", label.casefold())
    return " ".join(plain.split()).strip(" .,:;-–=#°") or label.casefold().strip(" .:")


def _whole(words: str) -> "regex.Pattern[str]":
    return regex.compile(f"(?:{words})", regex.IGNORECASE)


def _labels(table: Callable[[Language], Mapping[str, str]]) -> dict[str, "regex.Pattern[str]"]:
    return {name: _whole(roles.named(table, name)) for name in roles.names(table)}


@cache
def dates() -> dict[str, "regex.Pattern[str]"]:
    """Return the labels of dates by their role; `any` is one that says no more."""
    return _labels(lambda it: it.forms.dates)


@cache
def money() -> dict[str, "regex.Pattern[str]"]:
    """Return the labels of sums by their role."""
    return _labels(lambda it: it.forms.money)


@cache
def counts() -> dict[str, "regex.Pattern[str]"]:
    """Return the labels of counts by what they count."""
    return _labels(lambda it: it.forms.counts)


@cache
def columns() -> dict[str, "regex.Pattern[str]"]:
    """Return what stands above the columns of a list."""
    return _labels(lambda it: it.forms.columns)


@cache
def numbers() -> dict[str, "regex.Pattern[str]"]:
    """Return the labels of numbers by what they number: "no. of invoice", "invoice no."."""
    word = any_of(lambda it: it.forms.number_words)
    joint = rf"(?:{any_of(lambda it: it.forms.joints)})*"
    return {
        name: _whole(
            rf"(?:{word}[.\s°º:-]{{0,3}}{joint})?{roles.named(lambda it: it.forms.numbers, name)}"
            rf"(?:[.\s-]{{0,3}}{word})?"
        )
        for name in roles.names(lambda it: it.forms.numbers)
    }


@lru_cache(maxsize=2048)
def is_label(label: str) -> bool:
    """Return True if a language knows a label that reads so, whatever it is the label of."""
    text = bare(label)
    if not text or len(text) > LONGEST_LABEL:
        return False
    tables = (dates(), money(), numbers(), counts())
    return any(it.fullmatch(text) for table in tables for it in table.values()) or bool(
        _OTHERS.fullmatch(text)
    )


_OTHERS = lazy_regex(
    lambda: (
        rf"{any_of(lambda it: it.contacts.registered)}.{{0,12}}"
        rf"|{any_of(lambda it: it.contacts.phones)}"
        rf"|{any_of(lambda it: '|'.join(it.labels.more.values()))}|e-?mail|web|www"
    ),
    regex.IGNORECASE,
)


_BEHIND = lazy_regex(
    lambda: rf"(?:,|[ ]\p{{P}}*(?:{any_of(lambda it: it.forms.behind)})(?!\p{{L}})|[ ][–—-][ ]).*$",
    regex.DOTALL,
)
_OTHER = lazy_regex(lambda: rf"(?:{any_of(lambda it: it.forms.others)})(?!\p{{L}})")


@lru_cache(maxsize=2048)
def readings(label: str) -> tuple[str, ...]:
    """Return a label as it is compared; one that is unknown without what stands behind it, too."""
    whole = bare(label)
    short = _BEHIND.sub("", whole)
    return (whole,) if short == whole or not short or is_label(label) else (whole, short)


def with_modifier(matches: Callable[[str], bool]) -> Callable[[str], bool]:
    """Return what matches labels with a word before them as well: "Retailer order ref"."""

    def match(label: str) -> bool:
        if matches(label):
            return True
        first, _, rest = label.partition(" ")
        is_word = len(first) > 2 and first.isalpha() and not _OTHER.match(first)
        return is_word and not is_label(label) and " " in rest and matches(rest)

    return match


def with_more_behind(matches: Callable[[str], bool]) -> Callable[[str], bool]:
    """Return what matches labels with more behind them as well: "Total charged to your card"."""
    return lambda label: any(matches(it) for it in readings(label))


def pairs(text: str, matches: Callable[[str], bool]) -> list[Pair]:
    """Return the labels that match, by their bare form, with what stands beside or below them."""
    rows = rows_of(text)
    found: list[Pair] = []
    for number, row in enumerate(rows):
        below = rows[number + 1] if number + 1 < len(rows) else ()
        if is_head(row):
            continue
        for index, cell in enumerate(row):
            found += _pair(row, index, below, cell, matches)
    found += (
        Pair(label.text, value.start, value.end)
        for label, value in _side_by_side(text)
        if matches(bare(label.text))
    )
    return found


@lru_cache(maxsize=32)
def _side_by_side(text: str) -> tuple[tuple[Cell, Cell], ...]:
    """Return labels and values of two columns that a program wrote below each other."""
    blocks: list[list[Cell]] = []
    for above, row in pairwise(((), *rows_of(text))):
        is_next = above and "\n\n" not in text[above[-1].end : row[0].start]
        if not is_next or len(row) > 1 or len(above) > 1:
            blocks.append([])
        blocks[-1] += row if len(row) == 1 else ()
    found: list[tuple[Cell, Cell]] = []
    for labels, values in pairwise(blocks):
        if len(labels) < _FEWEST_STACKED or len(labels) != len(values):
            continue
        if 2 * sum(is_label(it.text) for it in labels) >= len(labels) and not any(
            _reads_as_label(it.text) for it in values
        ):
            found += zip(labels, values, strict=True)
    return tuple(found)


_FEWEST_STACKED = 3


def _pair(
    row: Row, index: int, below: Row, cell: Cell, matches: Callable[[str], bool]
) -> Iterator[Pair]:
    parted = _LABELLED.fullmatch(cell.text)
    if parted is not None:
        label = parted["label"]
        if not matches(bare(label)):
            return
        if parted["value"]:
            yield Pair(label, cell.start + parted.start("value"), cell.end)
        else:
            yield from _beside(row, index, below, label)
    elif len(cell.text) <= LONGEST_LABEL and matches(bare(cell.text)):
        yield from _beside(row, index, below, cell.text)
    elif _DIGIT.search(cell.text):
        yield from _joined(cell, matches)


def _beside(row: Row, index: int, below: Row, label: str) -> Iterator[Pair]:
    """Yield what stands to the right of a label, else what stands below it."""
    right = next((it for it in row[index + 1 :] if it.text), None)
    if right is not None and not _reads_as_label(right.text) and not _are_headings(row, below):
        yield Pair(label, right.start, right.end)
        return
    under = below[index] if len(below) > index and len(below) == len(row) else None
    # One value below several labels, or several below one that has a colon: it is the first's.
    if index == 0 and (
        len(row) > len(below) == 1 or (len(below) > len(row) == 1 and row[0].text.endswith(":"))
    ):
        under = below[0]
    if under is not None and under.text and not _reads_as_label(under.text):
        yield Pair(label, under.start, under.end)


def _are_headings(row: Row, below: Row) -> bool:
    """Return True if a row is one of labels, with a value below each."""
    if len(row) < 2 or len(row) != len(below) or is_label(below[0].text):
        return False
    if any(_DIGIT.search(it.text) for it in row) or not any(_DIGIT.search(it.text) for it in below):
        return False
    return sum(is_label(it.text) for it in row) >= (1 if len(row) > 2 else 2)


def _reads_as_label(text: str) -> bool:
    parted = _LABELLED.fullmatch(text)
    return is_label(parted["label"] if parted else text)


def _joined(cell: Cell, matches: Callable[[str], bool]) -> Iterator[Pair]:
    """Yield what stands behind a label with nothing between them: `Total 49.00 EUR`."""
    words = list(regex.finditer(r"\S+", cell.text[:120]))
    for count in range(min(_MOST_WORDS, len(words) - 1), 0, -1):
        label, value = cell.text[: words[count - 1].end()], cell.text[words[count].start() :]
        if len(label) <= LONGEST_LABEL and matches(bare(label)):
            if len(value.split()) <= _MOST_WORDS and _DIGIT.search(value):
                yield Pair(label, cell.start + words[count].start(), cell.end)
            return


@cache
def _labels_of(code: str) -> "regex.Pattern[str]":
    """Return the labels of dates and sums in a language, and those above its lists."""
    known = language(code)
    tables = (known.forms.dates, known.forms.money, known.forms.columns) if known else ()
    words = [it for table in tables for it in table.values()]
    return _whole("|".join(words) if words else "(?!)")


def labels_in(text: str, code: str) -> int:
    """Return how many labels of a text are those of a language."""
    cells = (cell.text.partition(":")[0] for row in rows_of(text) for cell in row)
    return sum(_labels_of(code).fullmatch(bare(it)) is not None for it in cells if it)


def column_of(text: str) -> str:
    """Return which column of a list stands below this; "" for none that is known."""
    label = bare(text)
    return next((name for name, it in columns().items() if it.fullmatch(label)), "")


@lru_cache(maxsize=512)
def is_head(row: Row) -> bool:
    """Return True if a row is the head of a list: what, and how many of it or for how much."""
    if len(row) < 2 or any(_DIGIT.search(it.text) for it in row):
        return False
    named = [column_of(it.text) for it in row if it.text]
    known = {it for it in named if it}
    return "description" in known and len(known) >= 2 and 2 * len(known) >= len(named)


def lists(text: str) -> Iterator[tuple[Row, Sequence[Row]]]:
    """Yield the lists of a text: each head, with the rows below it until one is none of it."""
    rows = rows_of(text)
    heads = [number for number, row in enumerate(rows) if is_head(row)]
    for at, until in pairwise([*heads, len(rows)]):
        yield rows[at], rows[at + 1 : until]
