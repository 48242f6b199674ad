"""Addresses, rooms and numbers of which a source says that they hold no more; pure."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

import regex

from agents.evidence.claims.readers.codes import CODES, EMAILS, PHONES
from agents.evidence.claims.readers.numbered import NUMBERED
from agents.evidence.claims.records import Cited, Claim, Mark, Source
from agents.evidence.claims.sentences import sentence_around
from inbox.languages import any_of, lazy_regex

_READERS = (NUMBERED, CODES, EMAILS, PHONES)
_AROUND, _MOST_PLACES = 60, 20
_REPLACED = lazy_regex(
    lambda: (
        rf"(?<!\p{{L}})(?:{any_of(lambda it: it.claims.replaced)})[ ]?[ :(]"
        r"(?:\p{L}{1,6}[ ]){0,2}$"
    ),
    regex.IGNORECASE,
)
_NO_MORE = lazy_regex(
    lambda: (
        r"^[ )–-]{0,4}"
        rf"(?:{any_of(lambda it: it.claims.no_more)})(?!\p{{L}})"
    ),
    regex.IGNORECASE,
)
_NOUN = lazy_regex(r"[\p{L}-]{3,25}[ \u00a0]$")


def check_replaced(claims: Iterable[Claim], sources: Sequence[Source]) -> Iterator[Mark]:
    """Yield a mark for what the newest source that has it takes back."""
    for claim in claims:
        if claim.reader not in _READERS or claim.part != "body":
            continue
        start, end = _phrase(claim)
        if is_taken_back(claim.text, start, end):
            continue
        cited = _taken_back(claim.text[start:end], sources)
        if cited is not None:
            kind, words = claim.reader.kind, claim.text[start:end]
            yield Mark(kind, "body", words, start, end, "differs", cited.excerpt, (cited,))


def _phrase(claim: Claim) -> tuple[int, int]:
    """Return where a claim stands, with the noun that its number belongs to."""
    start, end = claim.value.start, claim.value.end
    if claim.reader is NUMBERED and (noun := _NOUN.search(claim.text, max(0, start - 27), start)):
        start = noun.start()
    return start, end


def _taken_back(phrase: str, sources: Sequence[Source]) -> Cited | None:
    """Return the words that take something back, if no newer or equally new ones have it so."""
    wanted = regex.compile(rf"(?<![\p{{L}}\d]){regex.escape(phrase)}(?![\p{{L}}\d])", regex.I)
    plain, last, cited = date.min, date.min, None
    for source in sources:
        for match in list(wanted.finditer(source.text))[:_MOST_PLACES]:
            if not is_taken_back(source.text, *match.span()):
                plain = max(plain, source.written_on)
            elif source.written_on >= last:
                sentence = sentence_around(source.text, *match.span())
                last, cited = (
                    source.written_on,
                    Cited(source.type, source.id, " ".join(sentence.split())[:120]),
                )
    return cited if last > plain else None


def is_taken_back(text: str, start: int, end: int) -> bool:
    """Return True if words beside a place of a text say that it holds no more: "not"."""
    before, behind = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
    return _REPLACED.search(before) is not None or _NO_MORE.match(behind) is not None
