"""The words that say what a message is about; pure."""

from collections.abc import Collection
from typing import NamedTuple

from agents.evidence.claims.distance import plain
from agents.evidence.claims.words import small_words
from inbox.languages import lazy_regex

_WORD = lazy_regex(
    r"(?<![\p{L}\d@./-])(?:(?P<code>\p{Lu}{0,6}[-/]?\d[\p{Lu}\d]*(?:[-/][\p{Lu}\d]+){0,3})"
    r"|(?P<word>\p{L}[\p{L}\p{M}'’-]{3,40}))(?![\p{L}\d@])"
)
_BEGINS = lazy_regex(r"(?:^|[.!?:\n])[^\p{L}\d]*\Z")
_LEAST_DIGITS, _MOST = 3, 24
_BEFORE = 8


class Topics(NamedTuple):
    """The words that say what a message is about, the most telling first, and names among them."""

    words: list[str]
    names: list[str]


def read_topics(text: str, code: str, known: Collection[str] = ()) -> Topics:
    """Return the words of a text in a language by which what is of its matter may be found.

    Numbers of things come first, then names, then the longest words. `known` are words that tell
    nothing, as `plain` writes them: the name of who writes.
    """
    small = small_words(code) | small_words("")
    ranks: dict[str, tuple[int, int]] = {}
    names: dict[str, None] = {}
    for match in _WORD.finditer(text):
        word = match[0]
        if match["code"]:
            if sum(it.isdigit() for it in word) >= _LEAST_DIGITS:
                ranks.setdefault(word, (0, 0))
        elif plain(word) not in small and plain(word) not in known:
            before = text[max(0, match.start() - _BEFORE) : match.start()]
            is_name = word[0].isupper() and not _BEGINS.search(before)
            ranks.setdefault(word, (1 if is_name else 2, -len(word)))
            if word[0].isupper():
                names.setdefault(word)
    return Topics(sorted(ranks, key=ranks.__getitem__)[:_MOST], list(names)[:_MOST])
