"""Sending by JMAP: the sealed bytes are uploaded, imported, and submitted with their envelope.

The message first lies among the drafts, which is no sign of its having left, and the submission
moves it to the sent mail when the server has taken it (RFC 8621 7.5, `onSuccessUpdateEmail`).
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Literal

from inbox.providers.base import (
    Capabilities,
    Connection,
    ErrorKind,
    HandOver,
    Parcel,
    ProviderError,
    ProviderReceipt,
    check_parcel,
)
from inbox.providers.http.sending import (
    as_provider_error,
    check_size,
    kind_of,
    nothing_taken,
    opened,
    unanswered,
)
from inbox.providers.http.session import Asked, refused
from inbox.providers.jmap import objects
from inbox.providers.jmap.api import JmapApi, MethodError
from inbox.providers.jmap.changing import destroy_messages, make_mailbox, run_set
from inbox.providers.mail_store import StoreError
from inbox.reasons import own
from inbox.reasons import phrase as _

# Refusals of a submission that may not be one later.
_PASSING = frozenset({"rateLimit", "serverUnavailable", "serverFail"})
_LONGEST_ANSWER = 64 * 1024
_MOST_FOUND = 20


@dataclass(frozen=True, slots=True)
class _Placed:
    """A message that lies among the drafts, ready to be submitted."""

    email: str
    drafts: str
    sent: str
    identity: str


class JmapSender:
    """Sends through a JMAP server: to every recipient, or to none."""

    capabilities = Capabilities(idempotent=False, finds_sent=False)

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def submit(self, parcel: Parcel, hand_over: HandOver) -> ProviderReceipt:
        """Send exactly the parcel's bytes; until it is handed over nothing can have left."""
        check_parcel(parcel)
        with opened(JmapApi, self._connection) as api:
            with _nothing_taken():
                placed = _place(api, parcel)
            try:
                hand_over()
            except BaseException:
                _take_back(api, placed)
                raise
            try:
                return _submit(api, parcel, placed)
            except ProviderError as error:
                if error.kind != "unknown":
                    _take_back(api, placed)
                raise

    def find_sent(self, message_id: str) -> Literal[True] | None:
        """Look for it with the sent mail: there it was sent; elsewhere nobody can tell."""
        with opened(JmapApi, self._connection) as api, _nothing_taken():
            sent = _by_role(api).get("sent")
            return True if sent and _lies_in(api, sent, message_id) else None


@contextmanager
def _nothing_taken() -> Iterator[None]:
    with nothing_taken():
        try:
            yield
        except MethodError as error:
            raise error.as_store_error() from error


# -- ready to be submitted -------------------------------------------------------------------------
def _place(api: JmapApi, parcel: Parcel) -> _Placed:
    """Have the exact bytes lie among the drafts; raises StoreError."""
    if not api.resource.can_send:
        raise StoreError("permanent", _("The server does not send mail."))
    identity = _identity(api, parcel.envelope.sender)
    roles = _by_role(api)
    drafts = roles.get("drafts") or make_mailbox(api, "Drafts", "drafts")
    sent = roles.get("sent") or make_mailbox(api, "Sent", "sent")
    check_size(parcel, api.resource.largest_upload)
    blob = _upload(api, parcel.mime)
    email = {
        "blobId": blob, "mailboxIds": {drafts: True}, "keywords": {"$draft": True, "$seen": True}
    }  # fmt: skip
    answer = run_set(api, "Email/import", {"emails": {"new": email}})
    made = objects.created(answer, "new").get("id") or _existing(answer)
    if not objects.is_id(made):
        error = objects.refusals(answer, "notCreated").get("new")
        raise error or StoreError("transient", _("The server does not say what it made."))
    return _Placed(str(made), drafts, sent, identity)


def _existing(answer: Mapping[str, Any]) -> object:
    """Return the message that these bytes are already, as after a try that was cut off."""
    told = answer.get("notCreated")
    error = told.get("new") if isinstance(told, dict) else None
    return error.get("existingId") if isinstance(error, dict) else None


def _by_role(api: JmapApi) -> dict[str, str]:
    answer = api.call(("Mailbox/get", {"ids": None, "properties": ["name", "role"]}, "0"))["0"]
    return {it.role: it.id for it in objects.mailboxes(objects.listed(answer)) if it.role}


