"""Sending by Graph: the sealed bytes make a draft, which gets its envelope and is then sent.

Of what is too large for one request the files follow by themselves. A draft lies among the drafts
and is no sign of its having left; its id stays when it is sent, and tells afterwards what became of
it. Exchange writes the message anew, so what arrives says the same and is not the same bytes:
accounts that can send by SMTP do that instead.
"""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from inbox.providers.base import (
    Capabilities,
    Connection,
    HandOver,
    Parcel,
    ProviderError,
    ProviderReceipt,
    check_parcel,
)
from inbox.providers.graph.answers import Json, etag
from inbox.providers.graph.asking import GraphApi, code_of, query
from inbox.providers.graph.mail.attaching import attach, check_attachments
from inbox.providers.graph.mail.parting import TakenApart, take_apart
from inbox.providers.graph.mail.states import FOLDERS, MESSAGES, message_path
from inbox.providers.http.failures import shown
from inbox.providers.http.json_values import object_of, objects_of, text_of
from inbox.providers.http.reading import Answer, entries_of
from inbox.providers.http.sending import (
    as_provider_error,
    check_size,
    nothing_taken,
    opened,
    unanswered,
)
from inbox.providers.http.session import read_fields, refused
from inbox.providers.mail_store import StoreError
from inbox.reasons import own
from inbox.reasons import phrase as _

# A request has 4 MB at most, and base64 makes four bytes of three.
_LARGEST = 3 * 1024 * 1024
_LISTED = ("toRecipients", "ccRecipients", "bccRecipients")
_MOST_FOUND = "20"


@dataclass(frozen=True, slots=True)
class _Found:
    """What bears a Message-ID: whether it was sent, and drafts that an earlier try left."""

    is_sent: bool
    drafts: tuple[str, ...]


class GraphSender:
    """Sends by Graph: to every recipient, or to none."""

    capabilities = Capabilities(idempotent=False, finds_sent=False)

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def submit(self, parcel: Parcel, hand_over: HandOver) -> ProviderReceipt:
        """Send what the parcel says; until it is handed over nothing can have left."""
        check_parcel(parcel)
        with opened(GraphApi, self._connection) as api:
            with nothing_taken():
                found = _look(api, parcel.message_id)
                if found.is_sent:
                    return ProviderReceipt("It lies with the sent mail already.")
                draft = _place(api, parcel, found.drafts)
            try:
                hand_over()
            except BaseException:
                _take_back(api, draft)
                raise
            try:
                return _send(api, draft)
            except ProviderError as error:
                if error.kind != "unknown":
                    _take_back(api, draft)
                raise

    def find_sent(self, message_id: str) -> Literal[True] | None:
        """Look for it with the sent mail: there it was sent; elsewhere nobody can tell."""
        with opened(GraphApi, self._connection) as api, nothing_taken():
            return True if _look(api, message_id).is_sent else None


# -- ready to be sent ------------------------------------------------------------------------------
def _look(api: GraphApi, message_id: str) -> _Found:
    """Look for what bears a Message-ID; raises StoreError."""
    quoted = message_id.replace("'", "''")
    options = {
        "$filter": f"internetMessageId eq '{quoted}'",
        "$select": "isDraft,internetMessageId,parentFolderId", "$top": _MOST_FOUND,
    }  # fmt: skip
    found = [
        one
        for one in entries_of(api.get(f"{MESSAGES}?{query(options)}"), "value", required=True)
        if text_of(one, "internetMessageId") == message_id
    ]
    drafts = [text_of(one, "id") for one in found if one.get("isDraft") is True]
    lying = {text_of(one, "parentFolderId") for one in found if one.get("isDraft") is False}
    return _Found(bool(lying) and _sent_folder(api) in lying, tuple(filter(None, drafts)))


def _sent_folder(api: GraphApi) -> str:
    """Return the folder of the sent mail: elsewhere anybody may have had a Message-ID arrive."""
    found = api.get(f"{FOLDERS}/sentitems?{query({'$select': 'id'})}")
    if not (id_ := text_of(found, "id")):
        raise StoreError("transient", _("The server lists no mailbox for sent mail."))
    return id_


