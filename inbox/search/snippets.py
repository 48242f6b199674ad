"""The passage of a text in which a query hits: by the same forms of words as the index."""

import heapq
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial

from inbox.rfc5322.text.folds import folded, spelled_out
from inbox.rfc5322.text.unspaced import UNSPACED
from inbox.rfc5322.text.word_forms import STEM_MARK, extra_words, stem_of
from inbox.search.letters import one_of, plain_letters, spelled_as_one
from inbox.search.words import WORD, Term

LONGEST_SNIPPET = 240
# Endings of English, as the index's stemmer takes them off.
_ENDINGS = re.compile(r"(?:ations?|ings?|ed|es|ies|ly|s|e|y)$")
_SHORTEST_STEM = 3
_SEARCHED = 100_000
# So many hits are weighed against each other, of so many places that may be hits.
_MOST_HITS, _MOST_PLACES = 200, 2_000

# So few stems are looked for one by one.
_FEW_STEMS = 16
_REST = re.compile(r"[^\W_]*")

_Hit = tuple[int, str]


def snippet(
    terms: Sequence[Term], text: str, labelled: Sequence[tuple[str, str]], language: str = ""
) -> str:
    """Return the passage in which most of the terms hit, at most 240 characters, on one line.

    `labelled` are shorter texts with a name each, shown by it where the text itself has no hit;
    where nothing hits, the beginning of the text. The language (ISO 639-1) is that of the text.
    """
    hits_of = _finder(tuple(terms), language)
    if hits_of is None:
        return _cut(text, 0)
    hits = [hit for hit, _ in zip(hits_of(text[:_SEARCHED]), range(_MOST_HITS), strict=False)]
    if hits:
        return _cut(text, _best_start(hits))
    for label, value in labelled:
        if any(hits_of(value[:_SEARCHED])):
            return _cut(f"{label}: {' '.join(value.split())[:160]} · {text}", 0)
    return _cut(text, 0)


@lru_cache(maxsize=16)
def _finder(terms: tuple[Term, ...], language: str) -> Callable[[str], Iterator[_Hit]] | None:
    """Return what yields the hits of a text, each with its place and its word in lower case."""
    words = {word.lower() for term in terms for form in term.forms for word in WORD.findall(form)}
    pairs = {form for term in terms for form in term.forms if UNSPACED.fullmatch(form)}
    words = {word for word in words if not UNSPACED.fullmatch(word)}
    if not words and not pairs:
        return None
    begun = {_plain_stem(form) for word in words for form in (folded(word), spelled_out(word))}
    begun |= {spelled_as_one(stem) for stem in begun}
    stems = {stem for word in words if (stem := stem_of(word, language))}
    longer = {stem for stem in stems if len(stem) >= _SHORTEST_STEM}
    longer |= {spelled_as_one(stem) for stem in longer}
    places_in, beginnings = _places(begun | longer, pairs), tuple(begun)

    def find(text: str) -> Iterator[_Hit]:
        # No other letter has another length in lower case.
        lower = text.replace("\u0130", "I").lower()
        known: dict[str, bool] = {}
        plain = plain_letters(lower)
        for (found, end), _ in zip(places_in(plain), range(_MOST_PLACES), strict=False):
            start, word = found, plain[found:end]
            if word in pairs:
                yield start, word
                continue
            while start and lower[start - 1].isalnum():
                start -= 1
            word = lower[start:end]
            if word not in known:
                known[word] = _hits(word, beginnings, stems, language)
            if known[word]:
                yield start, word

    return find


def _places(stems: set[str], pairs: set[str]) -> Callable[[str], Iterator[tuple[int, int]]]:
    """Return what yields where a text has what may be hits; from inside a word too, to its end."""
    if not pairs and len(stems) <= _FEW_STEMS:
        return partial(_places_of_few, tuple(stems))
    # Without an alternative at the front it is not looked for at each letter.
    spaced = [rf"{one_of(map(re.escape, stems))}[^\W_]*"] if stems else []
    pattern = re.compile("|".join([*spaced, *sorted(pairs)]))
    return lambda text: (found.span() for found in pattern.finditer(text))


def _places_of_few(stems: Sequence[str], text: str) -> Iterator[tuple[int, int]]:
    """Yield what the pattern of these finds, each looked for by itself: much quicker."""
    end = 0
    for start, shorter in heapq.merge(*(_places_of_one(stem, text) for stem in stems)):
        if start >= end:
            found = _REST.match(text, start - shorter)
            end = found.end() if found else start - shorter
            yield start, end


def _places_of_one(stem: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield where a stem begins, and its length below zero: so that the longest comes first."""
    start = text.find(stem)
    while start >= 0:
        yield start, -len(stem)
        start = text.find(stem, start + 1)


def _hits(word: str, begun: tuple[str, ...], stems: set[str], language: str) -> bool:
    """Return True if a word of the text begins as English has it, or has a stem of its language."""
    plain = (word,) if word.isascii() else (folded(word), spelled_out(word))
    if any(one.startswith(begun) for one in plain):
        return True
    return not stems.isdisjoint(
        form.removeprefix(STEM_MARK) for form in extra_words(word, language)
    )


def _plain_stem(word: str) -> str:
    stem = _ENDINGS.sub("", word)
    return stem if len(stem) >= _SHORTEST_STEM else word


def _best_start(hits: Sequence[_Hit]) -> int:
    """Return where the passage with the most different words begins, a little before them."""
    room = LONGEST_SNIPPET - 60
    best, most, first = hits[0][0], 0, 0
    for last in range(len(hits)):
        while hits[last][0] - hits[first][0] > room:
            first += 1
        different = len({word for _, word in hits[first : last + 1]})
        if different > most:
            best, most = hits[first][0], different
    return max(0, best - 40)


def _cut(text: str, start: int) -> str:
    """Return one line of text from about `start`, cut between words, marked where cut."""
    if start > 0:
        # Not in the middle of a word, unless it is a long one.
        space = text.find(" ", start, start + 30)
        start = space + 1 if space >= 0 else start
    passage = " ".join(text[start : start + 4 * LONGEST_SNIPPET].split())
    lead = "…" if start > 0 else ""
    if len(lead) + len(passage) <= LONGEST_SNIPPET:
        return lead + passage
    kept = passage[: LONGEST_SNIPPET - len(lead) - 1]
    space = kept.rfind(" ", len(kept) - 30)
    return lead + (kept[:space] if space > 0 else kept) + "…"
