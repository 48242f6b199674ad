"""The bytes of messages by JMAP: where they are by one call, and then many at once.

Where the server gives several blobs in one answer (RFC 9404), messages come that way, but for large
ones; each other by a download.
"""

import binascii
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from inbox.providers.http.in_order import in_order
from inbox.providers.http.session import Asked, refused
from inbox.providers.jmap import objects
from inbox.providers.jmap.api import JmapApi, MethodError
from inbox.providers.mail_changes import MailItem
from inbox.providers.mail_store import LARGEST_MESSAGE, StoreError
from inbox.reasons import ReasonText, own
from inbox.reasons import phrase as _

_ASKED = ["blobId", "size", "receivedAt"]
_CONTENT = "data:asBase64"
# So many messages are in one answer, and so many bytes of them, at most.
_MOST_AT_ONCE, _MOST_BYTES = 50, 2 * 1024 * 1024
# So many answers are under way or wait to be read.
_AHEAD = 3


def fetch_messages(api: JmapApi, ids: Sequence[str]) -> Iterator[MailItem]:
    """Yield the messages that are still there, in their order; raises StoreError."""
    try:
        answers = api.call(("Email/get", {"ids": list(ids), "properties": _ASKED}, "0"))
    except MethodError as error:
        raise error.as_store_error() from error
    there = {str(one["id"]): one for one in objects.listed(answers["0"])}
    wanted = [there[one] for one in ids if one in there]
    if not api.resource.blobs:
        yield from in_order(partial(_download, api), wanted)
        return
    for items in in_order(partial(_together, api), list(_groups(wanted)), ahead=_AHEAD):
        yield from items


def _groups(wanted: Sequence[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    """Yield messages in groups that one answer has room for; what is large is by itself."""
    group: list[Mapping[str, Any]] = []
    total = 0
    for one in wanted:
        told = one.get("size")
        size = told if isinstance(told, int) and told > 0 else _MOST_BYTES
        if group and (total + size > _MOST_BYTES or len(group) == _MOST_AT_ONCE):
            yield group
            group, total = [], 0
        group.append(one)
        total += size
    if group:
        yield group


def _together(api: JmapApi, group: Sequence[Mapping[str, Any]]) -> list[MailItem]:
    """Return the messages of a group; what does not come whole with the others is downloaded."""
    given = _blobs(api, group) if len(group) > 1 else {}
    items = []
    for one in group:
        raw = given.get(str(one.get("blobId")), b"")
        if raw and len(raw) == one.get("size"):
            items.append(MailItem(str(one["id"]), raw, objects.moment(one.get("receivedAt"))))
        elif item := _download(api, one):
            items.append(item)
    return items


def _blobs(api: JmapApi, group: Sequence[Mapping[str, Any]]) -> dict[str, bytes]:
    """Return blobs by their ids, as far as one answer has them (RFC 9404 4.2)."""
    ids = [one["blobId"] for one in group if isinstance(one.get("blobId"), str) and one["blobId"]]
    try:
        answers = api.call(
            ("Blob/get", {"ids": list(dict.fromkeys(ids)), "properties": [_CONTENT]}, "0")
        )
    except MethodError:
        return {}
    except StoreError as error:
        if error.kind not in ("transient", "permanent"):
            raise
        # Which of them is at fault, only a download of each tells.
        return {}
    found = {}
    for one in objects.listed(answers["0"]):
        text = one.get(_CONTENT)
        if isinstance(text, str) and one.get("isTruncated") is not True:
            found[str(one["id"])] = _decoded(text)
    return found


def _decoded(text: str) -> bytes:
    """Return what base64 says; empty where it is none."""
    try:
        return binascii.a2b_base64(text, strict_mode=True)
    except (binascii.Error, ValueError):
        return b""


def _download(api: JmapApi, one: Mapping[str, Any]) -> MailItem | None:
    """Return a message; None where its bytes are not there any more."""
    key, received_at = str(one["id"]), objects.moment(one.get("receivedAt"))
    size, blob = one.get("size"), one.get("blobId")
    if isinstance(size, int) and size > LARGEST_MESSAGE:
        words = _("It has %(size)s bytes, which is too large.", size=size)
        return MailItem(key, b"", received_at, words)
    if not isinstance(blob, str) or not blob:
        return None
    url = api.resource.filled(
        api.resource.download_url, blobId=blob, name="message.eml", type="message/rfc822"
    )
    answer = api.http.ask(Asked("GET", url), LARGEST_MESSAGE)
    if answer.is_good:
        return _whole(key, answer.body, received_at, size)
    error = refused(answer)
    if error.kind == "gone":
        return None
    if error.kind == "permanent":
        return MailItem(key, b"", received_at, _not_given(error))
    raise error


def _whole(key: str, raw: bytes, received_at: Any, size: object) -> MailItem:
    if isinstance(size, int) and size and len(raw) < size:
        raise StoreError("transient", _("The server answered with less than the whole message."))
    return MailItem(key, raw, received_at)


def _not_given(error: StoreError) -> ReasonText:
    return _("The server does not provide it: %(why)s", why=own(error.reply[:300]))