def _place(api: GraphApi, parcel: Parcel, left: tuple[str, ...]) -> str:
    """Have a draft of the sealed bytes with the sealed envelope; raises StoreError.

    What an earlier try left of it goes: it may lack its envelope.
    """
    parts = _taken_apart(parcel)
    for draft in left:
        api.ask("POST", f"{message_path(draft)}/permanentDelete")
    made = read_fields(api.post_mime(MESSAGES, parts.mime), _meaning)
    draft = text_of(made, "id")
    if not draft:
        raise StoreError("transient", _("The server does not say what it made."))
    try:
        _address(api, parcel, made)
        for one in parts.attachments:
            attach(api, draft, one)
    except BaseException:
        _take_back(api, draft)
        raise
    return draft


def _taken_apart(parcel: Parcel) -> TakenApart:
    """Return what one request makes of the message, and the files that follow it.

    Raises StoreError (`permanent`) for what Graph does not take.
    """
    parts = take_apart(parcel.mime, _LARGEST)
    if not parts.attachments:
        check_size(parcel, _LARGEST)
    if len(parts.mime) > _LARGEST:
        words = _(
            "Without its files the message has %(size)s bytes; the server accepts at most "
            "%(most)s.",
            size=len(parts.mime),
            most=_LARGEST,
        )
        raise StoreError("permanent", words)
    check_attachments(parts.attachments)
    return parts


def _address(api: GraphApi, parcel: Parcel, made: Json) -> None:
    """Have a draft go to the sealed recipients and to nobody else; raises StoreError."""
    listed = {
        text_of(object_of(one, "emailAddress"), "address").lower()
        for name in _LISTED
        for one in objects_of(made, name)
    }
    wanted = {one.lower(): one for one in parcel.envelope.recipients}
    if listed - wanted.keys():
        words = _(
            "The message names recipients that it is not for: %(names)s.",
            names=", ".join(sorted(listed - wanted.keys())[:10]),
        )
        raise StoreError("permanent", words)
    if hidden := [wanted[one] for one in wanted.keys() - listed]:
        fields = {"bccRecipients": [{"emailAddress": {"address": one}} for one in sorted(hidden)]}
        path = message_path(text_of(made, "id"))
        read_fields(api.ask("PATCH", path, fields, if_match=etag(made)), _meaning)


def _meaning(answer: Answer) -> StoreError:
    """Return what it means that Graph does not take a draft."""
    found = refused(answer)
    if found.kind != "permanent":
        return found
    words = _("The server refused the message (%(why)s):", why=own(code_of(answer) or "?"))
    return StoreError("permanent", words, found.reply)


def _take_back(api: GraphApi, draft: str) -> None:
    """Remove a draft that was not sent; where that fails it stays among the drafts, as one."""
    with suppress(StoreError):
        api.ask("POST", f"{message_path(draft)}/permanentDelete")


# -- handed over -----------------------------------------------------------------------------------
def _send(api: GraphApi, draft: str) -> ProviderReceipt:
    """Send a draft; where no clear answer comes, what became of it tells."""
    try:
        answer = api.ask("POST", f"{message_path(draft)}/send")
    except StoreError as error:
        return _became(api, draft, error)
    if answer.is_good:
        return ProviderReceipt(f"HTTP {answer.status}, {draft}"[:1000])
    if 400 <= answer.status < 500 and answer.status not in (404, 408, 409):
        raise as_provider_error(_meaning(answer))
    return _became(api, draft, refused(answer), shown(answer.status, answer.body))


def _became(api: GraphApi, draft: str, error: StoreError, reply: str = "") -> ProviderReceipt:
    """Return that a draft was sent, if it is none any more; nobody knows otherwise."""
    found: dict[str, Any] | None = None
    with suppress(StoreError):
        found = api.find(f"{message_path(draft)}?{query({'$select': 'isDraft'})}")
    if found and found.get("isDraft") is False:
        return ProviderReceipt(f"It lies with the sent mail, {draft}"[:1000])
    raise ProviderError("unknown", unanswered(error), reply or error.reply)
