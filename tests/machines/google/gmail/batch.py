"""Calls that come many in one request, as parts of a multipart/mixed of application/http."""

from email import message_from_bytes
from email.message import Message
from http import HTTPStatus
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.machines.api_server import Call, Reply
from tests.machines.google.refusing import Refused

MOST = 100


def calls_in(call: Call) -> list[tuple[str, Call]]:
    """Return the calls of a batch, each with its Content-ID."""
    kind = call.headers.get("content-type", "")
    whole = message_from_bytes(f"Content-Type: {kind}\r\n\r\n".encode() + call.body)
    if call.method != "POST" or call.query or whole.get_content_type() != "multipart/mixed":
        raise Refused(400, "badRequest", "A batch is a POST of multipart/mixed")
    parts = whole.get_payload()
    if not isinstance(parts, list) or not 0 < len(parts) <= MOST:
        raise Refused(400, "badRequest", "The batch request has no parts, or too many")
    found = [_call(part, call) for part in parts]
    if len({key for key, _call in found}) != len(found):
        raise Refused(400, "badRequest", "Two parts have one Content-ID")
    return found


def _call(part: Message, outer: Call) -> tuple[str, Call]:
    if part.get_content_type() != "application/http" or not part.get("Content-ID"):
        raise Refused(400, "badRequest", "A part is no call, or has no Content-ID")
    head, _, body = str(part.get_payload()).replace("\r\n", "\n").partition("\n\n")
    first, *lines = head.split("\n")
    method, target, *_version = first.split(" ")
    if "://" in target or not target.startswith("/"):
        raise Refused(400, "badRequest", "A call in a batch has a path alone")
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in lines if line)
    }
    url = urlsplit(target)
    inner = Call(
        method, unquote(url.path), parse_qsl(url.query, keep_blank_values=True),
        {"authorization": outer.headers.get("authorization", ""), **headers},
        body.strip().encode(), url.path,
    )  # fmt: skip
    return str(part["Content-ID"]).strip("<> "), inner


def in_one(replies: list[tuple[str, Reply]]) -> Reply:
    """Return the answers as one."""
    boundary = "batch_of-answers"
    pieces = []
    for key, reply in replies:
        content = reply.content()
        more = "".join(f"{name}: {value}\r\n" for name, value in reply.headers.items())
        head = (
            f"--{boundary}\r\nContent-Type: application/http\r\n"
            f"Content-ID: <response-{key}>\r\n\r\n"
            f"HTTP/1.1 {reply.status} {HTTPStatus(reply.status).phrase}\r\n"
            f"Content-Type: application/json; charset=UTF-8\r\n{more}"
            f"Content-Length: {len(content)}\r\n\r\n"
        )
        pieces.append(head.encode() + content + b"\r\n")
    body = b"".join(pieces) + f"--{boundary}--\r\n".encode()
    return Reply(200, body, {"Content-Type": f"multipart/mixed; boundary={boundary}"})
