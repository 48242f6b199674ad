"""The forms of a word under which a search finds it: without marks, spelled out, by its stem.

The index itself knows English alone. What it lacks of a text in another language stands beside the
text as words of their own (`extra_words`), and a word that is looked for is looked for in its other
forms as well (`forms_of`). Both are the same for every database.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache

import snowballstemmer

from inbox.languages import languages
from inbox.rfc5322.text.folds import folded, spelled_out

# Before each stem, so that none is taken for a word.
STEM_MARK = "zz"
_WORD = re.compile(r"[^\W\d_]{3,40}")
_SAMPLE = 20_000
_MOST_EXTRA = 3_000
# A compound has two parts of so many letters at least, with a joint between them perhaps.
_SHORTEST_PART, _LONGEST_PART = 4, 14
_VOWEL = re.compile("[aeiouyäöü]")


def extra_words(text: str, language: str) -> list[str]:
    """Return what the index lacks of a text in a language (ISO 639-1, or ""), each word once."""
    stemmer = _stemmers().get(language)
    if stemmer is None and text.isascii():
        return []
    extra: dict[str, None] = {}
    text = text[:_SAMPLE].lower()
    if stemmer is None:
        # Words of ASCII have no other forms then.
        text = " ".join(part for part in text.split() if not part.isascii())
    for word in dict.fromkeys(_WORD.findall(text)):
        if not word.isascii():
            others = (folded(word), spelled_out(word))
            extra.update((other, None) for other in others if other != word)
        if stemmer is not None:
            stems = [_stem(stemmer, part) for part in (word, *_parts(word, language))]
            extra.update((f"{STEM_MARK}{stem}", None) for stem in stems)
        if len(extra) > _MOST_EXTRA:
            break
    return list(extra)


def forms_of(word: str) -> tuple[str, ...]:
    """Return the other forms in which a word that somebody typed is looked for."""
    if not _WORD.fullmatch(word):
        return ()
    lower = word.lower()
    forms = [] if word.isascii() else [folded(word), spelled_out(word)]
    forms += [f"{STEM_MARK}{_stem(stemmer, lower)}" for stemmer in _stemmers().values()]
    return tuple(form for form in dict.fromkeys(forms) if form != lower)


def stem_of(word: str, language: str) -> str:
    """Return the stem of a word in a language (ISO 639-1), folded; "" where none is looked for."""
    stemmer = _stemmers().get(language)
    return _stem(stemmer, word.lower()) if stemmer and _WORD.fullmatch(word) else ""


def stemmed_languages() -> tuple[str, ...]:
    """Return the codes of the languages that have stems of their own here."""
    return tuple(_stemmers())


@cache
def compound_languages() -> tuple[str, ...]:
    """Return the codes of the languages of which compounds are taken apart."""
    return tuple(it.code for it in languages() if it.search.parts and it.search.stemmer)


def stem_in(word: str, language: str) -> str:
    """Return the stem of a word in a language, folded; in English where that has no stemmer."""
    return _stem(_stemmers().get(language, "english"), word.lower())


def parts_of(word: str, language: str) -> tuple[str, ...]:
    """Return the parts of a compound, as "rechnung" and "nummer"; none where it is none."""
    return tuple(_parts(word.lower(), language))


@cache
def _stemmers() -> dict[str, str]:
    """Return the Snowball algorithm of each language that has one; the index has English."""
    return {it.code: it.search.stemmer for it in languages() if it.search.stemmer}


@cache
def _algorithm(name: str) -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer(name)


@cache
def _endings() -> dict[str, dict[str, str]]:
    """Return by Snowball algorithm the endings that are replaced before it."""
    return {it.search.stemmer: it.search.endings for it in languages() if it.search.endings}


@lru_cache(maxsize=65536)
def _stem(stemmer: str, word: str) -> str:
    for ending, instead in _endings().get(stemmer, {}).items():
        if word.endswith(ending):
            word = word.removesuffix(ending) + instead
    return folded(str(_algorithm(stemmer).stemWord(word)))


def _parts(word: str, language: str) -> Iterator[str]:
    """Yield the parts of a compound of which one is a word that many compounds have."""
    known, joints = _known_parts(language)
    if not known or len(word) < 2 * _SHORTEST_PART:
        return
    for size in range(_SHORTEST_PART, min(_LONGEST_PART, len(word) - _SHORTEST_PART) + 1):
        head, tail = word[:size], word[size:]
        if head in known and _is_part(rest := _without(joints, tail, at_end=False)):
            yield from (head, rest)
        head, tail = word[:-size], word[-size:]
        if tail in known and _is_part(rest := _without(joints, head, at_end=True)):
            yield from (rest, tail)


def _without(joints: tuple[str, ...], text: str, *, at_end: bool) -> str:
    for joint in joints:
        cut = text.removesuffix(joint) if at_end else text.removeprefix(joint)
        if cut != text and len(cut) >= _SHORTEST_PART:
            return cut
    return text


def _is_part(text: str) -> bool:
    return len(text) >= _SHORTEST_PART and _VOWEL.search(text) is not None


@cache
def _known_parts(language: str) -> tuple[frozenset[str], tuple[str, ...]]:
    own = next((it.search for it in languages() if it.code == language), None)
    if own is None:
        return frozenset(), ()
    return frozenset(own.parts.split()), tuple(own.joints.split())
