"""Messages by their ids: their states, and their exact bytes, many with each request.

Many calls go in one request, as parts of a multipart/mixed of application/http
(https://developers.google.com/gmail/api/guides/batch).
"""

import base64
import binascii
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import Message
from functools import partial
from typing import Any

from inbox.providers.google.asking import GoogleApi, fields_of, is_too_much, refusal
from inbox.providers.google.gmail.labels import USER, state_of
from inbox.providers.http.addresses import part
from inbox.providers.http.failures import failures_of
from inbox.providers.http.in_order import in_order
from inbox.providers.http.json_values import text_of, texts_of
from inbox.providers.http.reading import Answer, LongAnswerError
from inbox.providers.http.session import Asked
from inbox.providers.mail_changes import MailItem, MailState
from inbox.providers.mail_store import LARGEST_MESSAGE, StoreError
from inbox.providers.web import GarbledAnswerError, host_of
from inbox.reasons import ReasonText, own
from inbox.reasons import phrase as _

_BATCH = "/batch/gmail/v1"
# Google asks for no more than fifty in one.
_MOST = 50
_LONGEST_HEAD = 16 * 1024
# So many bytes of mail come at once, as base64, with room for what stands around it.
_LONGEST = 48 * 1024 * 1024
_LONGEST_OF_ONE = LARGEST_MESSAGE // 3 * 4 + 1024 * 1024
# Of whole messages so many with a request, and so many requests ahead of who asks.
_WHOLE_AT_ONCE, _AHEAD = 25, 3
_GONE = frozenset({404, 410})


def states_of(api: GoogleApi, ids: Sequence[str]) -> dict[str, MailState]:
    """Return the states of the messages that are still there, in the order of `ids`."""
    found: dict[str, MailState] = {}
    for at in range(0, len(ids), _MOST):
        some = ids[at : at + _MOST]
        answers = _get_all(api, [_path(one, "minimal") for one in some], _LONGEST)
        for one, answer in zip(some, answers, strict=True):
            state = None if answer.status in _GONE else _state(answer)
            if state is not None:
                found[one] = state
    return found


def _state(answer: Answer) -> MailState | None:
    return state_of(texts_of(fields_of(answer), "labelIds"))


@dataclass(slots=True)
class _Came:
    """Messages that came, and why the first of those that did not is missing."""

    items: list[MailItem] = field(default_factory=list)
    error: StoreError | None = None


def fetch_messages(api: GoogleApi, ids: Sequence[str]) -> Iterator[MailItem]:
    """Yield the messages that are still there, in their order; raises StoreError.

    Where one of some that are asked for together does not come, the others do first.
    """
    groups = [ids[at : at + _WHOLE_AT_ONCE] for at in range(0, len(ids), _WHOLE_AT_ONCE)]
    for came in in_order(partial(_fetch, api), groups, ahead=_AHEAD):
        yield from came.items
        if came.error is not None:
            raise came.error


def _fetch(api: GoogleApi, ids: Sequence[str]) -> _Came:
    """Return some messages; by halves, where together they are too much for one answer."""
    longest = _LONGEST if len(ids) > 1 else _LONGEST_OF_ONE
    try:
        answers = _get_all(api, [_path(one, "raw") for one in ids], longest)
    except LongAnswerError:
        if len(ids) > 1:
            half = len(ids) // 2
            first, second = _fetch(api, ids[:half]), _fetch(api, ids[half:])
            return _Came([*first.items, *second.items], first.error or second.error)
        words = _("It has more than %(most)s bytes, which is too large.", most=LARGEST_MESSAGE)
        return _Came([MailItem(ids[0], b"", None, words)])
    came = _Came()
    for one, answer in zip(ids, answers, strict=True):
        if answer.status in _GONE:
            continue
        try:
            came.items.append(_item(one, answer))
        except StoreError as error:
            came.error = came.error or error
    return came


def _item(key: str, answer: Answer) -> MailItem:
    error = None if answer.is_good else refusal(answer)
    if error is not None:
        if error.kind != "permanent" or answer.status == 403:
            raise error
        return MailItem(key, b"", None, _not_given(error))
    with failures_of(host_of(answer.url)):
        found = fields_of(answer)
        return MailItem(key, _bytes(found), _moment(text_of(found, "internalDate")))


def _bytes(found: dict[str, Any]) -> bytes:
    text = text_of(found, "raw")
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise GarbledAnswerError("the message is no base64") from error
    if not raw:
        raise GarbledAnswerError("the message is empty")
    return raw