def _identity(api: JmapApi, sender: str) -> str:
    """Return the identity that may send as an address: its own, its domain's, or anybody's."""
    answer = api.call(("Identity/get", {"ids": None}, "0"))["0"]
    by_email = {
        str(one.get("email") or "").lower(): str(one["id"])
        for one in reversed(objects.listed(answer))
    }
    address = sender.lower()
    for email in (address, f"*@{address.rpartition('@')[2]}", ""):
        if email in by_email:
            return by_email[email]
    words = _("The server does not let this account send as %(address)s.", address=sender)
    raise StoreError("permanent", words)


def _upload(api: JmapApi, mime: bytes) -> str:
    """Upload bytes and return their blob (RFC 8620 6.1)."""
    url = api.resource.filled(api.resource.upload_url)
    headers = {"Content-Type": "message/rfc822", "Accept": "application/json"}
    fields = api.http.ask_json(Asked("POST", url, headers, mime), _LONGEST_ANSWER)
    blob, size = fields.get("blobId"), fields.get("size")
    if not isinstance(blob, str) or not blob or size != len(mime):
        raise StoreError("transient", _("The server did not take the message whole."))
    return blob


# -- handed over -----------------------------------------------------------------------------------
def _submit(api: JmapApi, parcel: Parcel, placed: _Placed) -> ProviderReceipt:
    """Submit; only a clear answer tells what became of the message."""
    envelope = {
        "mailFrom": {"email": parcel.envelope.sender, "parameters": None},
        "rcptTo": [{"email": one, "parameters": None} for one in parcel.envelope.recipients],
    }
    submission = {"identityId": placed.identity, "emailId": placed.email, "envelope": envelope}
    filed = {
        f"mailboxIds/{placed.drafts}": None, f"mailboxIds/{placed.sent}": True,
        "keywords/$draft": None,
    }  # fmt: skip
    arguments = {"create": {"new": submission}, "onSuccessUpdateEmail": {"#new": filed}}
    try:
        answer = api.ask(("EmailSubmission/set", arguments, "0"))
        if 400 <= answer.status < 500 and answer.status != 408:
            # A request that was refused as a whole was not run.
            raise as_provider_error(refused(answer))
        found = api.read(answer, ("EmailSubmission/set", arguments, "0"))["0"]
    except StoreError as error:
        raise ProviderError("unknown", unanswered(error), error.reply) from error
    if isinstance(found, MethodError):
        raise _method_refused(found)
    return _receipt(found)


def _method_refused(error: MethodError) -> ProviderError:
    """`serverPartialFail` may have done it; all others did nothing (RFC 8620 3.6.2)."""
    kind: ErrorKind = kind_of(error.as_store_error())
    if error.type == "serverPartialFail":
        kind = "unknown"
    return ProviderError(kind, error.as_store_error().words, str(error)[:1000])


def _receipt(answer: Mapping[str, Any]) -> ProviderReceipt:
    made = objects.created(answer, "new")
    if made:
        return ProviderReceipt(json.dumps(dict(made), ensure_ascii=False)[:1000])
    told = answer.get("notCreated")
    error = told.get("new") if isinstance(told, dict) else None
    if not isinstance(error, dict):
        raise ProviderError(
            "unknown", _("The server's answer was neither yes nor no:"), json.dumps(answer)[:1000]
        )
    kind = str(error.get("type", ""))[:100]
    words = _("The server refused the message (%(why)s):", why=own(kind or "?"))
    passing: ErrorKind = "transient" if kind in _PASSING else "permanent"
    raise ProviderError(passing, words, json.dumps(error, ensure_ascii=False)[:1000])


def _take_back(api: JmapApi, placed: _Placed) -> None:
    """Remove what was not sent; where that fails it stays among the drafts, as one."""
    with suppress(StoreError):
        destroy_messages(api, [placed.email])


def _lies_in(api: JmapApi, mailbox: str, message_id: str) -> bool:
    bare = message_id.strip("<> ")
    where = {"inMailbox": mailbox, "header": ["Message-ID", bare]}
    there = {"resultOf": "list", "name": "Email/query", "path": "/ids"}
    answers = api.call(
        ("Email/query", {"filter": where, "limit": _MOST_FOUND}, "list"),
        ("Email/get", {"#ids": there, "properties": ["messageId", "mailboxIds"]}, "mail"),
    )
    return any(
        bare in objects.texts(one.get("messageId")) for one in objects.listed(answers["mail"])
    )
