"""Web addresses; pure."""

from datetime import date
from urllib.parse import urlsplit

import regex

from agents.evidence.claims.distance import slips
from agents.evidence.claims.records import Reader, Value
from inbox.extract.readers.contacts import find_emails, find_urls

_SURE = 0.9
_DIGITS = regex.compile(r"\d+")


def read_links(text: str, _: date, __: str) -> list[Value]:
    """Return the web addresses in a text, without scheme and `www.`; a bare host needs a path."""
    emails = [(it.start, it.end) for it in find_emails(text)]
    return [
        Value(_plain(it.text), it.start, it.end, is_sure=False) for it in find_urls(text)
        if (it.sure > _SURE or "/" in it.text)
        and not any(start < it.end and it.start < end for start, end in emails)
    ]  # fmt: skip


def _plain(url: str) -> str:
    try:
        parts = urlsplit(url if "://" in url else f"https://{url}")
    except ValueError:
        return url
    host = parts.netloc.lower().removeprefix("www.")
    path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    return host + path.rstrip("/")


def near_link(claim: Value, other: Value) -> float:
    """Return how near two web addresses are: a slip or two in one that is otherwise the same."""
    one, two = str(claim.key), str(other.key)
    # Pages of one site are told apart by their numbers.
    is_other_page = _DIGITS.sub("", one) == _DIGITS.sub("", two) and _digits(one) != _digits(two)
    return 0.9 if slips(one, two) <= 2 and not is_other_page else 0.0


def _digits(url: str) -> list[str]:
    return sorted(filter(str.isdigit, url))


LINKS = Reader("link", read_links, near_link, tells_nowhere=False, may_be_open=True)
