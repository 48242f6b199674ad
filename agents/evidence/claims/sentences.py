"""The sentence that a place of a text is in, and the words around it; pure."""

import regex

_WORD = regex.compile(r"\p{L}{4,}")
_BEFORE, _BEHIND = 60, 40
_STEM = 6
_END = regex.compile(r"(?<=[.!?])\s|[。！？؟\n]")


def sentence_around(text: str, start: int, end: int) -> str:
    """Return the sentence that holds characters `start` to `end`, with the mark that ends it."""
    first = max((it.end() for it in _END.finditer(text, 0, start)), default=0)
    last = _END.search(text, end)
    return text[first : last.start() + 1 if last else len(text)]


def words_around(text: str, start: int, end: int) -> set[str]:
    """Return the words around a place of a text, by their beginnings."""
    around = f"{text[max(0, start - _BEFORE) : start]} {text[end : end + _BEHIND]}"
    return {word.casefold()[:_STEM] for word in _WORD.findall(around)}
