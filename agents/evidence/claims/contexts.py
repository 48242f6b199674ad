"""Which words of a text belong to which of its values; pure.

"The hall is 950 pounds, the studio 310": of two amounts each has the words that stand nearest to
it, where a comma, an "and" or the end of a sentence adds to the way.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise, zip_longest
from typing import NamedTuple, TypeAlias

import regex

from agents.evidence.claims.distance import plain
from agents.evidence.claims.records import Value
from agents.evidence.claims.words import small_words
from inbox.languages import any_of, language, lazy_regex

# The words that belong to a value, each with how near it stands: 1 beside it, less further away.
Context: TypeAlias = dict[str, float]

_TOKEN = lazy_regex(
    r"(?P<joined>[\p{Han}\p{Katakana}\p{Hangul}ー]{1,20})"
    r"|(?P<code>(?:\p{Lu}[\p{L}]{0,7}[-/]?)?\d[\p{L}\d]{0,20}(?:[-/.,][\p{L}\d]{1,20}){0,4})"
    r"|(?P<word>[\p{L}\p{M}]{3,40})"
)
# What parts words counts for so many letters of the way.
_WAY = {"paragraph": 110, "sentence": 60, "line": 85, "clause": 40, "comma": 16, "join": 20}
# A word behind a value is as far away as one before it that has so much more between.
_BEHIND = 1.25
_FURTHEST = 150.0
_WEIGHTS = ((40.0, 1.0), (80.0, 0.6), (_FURTHEST, 0.25))
_BESIDE = 0.6
# As near a heading is to each of what it is above.
_OF_ALL = 0.6
# So long is the way between two values that a comma or an "or" joins, and nothing else.
_ALTERNATIVES = range(16, 91)
# What a line or a sentence begins with belongs to all that it lists: "Order 4711: 12 chairs".
_HEADING = lazy_regex(
    r"(?:^|(?<=[.!?]\s))[ \t]{0,8}(?P<heading>[^\n:.!?]{3,60}):(?=\s)", regex.MULTILINE
)
# What the first line of a text says, a subject or a path, is of all in it, but tells less.
_OF_HEAD = 0.35
# A row of a table is of one thing: its words belong to each of its values.
_OF_ROW, _LONGEST_ROW = 0.8, 300
_CELLS = lazy_regex(r"[;|\t]|[ ]{3,}|(?<=[\p{L}\"]),(?=[\"\d])")
# Two that are nearly as near share a word.
_AS_NEAR = 1.15
_NEWLINE = lazy_regex(r"\n")
_STEM = 5
_MOST_LANGUAGES, _MOST_TEXTS = 32, 512


class Token(NamedTuple):
    """A word as it is compared, and where it stands."""

    key: str
    start: int
    end: int


@lru_cache(maxsize=_MOST_LANGUAGES)
def _parting(code: str) -> regex.Pattern[str]:
    """Return what parts words in a language, or in any."""
    known = language(code)
    joins = known.claims.joins if known else any_of(lambda it: it.claims.joins)
    return regex.compile(
        r"(?P<paragraph>\n[ \t>]{0,20}\n)"
        r"|(?P<sentence>(?:(?<=[\p{L}\d)\"']{2})|(?<=[%\p{Sc}]))[.!?](?=\s)|[。！？])"
        r"|(?P<line>(?<![^\n]{50})\n(?![ \t>]{0,20}[\p{Ll}(]))"
        r"|(?P<clause>[;|\t•])|(?P<comma>,(?=\s)|[、，)])"
        rf"|(?P<join>(?<=\s)(?:{joins or '(?!)'})(?=\s))"
    )


def _tokens(text: str, code: str) -> list[Token]:
    found, small = [], small_words(code)
    for match in _TOKEN.finditer(text):
        start = match.start()
        if match["joined"]:
            pairs = [a + b for a, b in pairwise(match[0])] or [match[0]]
            found += [Token(it, start + at, start + at + len(it)) for at, it in enumerate(pairs)]
        elif match["code"]:
            found.append(Token(match[0].casefold(), *match.span()))
        elif (word := plain(match[0])) not in small:
            found.append(Token(word[:_STEM], *match.span()))
    return found


def _headings(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield where each heading begins and ends, and how far it reaches, a line at most."""
    found = list(_HEADING.finditer(text))
    for match, behind in zip_longest(found, found[1:]):
        line_end = text.find("\n", match.end())
        ends = [it for it in (line_end, behind.start("heading") if behind else -1) if it >= 0]
        yield match.start("heading"), match.end("heading"), min(ends, default=len(text))


