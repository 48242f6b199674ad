"""Whether a message says that something goes along with it; pure."""

from collections.abc import Iterator

import regex

from agents.evidence.claims.sentences import sentence_around
from inbox.languages import any_of, lazy_regex

_ATTACHED = lazy_regex(
    lambda: (
        rf"(?<![\p{{Latin}}\p{{Cyrillic}}]){any_of(lambda it: it.claims.attached)}"
        r"(?![\p{Latin}\p{Cyrillic}])"
    ),
    regex.IGNORECASE,
)
_PRESENTS = lazy_regex(
    lambda: rf"(?<!\p{{L}})(?:{any_of(lambda it: it.claims.presents)})(?!\p{{L}})", regex.IGNORECASE
)
_NOT_ATTACHED = lazy_regex(lambda: any_of(lambda it: it.claims.others_attached), regex.IGNORECASE)


def attached_in(body: str) -> Iterator["regex.Match[str]"]:
    """Yield the words that say that something of ours goes with the message."""
    for match in _ATTACHED.finditer(body):
        if _NOT_ATTACHED.search(sentence_around(body, *match.span())) is None:
            yield match


def presented_in(body: str) -> Iterator["regex.Match[str]"]:
    """Yield the words that say that something is here, which may be a file."""
    yield from _PRESENTS.finditer(body)


def says_attached(sentence: str) -> bool:
    """Return True if a sentence says that something of ours goes with the message."""
    return _ATTACHED.search(sentence) is not None and _NOT_ATTACHED.search(sentence) is None


def presents(sentence: str) -> bool:
    """Return True if a sentence says so, or that something is here."""
    return says_attached(sentence) or _PRESENTS.search(sentence) is not None
