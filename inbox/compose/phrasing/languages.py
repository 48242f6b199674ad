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
    own_words, likely = _telling(code), _likely(code)
    own = sum(word in own_words or likely.fullmatch(word) is not None for word in low)
    others = _of_others([word for word in low if likely.fullmatch(word) is None], code)
    return own >= others if own else not others


def speaks_for(text: str, code: str) -> bool:
    """Return True if words of the text tell the language, and none other more so."""
    words = [word.lower() for word in _WORD.findall(text)]
    own = sum(word in _telling(code) for word in words)
    return own > 0 and own >= _of_others(words, code)


@cache
def _likely(code: str) -> regex.Pattern[str]:
    """Return the pattern of the verbs, articles and small words that a language has as well."""
    it = language(code)
    if it is None:
        return regex.compile("(?!)")
    parts = (it.own_words.states, it.own_words.subjects, it.talk.articles, it.talk.small_words)
    return regex.compile(rf"(?=..)(?:{'|'.join(filter(None, parts)) or '(?!)'})", regex.IGNORECASE)


@cache
def _telling(code: str) -> frozenset[str]:
    """Return the words that speak for a language: its short words, and its commonest ones."""
    known = language(code)
    return _words().get(code, frozenset()) | frozenset(
        known.detection.words.split() if known else ()
    )


def _of_others(words: list[str], code: str) -> int:
    """Return how many of the words are another language's, of that which has most of them."""
    rest = [word for word in words if word not in _telling(code)]
    return max(sum(word in _telling(other) for word in rest) for other in _words() if other != code)


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
def _address(code: str) -> tuple[regex.Pattern[str], regex.Pattern[str]] | None:
    """Return what addresses a reader informally in a language, and what formally; None if not."""
    known = language(code)
    if known is None or not known.reply.informal.asks:
        return None
    informal, formal = known.reply.informal.asks, known.reported.formal or known.reported.reader
    return (
        regex.compile(rf"(?<!\p{{L}})(?:{informal})(?!\p{{L}})", regex.IGNORECASE),
        regex.compile(rf"(?<![\p{{L}}-])(?:{formal})(?!\p{{L}})"),
    )


def is_informal(text: str, code: str) -> bool:
    """Return True if a mail addresses its reader as one does friends, and nowhere formally."""
    address = _address(code)
    if address is None:
        return False
    informal, formal = address
    return informal.search(text) is not None and formal.search(text) is None


def is_formal(text: str, code: str) -> bool:
    """Return True if a text addresses its reader formally, in a language that knows both."""
    address = _address(code)
    return address is not None and address[1].search(text) is not None


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
