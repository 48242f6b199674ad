"""The words of a memory and of a question about one: without case, diacritics and endings."""

import re
import unicodedata
from functools import lru_cache

from inbox.rfc5322.text.search_words import UNSPACED, bigrams

LONGEST_WORD = 40
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
_DOUBLED = re.compile(r"([bdfgmnprt])\1$")

# Words that say little of what a text is about: in a question they do not count.
_LITTLE = (
    "a about above after again all also am an and any are as at be because been before being below"
    " between both but by can could did do does doing done down each few for from further get give"
    " had has have having he her here hers him his how i if in into is it its just know let like"
    " me more most my no nor not now of off on once only or other our out over own please same"
    " say says she should so some such tell than that the their them then there these they thing"
    " things this those through to too under until up us very was we were what when where which"
    " while who whom whose why will with would you your"
    " aber als am an auch auf aus bei das dem den der des die ein eine einen er es für hat ich ihr"
    " im in ist mit nicht oder sein sie sind und uns von war was wer wie wir zu zum"
    " au aux avec ce ces dans de des du elle en est et il je la le les leur lui mais ne nous on ou"
    " par pas pour que qui sa se ses son sur un une vous"
    " al como con de del el ella en es esta este la las lo los más no para pero por qué quién se su"
    " sus un una y"
)


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


def says_little(word: str) -> bool:
    """Return True if a stem says little of what a text is about, as `what` or `have` do."""
    return word in _SAY_LITTLE


_SAY_LITTLE = frozenset(words_of(_LITTLE)) | frozenset(_LITTLE.split())


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
