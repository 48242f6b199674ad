"""The links in a text, and the hosts that they lead to."""

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

import regex

_LINK = regex.compile(r"(?<![\w@])(?:https?://|www\.)[^\s<>\"'“”»)\]]{3,2000}", regex.IGNORECASE)


class Link(NamedTuple):
    """A link as it is written, and its host in lower case; "" where it cannot be read."""

    words: str
    host: str


def find_links(text: str) -> Iterator[Link]:
    """Yield the links of a text, in order, without the marks of the sentence behind them."""
    for match in _LINK.finditer(text):
        words = match[0].rstrip(".,;:!?")
        yield Link(words, _host(words))


def _host(link: str) -> str:
    try:
        return (urlsplit(link if "://" in link else f"https://{link}").hostname or "").lower()
    except ValueError:
        return ""
