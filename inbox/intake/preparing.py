"""From raw bytes to everything that a row needs; knows the storage but no database.

Worker processes run this for an import, so it must be importable without the models.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from inbox.files.attachment_risks import MILD, risks_of
from inbox.files.storage import store_bytes
from inbox.html.marks import LONGEST_HTML, links_of
from inbox.intake.prepared import Delivery, Prepared, PreparedAttachment, Recipient
from inbox.intake.sources import TargetMailbox
from inbox.intake.threading import message_keys, subject_key
from inbox.rfc5322.addresses.parsing import Address
from inbox.rfc5322.authentication import (
    own_servers,
    read_authentication,
    read_unnamed,
    speaks_of_another,
)
from inbox.rfc5322.parse import parse_message
from inbox.rfc5322.parsed import ParsedAttachment, ParsedMessage

# An address longer than RFC 5321 4.5.3.1 allows is cut; the bytes keep it whole.
LONGEST_ADDRESS = 320

_UNKNOWN = Delivery()


def prepare(raw: bytes, recipient: Recipient, delivery: Delivery = _UNKNOWN) -> Prepared:
    """Parse a message and put its bytes and attachments into the storage."""
    stored = store_bytes(recipient.workspace_id, raw), len(raw)
    return prepare_parsed(parse_message(raw), stored, recipient, delivery)


def prepare_parsed(
    parsed: ParsedMessage, stored: tuple[str, int], recipient: Recipient, delivery: Delivery
) -> Prepared:
    """As `prepare`, of a message that was parsed; `stored` is the SHA-256 and size of its bytes."""
    verdict, results = authenticate(parsed, recipient)
    outbound = delivery.outbound
    if outbound is None:
        # Mail in our name that our own server says is not from us came in.
        outbound = parsed.sender.email.lower() in recipient.own_addresses and verdict != "fail"
    has_left = outbound and _has_left(parsed, delivery, verdict)
    keys = message_keys(parsed.message_id, parsed.in_reply_to, parsed.references)
    own_key = message_keys(parsed.message_id)
    columns = _columns(parsed) | {
        "direction": "outbound" if outbound else "inbound",
        "received_at": delivery.received_at or _received_at(parsed, delivery.fallback_at),
        "message_id_key": own_key[0] if own_key else "",
        "subject_key": subject_key(parsed.subject, names_others=len(keys) > len(own_key)),
        "keywords": sorted(set(delivery.keywords)),
        "size": stored[1],
        "authentication": verdict,
        "authentication_results": results,
    }
    return Prepared(
        sha256=stored[0],
        size=stored[1],
        columns=columns,
        keys=keys,
        place=delivery.place or TargetMailbox(role="sent" if outbound else "inbox"),
        people=_people(parsed, recipient, outbound=outbound, has_left=has_left),
        attachments=tuple(_attachment(part, recipient.workspace_id) for part in parsed.attachments),
    )


def authenticate(parsed: ParsedMessage, recipient: Recipient) -> tuple[str, dict[str, str]]:
    """Return what the account's own server said of the sender: pass, fail or none, and its results.

    Where it is known by its authserv-id alone, that is its name among the Received fields as well.
    """
    domain = parsed.sender.email.rpartition("@")[2]
    verdict, results = read_authentication(parsed.authentication_headers, recipient.authserv_id)
    own = recipient.own_servers or own_servers(recipient.authserv_id)
    if not results and own:
        verdict, results = read_unnamed(parsed.trace, own, domain)
    if verdict == "pass" and speaks_of_another(results, domain):
        verdict = "none"
    return verdict, results


def _columns(parsed: ParsedMessage) -> dict[str, Any]:
    sender = parsed.sender
    return {
        "message_id_header": clean(parsed.message_id),
        "sent_at": parsed.sent_at,
        "from_email": clean(sender.email)[:LONGEST_ADDRESS],
        "from_name": clean(sender.name),
        "to": addresses_as_json(parsed.to),
        "cc": addresses_as_json(parsed.cc),
        "bcc": addresses_as_json(parsed.bcc),
        "reply_to": addresses_as_json(parsed.reply_to),
        "subject": clean(parsed.subject),
        "snippet": clean(parsed.snippet)[:240],
        "has_attachments": any(not part.inline for part in parsed.attachments),
        "list_id": clean(parsed.list_id)[:255],
        "signals": {clean(name): clean(value) for name, value in parsed.signals.items()},
        "anomalies": sorted({*parsed.anomalies, *_odd_to_readers(parsed)}),
        "language": parsed.language[:8],
        "in_reply_to": clean(parsed.in_reply_to),
        "references": [clean(reference) for reference in parsed.references],
        "search_extra": clean(parsed.search_extra),
        "new_text": clean(parsed.new_text),
        "text": clean(parsed.text),
        "html": clean(parsed.html),
    }


def _odd_to_readers(parsed: ParsedMessage) -> Iterator[str]:
    """Yield what a reader is warned of, beside what is odd about the message's form."""
    if any(link.misleads for link in links_of(parsed.html[:LONGEST_HTML])):
        yield "misleading_link"
    files = ((file.filename, file.content_type) for file in parsed.attachments)
    if any(risk not in MILD for file in files for risk in risks_of(*file)):
        yield "risky_attachment"


def clean(text: str) -> str:
    """Return text that every database takes: no NUL, no half of a surrogate pair."""
    if "\x00" in text:
        text = text.replace("\x00", "")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def addresses_as_json(addresses: Sequence[Address]) -> list[dict[str, str]]:
    """Return Address objects."""
    return [
        {key: clean(value) for key, value in address.as_json().items()} for address in addresses
    ]


def _received_at(parsed: ParsedMessage, fallback: datetime | None) -> datetime:
    """Return when it reached a mailbox; a time in the future is a lie, and becomes now."""
    now = datetime.now(UTC)
    at = parsed.received_at or parsed.sent_at or fallback or now
    return at if at <= now + timedelta(days=1) else fallback or now


def _has_left(parsed: ParsedMessage, delivery: Delivery, verdict: str) -> bool:
    """Return True if mail in our name is ours: anybody can write our address into From.

    It left through us, lies among the sent, is confirmed by our own server, or never travelled: a
    copy that a mail program kept has no Received field (RFC 5321 4.4).
    """
    is_among_sent = delivery.place is not None and delivery.place.role == "sent"
    return bool(delivery.outbound) or is_among_sent or verdict == "pass" or not parsed.received_at


def _people(
    parsed: ParsedMessage, recipient: Recipient, *, outbound: bool, has_left: bool
) -> tuple[Address, ...]:
    """Return the people that a message is contact with: its sender, or those that we wrote to."""
    ours = [*parsed.to, *parsed.cc, *parsed.bcc] if has_left else []
    named = ours if outbound else [parsed.sender]
    return tuple(
        Address(clean(person.email), clean(person.name))
        for person in {person.email.lower(): person for person in reversed(named)}.values()
        if "@" in person.email
        and len(person.email) <= LONGEST_ADDRESS
        and person.email.lower() not in recipient.own_addresses
    )


def _attachment(part: ParsedAttachment, workspace_id: int) -> PreparedAttachment:
    return PreparedAttachment(
        sha256=store_bytes(workspace_id, part.content),
        columns={
            "position": part.position,
            "filename": clean(part.filename),
            "content_type": clean(part.content_type)[:255],
            "content_id": clean(part.content_id),
            "inline": part.inline,
            "size": len(part.content),
        },
    )