def _moment(milliseconds: str) -> datetime | None:
    if not milliseconds.isdecimal() or len(milliseconds) > 15:
        return None
    try:
        return datetime.fromtimestamp(int(milliseconds) / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _not_given(error: StoreError) -> ReasonText:
    return _("The server does not provide it: %(why)s", why=own(error.reply[:300]))


def _path(key: str, form: str) -> str:
    return f"{USER}/messages/{part(key)}?format={form}"


# -- many calls in one -----------------------------------------------------------------------------
def _get_all(api: GoogleApi, paths: Sequence[str], longest: int) -> list[Answer]:
    """Return the answer of each path, in order; raises as `_get_many` does.

    Of many at once Google puts some off, which are asked for again while others come.
    """
    answers = _get_many(api, paths, longest)
    asked = len(paths)
    while 0 < len(left := [at for at, it in enumerate(answers) if _is_put_off(it)]) < asked:
        asked = len(left)
        try:
            again = _get_many(api, [paths[at] for at in left], longest)
        except StoreError:
            break
        for at, answer in zip(left, again, strict=True):
            answers[at] = answer
    return answers


def _is_put_off(answer: Answer) -> bool:
    return answer.status >= 500 or is_too_much(answer)


def _get_many(api: GoogleApi, paths: Sequence[str], longest: int) -> list[Answer]:
    """Return the answer of each path, in order; raises StoreError where a part has none.

    `longest` is in bytes, of all of them; a longer one raises LongAnswerError.
    """
    boundary = f"part-{secrets.token_hex(12)}"
    pieces = [
        f"--{boundary}\r\nContent-Type: application/http\r\nContent-ID: <{number}>\r\n\r\n"
        f"GET {path} HTTP/1.1\r\nAccept: application/json\r\n\r\n"
        for number, path in enumerate(paths)
    ]
    body = "".join(pieces) + f"\r\n--{boundary}--\r\n"
    headers = {
        "Accept": "multipart/mixed", "Content-Type": f"multipart/mixed; boundary={boundary}"
    }  # fmt: skip
    answer = api.send(Asked("POST", api.url(_BATCH), headers, body.encode()), longest)
    if not answer.is_good:
        raise refusal(answer)
    try:
        found = _parts(answer)
    except (ValueError, GarbledAnswerError) as error:
        raise _unclear(answer, str(error)) from error
    missing = [number for number in range(len(paths)) if number not in found]
    if missing:
        raise _unclear(answer, f"no answer to part {missing[0]}")
    return [found[number] for number in range(len(paths))]


def _unclear(answer: Answer, said: str) -> StoreError:
    words = _(
        "%(host)s answers in a way we do not understand: %(said)s.",
        host=host_of(answer.url),
        said=said[:200],
    )
    return StoreError("transient", words)


def _parts(answer: Answer) -> dict[int, Answer]:
    """Return the answers by their numbers; raises ValueError for what is none."""
    boundary = _boundary(answer.headers.get("content-type", ""))
    pieces = (b"\r\n" + answer.body).split(b"\r\n--" + boundary)
    found: dict[int, Answer] = {}
    if not pieces[-1].startswith(b"--"):
        raise GarbledAnswerError("the batch does not end")
    for piece in pieces[1:-1]:
        outer, _blank, inner = piece.partition(b"\r\n\r\n")
        number = _header(outer).get("content-id", "").strip("<> ").rpartition("response-")[2]
        if not number.isdecimal() or len(number) > 6:
            raise GarbledAnswerError("a part has no number")
        found.setdefault(int(number), _answer(answer.url, inner))
    return found


def _answer(url: str, inner: bytes) -> Answer:
    head, _blank, body = inner.partition(b"\r\n\r\n")
    line, _end, rest = head.partition(b"\r\n")
    words = line.decode("ascii", "replace").split(" ")
    if len(words) < 2 or not words[0].startswith("HTTP/") or not words[1].isdecimal():
        raise GarbledAnswerError("a part is no answer")
    status = int(words[1][:3])
    return Answer(url, status, _header(rest), body.removesuffix(b"\r\n"))


def _header(head: bytes) -> Mapping[str, str]:
    lines = head[:_LONGEST_HEAD].decode("utf-8", "replace").split("\r\n")
    pairs = (line.partition(":") for line in lines if ":" in line)
    return {name.strip().lower(): value.strip() for name, _colon, value in pairs}


def _boundary(content_type: str) -> bytes:
    read = Message()
    read["Content-Type"] = content_type[:1000]
    boundary = read.get_boundary("")
    if (
        read.get_content_type() != "multipart/mixed"
        or not isinstance(boundary, str)
        or not boundary
    ):
        raise GarbledAnswerError("it is no batch of answers")
    return boundary.encode()
