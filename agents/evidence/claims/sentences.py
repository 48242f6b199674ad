"""The sentence that a place of a text is in, and the words around it; pure."""

import regex

from inbox.extract.readers.calendar_words import months
from inbox.languages import any_of, lazy_regex

_WORD = regex.compile(r"\p{L}{4,}")
_BEFORE, _BEHIND = 60, 40
_STEM = 6
_END = regex.compile(r"(?<=[.!?])\s|[。！？؟\n]")
# A full stop of a shortened word or of a day ends nothing: "rev. B", "am 8. Dezember".
_SHORTENED = lazy_regex(
    lambda: rf"(?<!\p{{L}})(?:{any_of(lambda it: it.labels.abbreviations)})\.$", regex.IGNORECASE
)
_LONGEST_SHORTENED = 8
_DAY = lazy_regex(
    lambda: rf"(?<=(?<!\d)[0-3]?\d\.)\s(?:{'|'.join(map(regex.escape, months()))})(?!\p{{L}})",
    regex.IGNORECASE,
)


def sentence_around(text: str, start: int, end: int) -> str:
    """Return the sentence that holds characters `start` to `end`, with the mark that ends it."""
    first = 0
    for match in _END.finditer(text, 0, start):
        if ends_sentence(text, match.start()):
            first = match.end()
    for match in _END.finditer(text, end):
        if ends_sentence(text, match.start()):
            return text[first : match.start() + 1]
    return text[first:]


def ends_sentence(text: str, place: int) -> bool:
    """Return True if a sentence ends where a blank or a mark stands that may end one."""
    if text[place - 1 : place] != "." or text[place] == "\n":
        return True
    if text[place - 2 : place - 1].isdigit() and _DAY.match(text, place):
        return False
    return _SHORTENED.search(text[max(0, place - _LONGEST_SHORTENED) : place]) is None


def words_around(text: str, start: int, end: int) -> set[str]:
    """Return the words around a place of a text, by their beginnings."""
    around = f"{text[max(0, start - _BEFORE) : start]} {text[end : end + _BEHIND]}"
    return {word.casefold()[:_STEM] for word in _WORD.findall(around)}
