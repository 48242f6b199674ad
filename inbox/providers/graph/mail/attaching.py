"""Attachments of a draft: small ones by a request, large ones by an upload session in ranges.

https://learn.microsoft.com/graph/outlook-large-attachments: a session takes files up to 150 MB, in
ranges that follow one another, at an address that is open to whoever has it for a while.
"""

import base64
import re
from collections.abc import Sequence
from typing import Any, Final

from inbox.providers.graph.asking import GraphApi
from inbox.providers.graph.mail.parting import Attachment
from inbox.providers.graph.mail.states import message_path
from inbox.providers.http.json_values import text_of, texts_of
from inbox.providers.http.reading import Answer
from inbox.providers.http.session import read_fields, refused
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _

LARGEST: Final = 150 * 1024 * 1024
# From so many bytes on a file needs a session, and no smaller one may have one.
_BY_SESSION: Final = 3_000_000
# A range is a multiple of 320 KiB, and has less than 4 MB.
RANGE: Final = 10 * 320 * 1024
# So often in a row a range may fail before it is given up.
_TRIES: Final = 3
_NEXT = re.compile(r"(\d{1,12})(?:-\d{0,12})?")


def check_attachments(attachments: Sequence[Attachment]) -> None:
    """Raise StoreError (`permanent`) for a file that is larger than Graph takes."""
    for one in attachments:
        if len(one.content) > LARGEST:
            words = _(
                "The file %(name)s has %(size)s bytes; the server accepts at most %(most)s.",
                name=one.name[:100],
                size=len(one.content),
                most=LARGEST,
            )
            raise StoreError("permanent", words)


def attach(api: GraphApi, draft: str, one: Attachment) -> None:
    """Put a file to a draft; raises StoreError, and the draft is to go then."""
    path = f"{message_path(draft)}/attachments"
    if len(one.content) < _BY_SESSION:
        fields = {
            "@odata.type": "#microsoft.graph.fileAttachment", **_described(one),
            "contentBytes": base64.b64encode(one.content).decode(),
        }  # fmt: skip
        read_fields(api.ask("POST", path, fields))
        return
    item = {"attachmentType": "file", "size": len(one.content), **_described(one)}
    session = read_fields(api.ask("POST", f"{path}/createUploadSession", {"AttachmentItem": item}))
    _Upload(api, text_of(session, "uploadUrl"), one.content).run()


def _described(one: Attachment) -> dict[str, Any]:
    found: dict[str, Any] = {"name": one.name, "contentType": one.content_type}
    if one.is_inline:
        found["isInline"] = True
    if one.content_id:
        found["contentId"] = one.content_id
    return found


class _Upload:
    """A content on its way; where a range fails, the server says from where to go on."""

    def __init__(self, api: GraphApi, url: str, content: bytes) -> None:
        self._api, self._url, self._content = api, url, content
        self._at = self._furthest = self._idle = 0

    def run(self) -> None:
        """Put all of it; raises StoreError."""
        while (answer := self._put()) is None or answer.status != 201:
            if answer is None or answer.status == 416 or answer.status >= 500:
                answer = self._api.ask_open("GET", self._url)
            if not answer.is_good:
                raise _over(answer)
            self._go_on(answer)
        if self._at + RANGE < len(self._content):
            raise _cut_off()

    def _put(self) -> Answer | None:
        """Return the answer to the next range; None where the connection broke."""
        piece = self._content[self._at : self._at + RANGE]
        span = f"bytes {self._at}-{self._at + len(piece) - 1}/{len(self._content)}"
        try:
            return self._api.ask_open("PUT", self._url, piece, {"Content-Range": span})
        except StoreError as error:
            if error.kind != "transient":
                raise
            return None

    def _go_on(self, answer: Answer) -> None:
        """Go on from where the server expects it; raises StoreError where it gets nowhere."""
        expected = texts_of(read_fields(answer), "nextExpectedRanges")
        following = _NEXT.fullmatch(expected[0]) if expected else None
        self._at = int(following[1]) if following else len(self._content)
        self._idle = 0 if self._at > self._furthest else self._idle + 1
        self._furthest = max(self._furthest, self._at)
        if self._at >= len(self._content) or self._idle >= _TRIES:
            raise _cut_off()


def _over(answer: Answer) -> StoreError:
    """Return that an address takes no more, which says nothing of the credential."""
    found = refused(answer)
    if found.kind not in ("login", "gone"):
        return found
    return _cut_off(found.reply)


def _cut_off(reply: str = "") -> StoreError:
    return StoreError("transient", _("The server did not take the message whole."), reply)