@dataclass
class Contexts:
    """The words of a text, and how far they are from each other."""

    text: str
    language: str = ""
    tokens: list[Token] = field(init=False)
    _headings: list[tuple[int, int, int]] = field(init=False)
    _ends: list[int] = field(init=False)
    _ways: list[int] = field(init=False)
    _found: dict[tuple[tuple[tuple[int, int], ...], frozenset[str]], list[Context]] = field(
        default_factory=dict
    )

    def __post_init__(self) -> None:
        self.tokens = _tokens(self.text, self.language)
        self._headings = list(_headings(self.text))
        self._ends, self._ways = [0], [0]
        for match in _parting(self.language).finditer(self.text):
            self._ends.append(match.end())
            self._ways.append(self._ways[-1] + _WAY[str(match.lastgroup)])

    def _at(self, place: int) -> int:
        """Return how long the way is from the beginning of the text to a place."""
        return place + self._ways[bisect_right(self._ends, place) - 1]

    def of(
        self, values: Sequence[Value], apart_from: frozenset[str] = frozenset()
    ) -> list[Context]:
        """Return the words that belong to each of the values of one kind in the text.

        `apart_from` are words, as tokens have them, that say the same as the value does.
        """
        key = tuple((it.start, it.end) for it in values), apart_from
        if key not in self._found:
            self._found[key] = self._of(values, apart_from)
        return self._found[key]

    def _of(self, values: Sequence[Value], apart_from: Container[str]) -> list[Context]:
        order = sorted(
            (it.start, it.end, n) for n, it in enumerate(values) if it.end > it.start
        )  # fmt: skip
        found: list[Context] = [{} for _ in values]
        starts = [start for start, _, _ in order]
        # A full stop that ends a value ends the sentence as well.
        ways = [(self._at(start), self._at(end - 1) + 1, n) for start, end, n in order]
        between: set[int] = set()
        for token in self.tokens:
            after = bisect_right(starts, token.start)
            is_within = after and order[after - 1][1] > token.start
            if is_within or token.key in apart_from:
                continue
            if self._is_heading(token, order, found):
                continue
            between.add(after)
            behind = token.start - order[after - 1][1] if after else _FURTHEST
            before = starts[after] - token.end if after < len(starts) else _FURTHEST
            if min(behind, before) < _FURTHEST:
                self._share(token, ways, after, found)
        for at, (one, two) in enumerate(pairwise(ways), 1):
            # "Tuesday or Thursday": what is said of one is said of the other, and tells neither.
            if at not in between and two[0] - one[1] in _ALTERNATIVES:
                found[one[2]], found[two[2]] = {}, {}
        self._add_rows(order, found, apart_from)
        return found

    def _add_rows(
        self, order: Sequence[tuple[int, int, int]], found: list[Context],
        apart_from: Container[str],
    ) -> None:  # fmt: skip
        """Give each value of a table the words of its row."""
        for start, _, number in order:
            first = self.text.rfind("\n", 0, start) + 1
            last = self.text.find("\n", start)
            last = last if last >= 0 else len(self.text)
            if last - first > _LONGEST_ROW or not _CELLS.search(self.text, first, last):
                continue
            row, values = self.between(first, last), found[number]
            for token in row:
                if token.key not in apart_from and not token.start <= start < token.end:
                    values[token.key] = max(_OF_ROW, values.get(token.key, 0.0))

    def between(self, first: int, last: int) -> list[Token]:
        """Return the words of a part of the text."""
        begin = bisect_left(self.tokens, first, key=lambda it: it.start)
        end = bisect_left(self.tokens, last, key=lambda it: it.start)
        return self.tokens[begin:end]

    @cached_property
    def head(self) -> Context:
        """The words of the first line."""
        end = self.text.find("\n")
        tokens = self.between(0, max(end, 0))
        return {it.key: _OF_HEAD for it in tokens}

    @cached_property
    def lines(self) -> Counter[str]:
        """In how many lines of the text each word stands, and `""`: how many lines there are."""
        found: Counter[str] = Counter()
        starts = [match.end() for match in _NEWLINE.finditer(self.text)]
        seen: set[tuple[str, int]] = set()
        for token in self.tokens:
            line = bisect_right(starts, token.start)
            if (token.key, line) not in seen:
                seen.add((token.key, line))
                found[token.key] += 1
        found[""] = len(starts) + 1
        return found

    def _is_heading(
        self, token: Token, order: Sequence[tuple[int, int, int]], found: list[Context]
    ) -> bool:
        """Give a word of a heading to all values below it; return False for any other word."""
        place = bisect_right(self._headings, (token.start, len(self.text), 0)) - 1
        if place < 0 or token.end > self._headings[place][1]:
            return False
        _, first, last = self._headings[place]
        for start, _, number in order:
            if first <= start < last:
                found[number][token.key] = _OF_ALL
        return True

    def _share(
        self, token: Token, ways: list[tuple[int, int, int]], after: int, found: list[Context]
    ) -> None:
        near: list[tuple[float, int]] = []
        if after:
            near.append(
                ((self._at(token.start) - ways[after - 1][1]) * _BEHIND, ways[after - 1][2])
            )
        if after < len(ways):
            near.append((float(ways[after][0] - self._at(token.end)), ways[after][2]))
        nearest = min((far for far, _ in near), default=_FURTHEST + 1)
        for far, number in near:
            if far <= min(_FURTHEST, nearest * _AS_NEAR):
                weight = next(weight for most, weight in _WEIGHTS if far <= most)
                context = found[number]
                context[token.key] = max(weight, context.get(token.key, 0.0))


