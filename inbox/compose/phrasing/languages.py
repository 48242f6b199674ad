"""Whether words are in the language of the message that is to hold them; pure."""

from functools import cache

import regex

from inbox.extract.readers.calendar_words import weekdays
from inbox.languages import ENGLISH, language, languages, lazy_regex, words_of


@cache
def _words() -> dict[str, frozenset[str]]:
    """Return the short words of each language that hardly any other has."""
    found = {it.code: it.compose.short_words.split() for it in languages()}
    return {code: frozenset(words) for code, words in found.items() if words}


@cache
def _english_too() -> frozenset[str]:
    return _words()[ENGLISH] | words_of(lambda it: it.compose.shared_words)


_WORD = lazy_regex(r"[\p{Latin}\p{M}]+(?:['’]\p{Latin}+)?")
_OTHER_SCRIPT = lazy_regex(r"[\p{L}--\p{Latin}]", regex.VERSION1)
_QUOTED = lazy_regex(r"[“\"„«][^“”\"„«»]*[”\"“»]")


def is_written_in(text: str, code: str) -> bool:
    """Return True if the words speak for the language more than against it.

    A few words that speak for none are taken for it; English bears no word of another.
    """
    known = language(code)
    script = known.compose.script if known else ""
    if script:
        return regex.search(script, text) is not None
    bare = _QUOTED.sub(" ", text)
    if _OTHER_SCRIPT.search(bare):
        return False
    words = [
        word for word in _WORD.findall(bare) if word == word.lower() or word.lower() in weekdays()
    ]
    low = [word.lower() for word in words]
    if code == ENGLISH:
        return not any(_is_foreign(word) for word in low)
    also = known.compose.english_too.split() if known else ()
    low = [word for word in low if word not in also]
    own = sum(word in _words().get(code, ()) for word in low)
    if not own:
        return not any(word in words for words in _words().values() for word in low)
    return own > sum(word in _english_too() - _words()[code] for word in low)


def guess_language(text: str) -> str:
    """Return the language of a short text by its short words; "und" where it is not English.

    The answer is "" where nothing speaks for a language or against English.
    """
    words = [word.lower() for word in _WORD.findall(text[:3000])]
    counts = {code: sum(word in own for word in words) for code, own in _words().items()}
    counts[ENGLISH] += sum(
        word in {"thanks", "hi", "hello", "ok", "dear", "regards"} for word in words
    )
    first, second = sorted(counts, key=lambda it: -counts[it])[:2]
    if counts[first] >= 2 and counts[first] > counts[second]:
        return first
    return "und" if len(words) >= 4 and not counts[ENGLISH] else ""


@cache
def _foreign_days() -> frozenset[str]:
    english = language(ENGLISH)
    own = " ".join(english.calendar.weekdays).split() if english else ()
    return frozenset(weekdays()) - frozenset(own)


def _is_foreign(word: str) -> bool:
    """Return True if the word is one of another language and none of English."""
    if word in _foreign_days():
        return True
    return word not in _english_too() and any(word in words for words in _words().values())
