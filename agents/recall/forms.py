"""Other forms of a word that memories have, each by the stems of the language that it is in.

The index has English stems alone. So the words of a memory in another language are kept whole in
the agent's vocabulary as well, as `de:rechnungen`, or `:rechnungen` where the language of so short
a text cannot be told. What is looked for is compared with those that begin or end alike.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

import regex
from django.db.models import Q, QuerySet

from agents.models import MemoryWord
from agents.recall.words import HEAD, LONGEST_WORD, words_of
from inbox.rfc5322.text.folds import folded
from inbox.rfc5322.text.language import detect_language
from inbox.rfc5322.text.word_forms import compound_languages, parts_of, stem_of, stemmed_languages

# How much another form counts for, and a compound of which it is a part.
_FORM, _PART = 0.95, 0.8
_LONGEST_CODE = 3
# So many words of a vocabulary are looked at.
MOST_ENTRIES = 2000
_WORD = regex.compile(r"[^\W\d_]{4,40}")
# In a language that is not known a shorter stem is another word elsewhere.
_SHORTEST_STEM, _SHORTEST_PART = 5, 4
# What may follow the last part of a compound, so that its end is looked for.
_ENDINGS = ("", "e", "en", "er", "ern", "es", "n", "s")


def whole_words(text: str) -> list[str]:
    """Return the words of a text that may have other forms: in lower case, whole, each once."""
    return list(dict.fromkeys(_WORD.findall(unicodedata.normalize("NFC", text).lower())))


def marked_words(text: str) -> list[str]:
    """Return the words of a text as its vocabulary has them whole; none of one in English."""
    language = detect_language(text)
    if language and language not in stemmed_languages():
        return []
    longest = LONGEST_WORD - _LONGEST_CODE
    return [f"{language}:{word}" for word in whole_words(text) if len(word) <= longest]


def ends_of(entry: str) -> tuple[str, str]:
    """Return how a word of the vocabulary begins and ends, without marks on its letters."""
    _, _, word = entry.rpartition(":")
    plain = folded(word)
    return plain[:HEAD], plain[-HEAD:]


def is_whole_word(entry: str) -> bool:
    """Return True if a word of the vocabulary is one that is kept whole, and no stem."""
    return ":" in entry


def may_be_forms(words: Iterable[str], language: str) -> Q:
    """Return the condition on the vocabulary of what may be another form of one of these words.

    What was saved without its whole words is taken for the question's language, if it has stems.
    """
    words = list(words)
    heads = {folded(word)[:HEAD] for word in words}
    tails = {tail for word in words for tail in _tails(word)}
    of_compounds = Q()
    for code in ("", *compound_languages()):
        of_compounds |= Q(word__startswith=f"{code}:")
    begins = Q(head__in=heads)
    if language not in stemmed_languages():
        begins &= Q(word__contains=":")
    return begins | (Q(tail__in=tails) & of_compounds)


def _tails(word: str) -> Iterator[str]:
    for code in compound_languages():
        stem = stem_of(word, code)
        if len(stem) >= _SHORTEST_PART:
            yield from ((stem + ending)[-HEAD:] for ending in _ENDINGS)


def find_forms(rows: QuerySet[MemoryWord], text: str) -> dict[str, dict[str, float]]:
    """Return for each stem of a text the stems of these rows that are other forms of it.

    Each with how much it counts for; one query.
    """
    language = detect_language(text)
    words = whole_words(text)
    near = rows.filter(may_be_forms(words, language)).order_by("word").distinct()
    entries = list(near.values_list("word", flat=True)[:MOST_ENTRIES])
    return forms_among(words, entries, language)


def forms_among(
    words: Sequence[str], entries: Sequence[str], language: str
) -> dict[str, dict[str, float]]:
    """Return for each stem of the whole words those of the entries that are other forms of it.

    Each with how much it counts for. `language` is that of the question, ISO 639-1 or "".
    """
    found: dict[str, dict[str, float]] = {}
    by_language = {code: _by_stem(words, code) for code in stemmed_languages()}
    beginnings = {_beginning(word) for word in words}
    for entry in entries:
        code, mark, whole = entry.rpartition(":")
        told = code or language
        for one in [told] if told else _possible(whole, beginnings) if mark else ():
            shortest = 1 if code else _SHORTEST_STEM
            for word, share in _asked(by_language.get(one, {}), whole, one, shortest):
                forms = found.setdefault(_stem(word), {})
                form = _stem(whole) if mark else whole
                forms[form] = max(forms.get(form, 0.0), share)
    return found


def _stem(whole: str) -> str:
    return next(iter(words_of(whole)), "")


def _beginning(word: str) -> str:
    return folded(word)[: HEAD + 1]


def _possible(whole: str, beginnings: Set[str]) -> Sequence[str]:
    """Return the languages in which a word may be a form of one that begins so."""
    return stemmed_languages() if _beginning(whole) in beginnings else compound_languages()


def _by_stem(words: Sequence[str], code: str) -> dict[str, list[str]]:
    stems: dict[str, list[str]] = {}
    for word in words:
        stems.setdefault(stem_of(word, code), []).append(word)
    return stems


def _asked(
    stems: Mapping[str, Sequence[str]], whole: str, code: str, shortest: int
) -> Iterator[tuple[str, float]]:
    """Yield the words that are asked about of which this is a form, or a compound."""
    stem = stem_of(whole, code)
    if len(stem) >= shortest:
        yield from ((word, _FORM) for word in stems.get(stem, ()))
    for part in parts_of(whole, code):
        yield from ((word, _PART) for word in stems.get(stem_of(part, code), ()))
