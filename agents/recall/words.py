"""The words of a memory and of a question about one: without case, diacritics and endings."""

import re
import unicodedata
from functools import cache, lru_cache

from inbox import languages
from inbox.rfc5322.text.unspaced import UNSPACED, bigrams

LONGEST_WORD = 40
# By so many of its first and last letters a word is looked up in the vocabulary.
HEAD = 3
_MARKS = re.compile("[\u0300-\u036f]")
_WORD = re.compile(r"[^\W_]+")
# Endings of English that change little of the meaning, longest first, and what takes their place.
_ENDINGS = (
    ("ization", "ize"), ("isation", "ise"), ("ations", "ate"), ("ation", "ate"), ("ments", ""),
    ("ment", ""), ("nesses", ""), ("ness", ""), ("ences", ""), ("ence", ""), ("ances", ""),
    ("ance", ""), ("ingly", ""), ("ings", ""), ("ing", ""), ("edly", ""), ("ied", "y"),
    ("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("zes", "z"),
    ("ed", ""), ("ly", ""), ("ss", "ss"), ("us", "us"), ("is", "is"), ("ics", ""), ("ic", ""),
    ("s", ""),
)  # fmt: skip
_SHORTEST_STEM = 3
_VOWELS = frozenset("aeiouy")
_SPELLED = re.compile("ae|oe|ue")
_DOUBLED = re.compile(r"([bdfgmnprt])\1$")


def words_of(text: str) -> list[str]:
    """Return the stems of a text's words in order, and the pairs of unspaced scripts."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = unicodedata.normalize("NFC", _MARKS.sub("", plain))
    pairs = bigrams(plain)
    rest = UNSPACED.sub(" ", plain) if pairs else plain
    words = (stem(word[:LONGEST_WORD]) for word in _WORD.findall(rest))
    return [*(word for word in words if len(word) > 1 or word.isdigit()), *pairs]


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return a word without its ending: `preferred` → `prefer`, `allergies` → `allerg`."""
    if len(word) <= _SHORTEST_STEM or not word.isascii() or not word.isalpha():
        return word
    for ending, instead in _ENDINGS:
        if word.endswith(ending):
            kept = word[: -len(ending)] + instead
            word = _tidy(kept, cut=ending) if _is_stem(kept) else word
            break
    return word[:-1] if word[-1] in "eyi" and len(word) > _SHORTEST_STEM else word


def _is_stem(kept: str) -> bool:
    return len(kept) >= _SHORTEST_STEM and not _VOWELS.isdisjoint(kept)


def _tidy(kept: str, *, cut: str) -> str:
    """Undo the doubling before -ed and -ing; cut a second ending, as in `bookings`, `planned`."""
    if cut in {"ed", "ing", "ings", "ence", "ences"}:
        return _DOUBLED.sub(r"\1", kept)
    return stem(kept) if cut in {"s", "ly"} else kept


def spellings(word: str) -> list[str]:
    """Return a stem without its umlauts spelled out: what is typed `mueller` is read `muller`."""
    short = _SPELLED.sub(lambda found: found[0][0], word)
    return [stem(short)] if short != word and len(short) > _SHORTEST_STEM else []


def says_little(word: str) -> bool:
    """Return True if a stem says little of what a text is about, as `what` or `have` do."""
    return word in _say_little()


@cache
def _say_little() -> frozenset[str]:
    little = languages.words_of(lambda it: it.recall.little_words)
    return little | frozenset(words_of(" ".join(little)))


def likeness(one: str, other: str) -> float:
    """Return how alike two words are spelled, from 0 to 1: the pairs of letters they share."""
    mine, theirs = _pairs(one), _pairs(other)
    return 2 * len(mine & theirs) / (len(mine) + len(theirs))


@lru_cache(maxsize=65536)
def _pairs(word: str) -> frozenset[str]:
    framed = f"^{word}$"
    return frozenset(framed[place : place + 2] for place in range(len(framed) - 1))


def index_word(word: str) -> str:
    """Return a stem as the index has it: letters and digits of ASCII, so that nobody splits it."""
    return f"w{word}" if word.isascii() else f"x{word.encode().hex()}"


def index_text(agent_id: int, words: list[str]) -> str:
    """Return what is indexed of a memory: the agent's number as a word, then each stem once."""
    return " ".join([owner_word(agent_id), *map(index_word, dict.fromkeys(words))])


def owner_word(agent_id: int) -> str:
    """Return the word by which an agent's memories are told from those of others."""
    return f"a{agent_id}"
