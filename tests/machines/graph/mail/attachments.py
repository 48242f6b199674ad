"""Attachments of drafts: put at once, or by upload sessions in ranges."""

import base64
import re
import secrets
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tests.machines.api_server import Call, Reply
from tests.machines.graph.checking import check_answer, check_body, refuse
from tests.machines.graph.mail.exchange import attached
from tests.machines.graph.mail.folders import mail_of
from tests.machines.graph.mail.kept import Letter
from tests.machines.graph.mailbox import Served, body_of
from tests.machines.graph.queries import read_query
from tests.machines.graph.times import stamp

LARGEST_REQUEST = 4 * 1024 * 1024
# What a session takes, and of what its ranges are multiples.
SMALLEST, LARGEST, UNIT = 3_000_000, 150 * 1024 * 1024, 320 * 1024
_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")


@dataclass
class Session:
    """An upload on its way: for which draft, until when, and what came so far."""

    letter: str
    item: dict[str, Any]
    until: datetime
    content: bytearray = field(default_factory=bytearray)

    def said(self) -> dict[str, Any]:
        return {
            "expirationDateTime": stamp(self.until), "nextExpectedRanges": [f"{len(self.content)}-"]
        }  # fmt: skip


def create_attachment(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    read_query(call, "message", set())
    if len(call.body) > LARGEST_REQUEST:
        raise refuse("The request is too large.", "RequestEntityTooLarge", 413)
    body, letter = dict(body_of(call)), _draft(served, id)
    if body.pop("@odata.type", "") != "#microsoft.graph.fileAttachment":
        raise refuse("an attachment says what it is", "ErrorInvalidRequest")
    check_body("fileAttachment", body)
    if not {"name", "contentBytes"} <= body.keys():
        raise refuse("an attachment has a name and its bytes", "ErrorInvalidRequest")
    content = base64.b64decode(body["contentBytes"], validate=True)
    _put(served, letter, body, content)
    found = {"name": body["name"], "size": len(content), "id": secrets.token_urlsafe(9)}
    check_answer("fileAttachment", found)
    return Reply(201, {"@odata.type": "#microsoft.graph.fileAttachment", **found})


def start_upload(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    read_query(call, "message", set())
    body, letter = body_of(call), _draft(served, id)
    if body.keys() != {"AttachmentItem"}:
        raise refuse("an upload says what comes", "RequestBodyRead")
    item = body["AttachmentItem"]
    check_body("attachmentItem", item)
    if item.get("attachmentType") != "file" or not item.get("name"):
        raise refuse("an upload is of a file that has a name", "ErrorInvalidRequest")
    if not SMALLEST <= item.get("size", 0) <= LARGEST:
        raise refuse("a session takes from 3 MB to 150 MB", "ErrorAttachmentSizeLimit")
    session = Session(letter.id, item, served.now() + mail_of(served).uploads_last)
    token = secrets.token_urlsafe(12)
    mail_of(served).tokens[token] = session
    answer = {"uploadUrl": f"{served.origin}/attach/{token}", **session.said()}
    check_answer("uploadSession", answer)
    return Reply(201, answer)


# -- without a credential --------------------------------------------------------------------------
def show_upload(served: Served, call: Call, token: str) -> Reply:
    return Reply(200, _session(served, call, token).said())


def cancel_upload(served: Served, call: Call, token: str) -> Reply:
    _session(served, call, token)
    del mail_of(served).tokens[token]
    return Reply(204)


def take_range(served: Served, call: Call, token: str) -> Reply:
    session = _session(served, call, token)
    said = _RANGE.fullmatch(call.headers.get("content-range", ""))
    if said is None or call.headers.get("content-type") != "application/octet-stream":
        raise refuse("a range says which it is", "ErrorInvalidRequest")
    first, last, whole = (int(number) for number in said.groups())
    is_last = last + 1 == whole
    if whole != session.item["size"] or last - first + 1 != len(call.body):
        raise refuse("the range is not what was said", "ErrorInvalidRequest")
    if len(call.body) >= LARGEST_REQUEST or (not is_last and len(call.body) % UNIT):
        raise refuse("a range is a multiple of 320 KiB below 4 MB", "ErrorInvalidRequest")
    if first != len(session.content):
        raise refuse("another range is expected", "ErrorInvalidRange", 416)
    session.content += call.body
    if not is_last:
        return Reply(200, session.said())
    mail = mail_of(served)
    del mail.tokens[token]
    _put(served, mail.letters[session.letter], session.item, bytes(session.content))
    return Reply(201, headers={"Location": f"{served.origin}/attachments/{token}"})


def _session(served: Served, call: Call, token: str) -> Session:
    """Return what a token opens; nothing that is over, or whose draft is gone or was sent."""
    if "authorization" in call.headers:
        raise refuse("no credential belongs here", "InvalidAudience", 401)
    mail = mail_of(served)
    session: Session = mail.tokens[token]
    letter = mail.letters.get(session.letter)
    if session.until <= served.now() or letter is None or not letter.is_draft:
        raise refuse("the upload is over", "ErrorItemNotFound", 404)
    return session


def _draft(served: Served, id: str) -> Letter:  # noqa: A002
    found = mail_of(served).letters.get(id)
    if found is None:
        raise refuse("The specified object was not found in the store.", "ErrorItemNotFound", 404)
    if not found.is_draft:
        raise refuse("only a draft gets attachments", "ErrorInvalidRequest")
    return found


def _put(served: Served, letter: Letter, said: dict[str, Any], content: bytes) -> None:
    kind = said.get("contentType") or "application/octet-stream"
    raw = attached(
        letter.raw, said["name"], kind, content, said.get("contentId", ""),
        is_inline=said.get("isInline", False),
    )  # fmt: skip
    mail_of(served).change(letter, raw=raw)
