"""Sending by Gmail: the sealed bytes as they are, where everybody they go to stands in them.

Gmail reads from the header to whom a message goes. So whom the seal has in its envelope alone is
named in a Bcc, which Gmail takes out again for all but its own copy; and where the header names
somebody who is not in the envelope, nothing is sent.
"""

import json
from collections.abc import Sequence
from typing import Final, Literal

from inbox.providers.base import (
    Capabilities,
    Connection,
    HandOver,
    Parcel,
    ProviderError,
    ProviderReceipt,
    check_parcel,
)
from inbox.providers.google.asking import GoogleApi, fields_of, refusal
from inbox.providers.google.gmail.labels import USER
from inbox.providers.http.failures import shown
from inbox.providers.http.json_values import objects_of, text_of
from inbox.providers.http.reading import LONGEST_WORDS, Answer, entries_of
from inbox.providers.http.sending import (
    as_provider_error,
    check_size,
    nothing_taken,
    opened,
    unanswered,
)
from inbox.providers.http.session import Asked
from inbox.providers.mail_changes import SenderIdentity
from inbox.providers.mail_store import StoreError
from inbox.providers.web import GarbledAnswerError
from inbox.reasons import phrase as _
from inbox.rfc5322.addresses.parsing import parse_addresses, parse_authors
from inbox.rfc5322.headers import read_headers

# What `messages.send` takes at most, in bytes.
LARGEST: Final = 36_700_160
_MOST_ALIASES = 500


class GmailSender:
    """Sends by Gmail: to every recipient, or to none."""

    capabilities = Capabilities(idempotent=False, finds_sent=False)

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def submit(self, parcel: Parcel, hand_over: HandOver) -> ProviderReceipt:
        """Send the parcel's bytes; until they are handed over nothing can have left."""
        check_parcel(parcel)
        mime = addressed(parcel)
        with opened(GoogleApi, self._connection) as api:
            with nothing_taken():
                _check_sender(api, parcel.envelope.sender)
            hand_over()
            try:
                return _receipt(_send(api, mime))
            except ProviderError as error:
                with nothing_taken():
                    found = error.kind == "unknown" and _lies_with_sent(api, parcel.message_id)
                if not found:
                    raise
                return ProviderReceipt(json.dumps({"found": parcel.message_id}))

    def find_sent(self, message_id: str) -> Literal[True] | None:
        """Look for it with the sent mail: there it was sent; elsewhere nobody can tell."""
        with opened(GoogleApi, self._connection) as api, nothing_taken():
            return True if _lies_with_sent(api, message_id) else None


def identities_of(connection: Connection) -> list[SenderIdentity]:
    """Return as whom the account may send: its own address, and confirmed aliases of it.

    Raises StoreError.
    """
    api = GoogleApi(connection)
    try:
        return _identities(api)
    finally:
        api.close()


def _identities(api: GoogleApi) -> list[SenderIdentity]:
    listed = objects_of(api.get(f"{USER}/settings/sendAs"), "sendAs")
    return [
        SenderIdentity(address, text_of(one, "displayName")[:200])
        for one in listed[:_MOST_ALIASES]
        if (address := text_of(one, "sendAsEmail").lower())
        and (one.get("isPrimary") is True or text_of(one, "verificationStatus") == "accepted")
    ]


# -- before it is handed over ----------------------------------------------------------------------
def addressed(parcel: Parcel) -> bytes:
    """Return the bytes by which Gmail sends to the envelope, and to nobody else.

    They are the sealed ones, unless the envelope has somebody whom they do not name. Raises
    ProviderError (`permanent`) for what Gmail would send otherwise than it was sealed.
    """
    with nothing_taken():
        check_size(parcel, LARGEST)
    headers, _start = read_headers(parcel.mime, 0, len(parcel.mime))
    named = {
        one.email.lower()
        for name in ("to", "cc", "bcc")
        for text in headers.all_raw(name)
        for one in parse_addresses(text)
    }
    wanted = {one.lower(): one for one in parcel.envelope.recipients}
    if others := sorted(named - wanted.keys()):
        words = _(
            "Gmail would send it to %(others)s too, who is not among its recipients.",
            others=", ".join(others[:5]) or "?",
        )
        raise ProviderError("permanent", words)
    authors = {one.email.lower() for one in parse_authors(headers.raw("from"))}
    if authors != {parcel.envelope.sender.lower()}:
        words = _("Gmail sends only as the address that the message is from.")
        raise ProviderError("permanent", words)
    hidden = [wanted[one] for one in wanted if one not in named]
    return _with_bcc(parcel.mime, hidden) if hidden else parcel.mime


def _with_bcc(mime: bytes, hidden: Sequence[str]) -> bytes:
    # One address a line: none is longer than a line may be (RFC 5321 4.5.3.1.3).
    return f"Bcc: {(',' + chr(13) + chr(10) + ' ').join(hidden)}\r\n".encode() + mime


def _check_sender(api: GoogleApi, sender: str) -> None:
    """Raise StoreError where Gmail would put another address in the place of the sender's."""
    if sender.lower() not in {one.email for one in _identities(api)}:
        words = _("The server does not let this account send as %(address)s.", address=sender)
        raise StoreError("permanent", words)


# -- handed over -----------------------------------------------------------------------------------
def _send(api: GoogleApi, mime: bytes) -> Answer:
    """Return the answer; raises ProviderError where there is none that says anything."""
    url = f"{api.url('/upload' + USER)}/messages/send?uploadType=media"
    headers = {"Content-Type": "message/rfc822", "Accept": "application/json"}
    try:
        return api.send(Asked("POST", url, headers, mime), LONGEST_WORDS)
    except StoreError as error:
        raise ProviderError("unknown", unanswered(error), error.reply) from error


def _receipt(answer: Answer) -> ProviderReceipt:
    """Read the answer; only a clear one tells what became of the message."""
    if 400 <= answer.status < 500 and answer.status != 408:
        raise as_provider_error(refusal(answer))
    said = shown(answer.status, answer.body)
    if not answer.is_good:
        raise ProviderError("unknown", unanswered(refusal(answer)), said)
    try:
        key = text_of(answer.fields(), "id")
    except GarbledAnswerError:
        key = ""
    if not key:
        raise ProviderError("unknown", _("The server's answer was neither yes nor no:"), said)
    return ProviderReceipt(answer.body.decode("utf-8", "replace")[:1000])


def _lies_with_sent(api: GoogleApi, message_id: str) -> bool:
    query = {"q": f"in:sent rfc822msgid:{message_id.strip('<> ')}", "maxResults": 1}
    answer = api.ask("GET", f"{USER}/messages", {**query, "includeSpamTrash": "true"})
    return bool(entries_of(fields_of(answer), "messages"))
