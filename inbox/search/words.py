"""What a person typed into a search box, as terms, and where they hit in a text."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from inbox.rfc5322.text.search_words import UNSPACED, bigrams

# So that a whole message can be asked with; what comes after is not looked for.
LONGEST_QUERY, MOST_TERMS = 20_000, 400
# In a longer query quotation marks are those of a message, and keep nothing together.
LONGEST_QUOTED = 100
LONGEST_SNIPPET = 240
_PIECE = re.compile(r'"([^"]*)"|([^\s"]+)')
# A word may hold what addresses, file names and dates are made of; the index takes it as a phrase.
_WORD = re.compile(r"[^\W_](?:[\w@.\-'’/+:&]*[^\W_])?")
_LONE = re.compile(r"[^\W_]+")
_SINGLE = re.compile(r"[^\W_]\w*")
_ENDINGS = re.compile(r"(?:ations?|ings?|ed|es|ies|ly|s|e|y)$")
_SEARCHED_FOR_SNIPPET = 100_000
_MOST_HITS = 200


@dataclass(frozen=True, slots=True)
class Term:
    """A word, or words that stand together; where `is_open`, other ends of it count too."""

    text: str
    is_open: bool = False


def parse_query(query: str) -> tuple[Term, ...]:
    """Return the terms of a query, none of its characters with a meaning but the quotation marks.

    A run of an unspaced script becomes its pairs of characters, as in the index; a single one
    stays open. The same term twice, in whatever case, counts once.
    """
    text = query[:LONGEST_QUERY].encode("utf-8", "ignore").decode().replace("\x00", " ")
    terms: dict[tuple[str, bool], Term] = {}
    if len(text) > LONGEST_QUOTED:
        text = text.replace('"', " ")
    for phrase, word in _PIECE.findall(unicodedata.normalize("NFC", text)):
        for term in _terms(phrase, together=True) if phrase else _terms(word, together=False):
            terms.setdefault((term.text.casefold(), term.is_open), term)
    return tuple(terms.values())[:MOST_TERMS]


def _terms(text: str, *, together: bool) -> list[Term]:
    pairs = [Term(pair, is_open=len(pair) == 1) for pair in bigrams(text)]
    rest = UNSPACED.sub(" ", text)
    words = _WORD.findall(rest)
    if together and words:
        return [*pairs, Term(" ".join(words))]
    return [*pairs, *map(Term, words)]


def words_of(terms: Sequence[Term], *, apart: bool = False) -> tuple[Term, ...]:
    """Return the words of the terms; what was quoted, an address and an `identifier_so` stay.

    With `apart`, only the beginning of a word stays.
    """
    words: dict[tuple[str, bool], Term] = {}
    for term in terms:
        whole = term.is_open or (not apart and (" " in term.text or "@" in term.text))
        single = _LONE if apart else _SINGLE
        for text in [term.text] if whole else single.findall(term.text):
            words.setdefault((text.casefold(), term.is_open), Term(text, term.is_open))
    return tuple(words.values())[:MOST_TERMS]


def open_last(terms: Sequence[Term]) -> tuple[Term, ...] | None:
    """Return the terms with the last one open, as typed half-way; None where it is too short."""
    last = terms[-1]
    if last.is_open or len(last.text) < 3 or not last.text.isalnum():
        return None
    return (*terms[:-1], Term(last.text, is_open=True))


def snippet(terms: Sequence[Term], text: str, labelled: Sequence[tuple[str, str]]) -> str:
    """Return the passage in which most of the terms hit, at most 240 characters, on one line.

    `labelled` are shorter texts with a name each, shown by it where the text itself has no hit;
    where nothing hits, the beginning of the text.
    """
    pattern = _pattern(terms)
    if pattern is None:
        return _cut(text, 0)
    text = text[:_SEARCHED_FOR_SNIPPET]
    hits = [(found.start(), found[0].lower()) for found in _some(pattern, text)]
    if hits:
        return _cut(text, _best_start(hits))
    for label, value in labelled:
        if pattern.search(value):
            return _cut(f"{label}: {' '.join(value.split())[:160]} · {text}", 0)
    return _cut(text, 0)


def _some(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    return [found for found, _ in zip(pattern.finditer(text), range(_MOST_HITS), strict=False)]


def _pattern(terms: Sequence[Term]) -> re.Pattern[str] | None:
    """Return what finds the terms' words, in other endings too, as the index's stemmer does."""
    stems = {stem for term in terms for word in _WORD.findall(term.text) if (stem := _stem(word))}
    stems |= {term.text for term in terms if UNSPACED.fullmatch(term.text)}
    if not stems:
        return None
    ordered = sorted(stems, key=len, reverse=True)
    spaced = [re.escape(stem) for stem in ordered if not UNSPACED.fullmatch(stem)]
    unspaced = [re.escape(stem) for stem in ordered if UNSPACED.fullmatch(stem)]
    found = [rf"(?<![^\W_])(?:{'|'.join(spaced)})[^\W_]*"] if spaced else []
    return re.compile("|".join([*found, *unspaced]), re.IGNORECASE)


def _stem(word: str) -> str:
    stem = _ENDINGS.sub("", word.lower())
    return stem if len(stem) >= 3 else word


def _best_start(hits: Sequence[tuple[int, str]]) -> int:
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
