"""The passage of a text in which a query hits: by the same forms of words as the index."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from heapq import heapify, heappop, heapreplace
from itertools import islice

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
    terms: Sequence[Term], text: str, labelled: Iterable[tuple[str, str]], language: str = ""
) -> str:
    """Return the passage in which most of the terms hit, at most 240 characters, on one line.

    `labelled` are shorter texts with a name each, shown by it where the text itself has no hit, and
    asked for only then; where nothing hits, the beginning of the text. The language (ISO 639-1) is
    that of the text.
    """
    hits_of = _finder(tuple(terms), language)
    if hits_of is None:
        return _cut(text, 0)
    hits = list(islice(hits_of(text[:_SEARCHED]), _MOST_HITS))
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
        for found, end in islice(places_in(plain), _MOST_PLACES):
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
    # What goes on with letters is found by its beginning, with the same end.
    stems = {stem for stem in stems if not any(map(stems.__contains__, _beginnings(stem)))}
    if not pairs and len(stems) <= _FEW_STEMS:
        return partial(_places_of_few, tuple(stems))
    # Without an alternative at the front it is not looked for at each letter.
    spaced = [rf"{one_of(map(re.escape, stems))}[^\W_]*"] if stems else []
    pattern = re.compile("|".join([*spaced, *sorted(pairs)]))
    return lambda text: (found.span() for found in pattern.finditer(text))


def _beginnings(stem: str) -> Iterator[str]:
    """Yield what a stem begins with that has nothing but letters and digits behind it."""
    for end in range(len(stem) - 1, 0, -1):
        if not stem[end].isalnum():
            return
        yield stem[:end]


def _places_of_few(stems: Sequence[str], text: str) -> Iterator[tuple[int, int]]:
    """Yield what the pattern of these finds, each looked for by itself: much quicker."""
    # Of two that begin in one place the longer comes first.
    coming = [(at, -len(stem), stem) for stem in stems if (at := text.find(stem)) >= 0]
    heapify(coming)
    end = 0
    while coming:
        start, shorter, stem = coming[0]
        if start >= end:
            found = _REST.match(text, start - shorter)
            end = found.end() if found else start - shorter
            yield start, end
        if (at := text.find(stem, end)) >= 0:
            heapreplace(coming, (at, shorter, stem))
        else:
            heappop(coming)


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
    times: dict[str, int] = {}
    for start, word in hits:
        times[word] = times.get(word, 0) + 1
        while start - hits[first][0] > room:
            left = hits[first][1]
            first += 1
            if times[left] == 1:
                del times[left]
            else:
                times[left] -= 1
        if len(times) > most:
            best, most = hits[first][0], len(times)
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
