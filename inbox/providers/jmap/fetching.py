"""The bytes of messages by JMAP: where they are by one call, and then each by a download."""

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


def fetch_messages(api: JmapApi, ids: Sequence[str]) -> Iterator[MailItem]:
    """Yield the messages that are still there, in their order; raises StoreError."""
    try:
        answers = api.call(("Email/get", {"ids": list(ids), "properties": _ASKED}, "0"))
    except MethodError as error:
        raise error.as_store_error() from error
    there = {str(one["id"]): one for one in objects.listed(answers["0"])}
    wanted = [there[one] for one in ids if one in there]
    yield from in_order(partial(_download, api), wanted)


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
