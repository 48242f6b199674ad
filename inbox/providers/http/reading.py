"""Answers, read in bounds: of bytes and of time, and as they travel."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from inbox.providers.http.json_values import read_json
from inbox.providers.mail_store import StoreError
from inbox.providers.web import GarbledAnswerError
from inbox.reasons import phrase as _

# Seconds in which an answer has to have come whole.
LONGEST_ANSWER = 300.0
# Bytes of an answer that only says how it went.
LONGEST_WORDS = 64 * 1024


class LongAnswerError(StoreError):
    """An answer is longer than may be read."""

    def __init__(self, host: str, longest: int) -> None:
        words = _(
            "The answer of %(host)s has more than %(longest)s bytes.",
            host=host,
            longest=f"{longest:,}",
        )
        super().__init__("permanent", words)


class UnreadableListError(StoreError):
    """A list is none, so that nobody knows what is in it: to go by it would be to lose things."""

    def __init__(self) -> None:
        super().__init__("transient", _("The server's list of what it has cannot be read."))


def entries_of(
    page: Mapping[str, Any], name: str, key: str = "", *, required: bool = False
) -> list[dict[str, Any]]:
    """Return the objects of a list of what is there; raises UnreadableListError.

    Each has its id under `key`, where that is given. Where it is not `required`, a list without
    anything may be left out, but then something else is said.
    """
    found = page.get(name, None if required else [])
    if not page or not isinstance(found, list):
        raise UnreadableListError
    for one in found:
        if not isinstance(one, dict) or (key and not (one.get(key) and isinstance(one[key], str))):
            raise UnreadableListError
    return found


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that was read whole; `url` is where it came from in the end."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes = b""

    @property
    def is_good(self) -> bool:
        """Return True if it did what was asked."""
        return 200 <= self.status < 300

    def fields(self) -> dict[str, Any]:
        """Return the JSON object that it holds; raises GarbledAnswerError where it holds none."""
        try:
            found = read_json(self.body)
        except ValueError as error:
            raise GarbledAnswerError("it is no JSON") from error
        if not isinstance(found, dict):
            raise GarbledAnswerError("it is no JSON object")
        return found


def pieces(answer: httpx.Response, longest: int) -> Iterator[bytes]:
    """Yield a body as it comes; raises LongAnswerError, and GarbledAnswerError for a packed one."""
    if answer.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        raise GarbledAnswerError("it is compressed, which was not asked for")
    end, size = time.monotonic() + LONGEST_ANSWER, 0
    for piece in answer.iter_raw():
        size += len(piece)
        if size > longest:
            raise LongAnswerError(answer.url.host, longest)
        if time.monotonic() > end:
            raise httpx.ReadTimeout("the answer does not end")
        yield piece


def read(answer: httpx.Response, longest: int) -> bytes:
    """Return the body of a success; of what is none only the beginning is kept."""
    if answer.is_success:
        return b"".join(pieces(answer, longest))
    return beginning(answer)


def beginning(answer: httpx.Response) -> bytes:
    """Return as much of a body as may be read of one that only says how it went."""
    body = b""
    for piece in answer.iter_raw():
        body += piece
        if len(body) >= LONGEST_WORDS:
            break
    return body[:LONGEST_WORDS]
