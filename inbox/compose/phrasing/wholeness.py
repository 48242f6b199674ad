"""Whether words of a goal are what a sentence of the message wants of them; pure.

The words of each language are those of its section `own_words`.
"""

from functools import cache

import regex

from inbox.compose.phrasing.speech import is_statement, without_relative
from inbox.languages import ENGLISH, any_of, language, lazy_regex

_FLAGS = regex.IGNORECASE


@cache
def _tells(code: str) -> regex.Pattern[str] | None:
    known = language(code)
    return regex.compile(known.own_words.tells, _FLAGS) if known and known.own_words.tells else None


@cache
def _particles(code: str) -> regex.Pattern[str] | None:
    known = language(code)
    if known is None or not known.own_words.particles:
        return None
    return regex.compile(rf"(?:{known.own_words.particles})(?!\p{{L}})", _FLAGS)


@cache
def _strays(code: str) -> regex.Pattern[str] | None:
    known = language(code)
    if known is None or not known.own_words.joints:
        return None
    joints, goes_on = known.own_words.joints, known.own_words.goes_on
    return regex.compile(
        rf"(?:,|(?<!\p{{L}})(?:{joints}))\s(?!(?:{goes_on})(?!\p{{L}})|\d)", _FLAGS
    )


# "Claire pour son message": a name that nobody took for the reader's.
_FOR_WHAT = lazy_regex(lambda: rf"\p{{Lu}}\p{{L}}+ {any_of(lambda it: it.talk.for_what)}\s")
# What goes wrong where words are put together: "your the", "we cannot and why", "Back that we …".
_BROKEN = lazy_regex(
    r"\b(?:an?|the|your|our|my) (?:that|to|and|for|of|in|is|are|was|the|an?|your|our|my|his|her|"
    r"their|but|or)\b"
    r"|\b(?:for|of|with|about|to|on) (?:for|of|and|that we|is|are|was|"
    r"(?<!\b(?:love|like|glad|happy|want|wish|hope|able|need) to )but)\b"
    r"|\b(?:and|or|but) (?:why|how|when|where|what|who|so|not|that)\W*$"
    r"|\b(?:and|or|but|the|an?|your|our|my|because|if|that)\W*$"
    r"|\b(?!that|had|so|very)(\p{L}{2,}) \1\b"
    r"|^(?:back|again|up|out|off|over|and|but|or|that|not|also|too|with|as well|on to|him|her|them|"
    r"us|me)\b",
    _FLAGS,
)
_AND_TO = lazy_regex(r"\b(?:and|or|but|then)(?: (?:also|please|then))? to\s\p{Ll}", _FLAGS)
_BEFORE_TO = lazy_regex(r"\bto\s\p{Ll}", _FLAGS)


def begins_with_particle(text: str, code: str) -> bool:
    """Return True if the words begin with a preposition or an adverb, or name nothing at all."""
    particles = _particles(code)
    return particles is not None and particles.match(text) is not None


def is_name(text: str, code: str) -> bool:
    """Return True if the words name a thing, and do not tell something."""
    tells = _tells(code)
    if not text or tells is None or _FOR_WHAT.match(text) or tells.search(text):
        return False
    return code != ENGLISH or not is_statement(without_relative(text))


def goes_astray(clause: str, code: str) -> bool:
    """Return True if a clause goes on with what may be another instruction, as "y dale" is one."""
    strays = _strays(code)
    return strays is not None and strays.search(clause) is not None


def is_whole(sentence: str, code: str) -> bool:
    """Return True unless the sentence shows that its words do not belong together."""
    if code != ENGLISH:
        return True
    if _BROKEN.search(sentence):
        return False
    # "It arrived and to send it back": of what is "to send" one more?
    other = _AND_TO.search(sentence)
    return other is None or _BEFORE_TO.search(sentence[: other.start()]) is not None
