"""What goes over the wire: requests as they are sent, and answers as they are read."""

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, TypeVar

import httpx

from chancery_client.errors import read_error

AnswerT = TypeVar("AnswerT")


class Omitted(Enum):
    """The one value of what was left out; null may mean something else."""

    OMITTED = "omitted"


OMITTED = Omitted.OMITTED


@dataclass(frozen=True)
class Held(Generic[AnswerT]):
    """A call that a person decides on, at `review_url`.

    `answer` is what the call answered, where its contract has an answer for that: `queued`, and
    the id of the message.
    """

    approval_id: str
    review_url: str
    answer: AnswerT | None = None


@dataclass(frozen=True)
class Request:
    """A call of a tool, as it is sent; it may be sent again as it is."""

    path: str
    body: dict[str, Any]
    headers: dict[str, str]


def ask(tool: str, given: Mapping[str, Any], key: str | None = None) -> Request:
    """Return the request for a tool, or for an action of a service (`name.action`)."""
    name, _, action = tool.partition(".")
    body = {field: value for field, value in given.items() if value is not OMITTED}
    if action:
        body = {"action": action, **body}
    headers = {} if key is None else {"Idempotency-Key": key}
    return Request(f"/api/tools/{name}", body, headers)


def make_key() -> str:
    """Return a key for one call."""
    return uuid.uuid4().hex


def read_answer(tool: str, response: httpx.Response) -> Any:
    """Return what a call answered; raises ChanceryError."""
    body = _read_body(response)
    if response.status_code >= 400:
        raise read_error(body, response.status_code, response.headers.get("Retry-After"))
    return body["data"] if "." in tool else body


def read_proposal(tool: str, response: httpx.Response) -> Any:
    """Return what a call answered, or that it is held; raises ChanceryError."""
    approval = response.headers.get("Chancery-Approval")
    link = re.search(r'<([^>]*)>; rel="approval"', response.headers.get("Link", ""))
    if approval is None or link is None:
        return read_answer(tool, response)
    if response.status_code >= 400:
        return Held(approval, link[1])
    answer = read_answer(tool, response)
    has_left = isinstance(answer, dict) and answer.get("status") == "sent"
    return answer if has_left else Held(approval, link[1], answer)


def pause_before_retry(attempt: int, response: httpx.Response | None) -> float | None:
    """Return in how many seconds the same request is sent again; None where that is no use.

    The key of a call makes sure that it happens once, however often it is sent.
    """
    if response is not None and response.status_code not in {502, 503, 504}:
        return None
    if response is not None and "code" in (_read_body(response) or ()):
        return None
    return 0.25 * 2.0**attempt


def _read_body(response: httpx.Response) -> Any:
    try:
        return response.json()
    except ValueError:
        return None
