"""What a message says that an attached file has in it, and the file has not; pure."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import regex

from agents.evidence.claims.distance import plain
from agents.evidence.claims.readers.figures import AMOUNTS, PERCENTAGES
from agents.evidence.claims.readers.measures import LENGTHS, MEASURES
from agents.evidence.claims.readers.quantities import QUANTITIES
from agents.evidence.claims.records import Cited, Claim, Mark, Place, Source, Value, values_in
from agents.evidence.claims.sentences import words_around
from agents.evidence.claims.wording.presented import presents
from agents.evidence.claims.words import small_words
from inbox.languages import any_of, language, lazy_regex
from inbox.rfc5322.text.language import detect_language

_CONTAINS = lazy_regex(
    lambda: rf"(?<!\p{{L}})(?:{any_of(lambda it: it.claims.contains)})(?!\p{{L}})", regex.IGNORECASE
)
# What says that the words around it stand in what goes along.
_REFERS = lazy_regex(
    lambda: rf"(?<!\p{{L}})(?:{any_of(lambda it: it.claims.refers)})(?!\p{{L}})", regex.IGNORECASE
)
_READERS = (AMOUNTS, PERCENTAGES, MEASURES, LENGTHS, QUANTITIES)
_SENTENCE = lazy_regex(r"[^\n.!?]+(?:[.](?=\S)[^\n.!?]*|(?<=\p{L}{1,4})[.][^\n.!?]*)*[.!?]?")
_WORD = lazy_regex(r"\p{L}[\p{L}\p{M}]{3,}")
_STEM, _LONGEST = 5, 400
_MOST_LANGUAGES = 32


def check_contents(
    body: str, code: str, claims: Iterable[Claim], near: Sequence[Source]
) -> Iterator[Mark]:
    """Yield a mark for each thing and each value that the files that go along do not have.

    `body` is the message's own prose, in the language `code`; `near` has the files as sources.
    """
    files = [it for it in near if it.type == "attachment" and it.text]
    if not files:
        return
    about = list(_sentences_about(body))
    for start, sentence in about:
        yield from _lacking(start, sentence, code, files)
    told = [(start, start + len(it)) for start, it in about if _REFERS.search(it)]
    for claim in claims:
        place = claim.value.start
        if claim.part == "body" and any(first <= place < last for first, last in told):
            yield from _other_value(claim, files, near)


def _sentences_about(body: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences that say that something goes along, refer to it, or follow such a one."""
    was_presented = False
    for match in _SENTENCE.finditer(body):
        if len(match[0]) > _LONGEST:
            continue
        is_presented = presents(match[0])
        if is_presented or was_presented or _REFERS.search(match[0]):
            yield match.start(), match[0]
        was_presented = is_presented


def _lacking(start: int, sentence: str, code: str, files: Sequence[Source]) -> Iterator[Mark]:
    """Yield a mark for each part of an enumeration of which no file has the longest word."""
    contains = _CONTAINS.search(sentence)
    there = {it[:_STEM] for one in files for it in _words(one.text, code)}
    if contains is None or not any(_spoken(one) in ("", code) for one in files):
        return
    parts = list(_parts(code).finditer(sentence, contains.end()))
    lacking = []
    for part in parts:
        words = _words(part[0], code)
        if words and max(words, key=len)[:_STEM] not in there:
            lacking.append(part)
    if not lacking or len(lacking) * 2 >= len(parts):
        return
    cited = tuple(Cited("attachment", it.id, it.id) for it in files[:3])
    for part in lacking:
        first = start + part.start()
        yield Mark("attachment", "body", part[0], first, first + len(part[0]), "nowhere", "", cited)


def _spoken(one: Source) -> str:
    return one.language or detect_language(one.text)


def _words(text: str, code: str) -> list[str]:
    small = small_words(code)
    return [it for it in (plain(word) for word in _WORD.findall(text)) if it not in small]


@lru_cache(maxsize=_MOST_LANGUAGES)
def _parts(code: str) -> "regex.Pattern[str]":
    """Return the parts of an enumeration in a language: what stands between commas and "and"."""
    known = language(code)
    joins = (known.claims.joins if known else "") or any_of(lambda it: it.claims.joins)
    return regex.compile(rf"(?:(?!\s(?:{joins})\s)[^,;:.!?\n(])+")


def _other_value(claim: Claim, files: Sequence[Source], near: Sequence[Source]) -> Iterator[Mark]:
    """Yield a mark for a value that no text at hand has, where the files have some of its kind."""
    if claim.reader not in _READERS:
        return
    key = claim.value.key
    if any(it.key == key for one in near for it in _values(claim, one)):
        return
    alike = [
        Place(one, it) for one in files for it in _values(claim, one)
        if claim.reader.is_alike(key, it.key)
    ]  # fmt: skip
    if not alike:
        return
    around = words_around(claim.text, claim.value.start, claim.value.end)
    best = max(
        alike,
        key=lambda it: len(around & words_around(it.source.text, it.value.start, it.value.end)),
    )
    yield Mark(
        claim.reader.kind, "body", claim.words, claim.value.start, claim.value.end, "differs",
        best.words, (best.cited,),
    )  # fmt: skip


def _values(claim: Claim, one: Source) -> Sequence[Value]:
    return values_in(claim.reader, one.text, one.written_on, one.language)