@lru_cache(maxsize=_MOST_TEXTS)
def contexts_of(text: str, language: str) -> Contexts:
    """Return the words of a text; kept for the next message with the same sources."""
    return Contexts(text, language)


def token_keys(words: Iterable[str]) -> frozenset[str]:
    """Return words as tokens have them."""
    return frozenset(plain(word)[:_STEM] for word in words)


def merged(contexts: Sequence[Context]) -> Context:
    """Return the words of several contexts, each as near as it stands in any."""
    found: Context = {}
    for context in contexts:
        for word, weight in context.items():
            found[word] = max(weight, found.get(word, 0.0))
    return found


def fit(
    claim: Context, one: Context, other: Context, rarity: Callable[[str], float] = lambda _: 1.0
) -> float:
    """Return how many of a claim's words belong to one value more than to the other."""
    return sum(
        weight * (near - other.get(word, 0.0)) * _tells(word, weight * near) * rarity(word)
        for word, weight in claim.items()
        if (near := one.get(word, 0.0)) > other.get(word, 0.0)
    )  # fmt: skip


def _tells(word: str, weight: float) -> float:
    """Return how much a word says: a number beside a value most, a small one hardly anything."""
    if is_identifier(word):
        return 2 if weight >= _BESIDE else 1
    return 0.4 if word.isdigit() else 1


def is_identifier(word: str) -> bool:
    """Return True for a number that stands for a thing."""
    return sum(letter.isdigit() for letter in word) >= 3
