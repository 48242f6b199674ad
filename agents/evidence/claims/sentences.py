"""The sentence that a place of a text is in; pure."""

import regex

_END = regex.compile(r"(?<=[.!?])\s|[。！？؟\n]")


def sentence_around(text: str, start: int, end: int) -> str:
    """Return the sentence that holds characters `start` to `end`, with the mark that ends it."""
    first = max((it.end() for it in _END.finditer(text, 0, start)), default=0)
    last = _END.search(text, end)
    return text[first : last.start() + 1 if last else len(text)]
