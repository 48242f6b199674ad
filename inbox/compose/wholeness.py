"""Whether words of a goal are what a sentence of the letter wants of them; pure.

The words of each language are those of `own_words.yaml`.
"""

import regex

from inbox.compose.speech import is_statement, without_relative
from inbox.compose.words import load_words, one_of

_FLAGS = regex.IGNORECASE
_WORDS = load_words("own_words")
_TELLS = {it: regex.compile(one_of(words["tells"]), _FLAGS) for it, words in _WORDS.items()}
_PARTICLES = {
    it: regex.compile(rf"{one_of(words['particles'])}(?!\p{{L}})", _FLAGS)
    for it, words in _WORDS.items()
}
_STRAYS = {
    it: regex.compile(
        rf"(?:,|(?<!\p{{L}}){one_of(words['joints'])})\s(?!{one_of(words['goes_on'])}(?!\p{{L}})|\d)",
        _FLAGS,
    )
    for it, words in _WORDS.items()
    if "joints" in words
}
# "Claire pour son message": a name that nobody took for the reader's.
_FOR_WHAT = regex.compile(r"\p{Lu}\p{L}+ (?:for|für|pour|por)\s")
# What goes wrong where words are put together: "your the", "we cannot and why", "Back that we …".
_BROKEN = regex.compile(
    r"\b(?:an?|the|your|our|my) (?:that|to|and|for|of|in|is|are|was|the|an?|your|our|my|his|her|"
    r"their|but|or)\b"
    r"|\b(?:for|of|with|about|to|on) (?:for|of|but|and|that we|is|are|was)\b"
    r"|\b(?:and|or|but) (?:why|how|when|where|what|who|so|not|that)\W*$"
    r"|\b(?:and|or|but|the|an?|your|our|my|because|if|that)\W*$"
    r"|\b(?!that|had|so|very)(\p{L}{2,}) \1\b"
    r"|^(?:back|again|up|out|off|over|and|but|or|that|not|also|too|with|as well|on to|him|her|them|"
    r"us|me)\b",
    _FLAGS,
)
_AND_TO = regex.compile(r"\b(?:and|or|but|then)(?: (?:also|please|then))? to\s\p{Ll}", _FLAGS)
_BEFORE_TO = regex.compile(r"\bto\s\p{Ll}", _FLAGS)


def begins_with_particle(text: str, language: str) -> bool:
    """Return True if the words begin with a preposition or an adverb, or name nothing at all."""
    return language in _PARTICLES and _PARTICLES[language].match(text) is not None


def is_name(text: str, language: str) -> bool:
    """Return True if the words name a thing, and do not tell something."""
    if not text or language not in _TELLS or _FOR_WHAT.match(text) or _TELLS[language].search(text):
        return False
    return language != "en" or not is_statement(without_relative(text))


def goes_astray(clause: str, language: str) -> bool:
    """Return True if a clause goes on with what may be another instruction, as "y dale" is one."""
    return language in _STRAYS and _STRAYS[language].search(clause) is not None


def is_whole(sentence: str, language: str) -> bool:
    """Return True unless the sentence shows that its words do not belong together."""
    if language != "en":
        return True
    if _BROKEN.search(sentence):
        return False
    # "It arrived and to send it back": of what is "to send" one more?
    other = _AND_TO.search(sentence)
    return other is None or _BEFORE_TO.search(sentence[: other.start()]) is not None
