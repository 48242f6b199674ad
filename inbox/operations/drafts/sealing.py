"""A draft made into the exact bytes that would leave."""

import re
import secrets
from dataclasses import dataclass
from datetime import datetime

from inbox.errors import DomainError, invalid
from inbox.models import Draft, DraftAttachment, Message
from inbox.providers.wire import check_wire_bytes
from inbox.reasons import of_error
from inbox.reasons import phrase as _
from inbox.rfc5322.addresses.parsing import Address
from inbox.rfc5322.build import OutgoingAttachment, OutgoingMessage, build_message

MOST_RECIPIENTS = 500
LARGEST_MESSAGE = 50 * 1024 * 1024
# A thread's newest references are enough to find it by; all of them may be kilobytes.
MOST_REFERENCES = 20
_MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,250}@[!-;=?-~]{1,250}>")


@dataclass(frozen=True, slots=True)
class Sealed:
    """The bytes of a message with what travels beside them."""

    mime: bytes
    message_id: str
    envelope_from: str
    envelope_to: list[str]
    attachments: list[list[str]]


def seal_draft(draft: Draft, at: datetime) -> Sealed:
    """Return the draft as the message that would leave, dated `at`, under a new Message-ID.

    Bcc stands in the envelope only. Raises DomainError where there is nobody to send it to, an
    attachment's bytes are lost, or something in it cannot stand in a message.
    """
    recipients = envelope_recipients(draft)
    if not 0 < len(recipients) <= MOST_RECIPIENTS:
        raise invalid(
            "to",
            _("The draft has %(count)s recipients.", count=len(recipients)),
            _("1 to %(most)s", most=MOST_RECIPIENTS),
        )
    attachments = list(draft.attachments.select_related("blob"))
    message_id = make_message_id(draft.account.address)
    try:
        mime = build_message(_outgoing(draft, at, message_id, attachments))
        check_wire_bytes(mime)
    except ValueError as error:
        raise invalid(
            "draft", _("The draft cannot be sealed: %(error)s.", error=of_error(error))
        ) from error
    if len(mime) > LARGEST_MESSAGE:
        raise invalid(
            "attachments",
            _("The message has %(count)s bytes.", count=len(mime)),
            _("at most %(most)s bytes", most=LARGEST_MESSAGE),
        )
    return Sealed(
        mime, message_id, draft.identity.email, recipients, describe_attachments(attachments)
    )


def envelope_recipients(draft: Draft) -> list[str]:
    """Return the bare addresses of to, cc and bcc in order, each once without regard to case."""
    unique: dict[str, str] = {}
    for address in [*draft.to, *draft.cc, *draft.bcc]:
        unique.setdefault(address["email"].lower(), address["email"])
    return list(unique.values())


def describe_attachments(attachments: list[DraftAttachment]) -> list[list[str]]:
    """Return [filename, content type, SHA-256] of each; the form of `Submission.attachments`."""
    return [[it.filename, it.content_type, it.blob.sha256] for it in attachments]


def make_message_id(address: str) -> str:
    """Return a new random Message-ID in the domain of an address (RFC 5322 3.6.4)."""
    domain = address.rpartition("@")[2]
    try:
        domain = domain.encode("idna").decode()
    except UnicodeError as error:
        raise invalid("from", _("%(domain)s is not a domain name.", domain=repr(domain))) from error
    return f"<{secrets.token_hex(16)}@{domain}>"


def _outgoing(
    draft: Draft, at: datetime, message_id: str, attachments: list[DraftAttachment]
) -> OutgoingMessage:
    parent = draft.in_reply_to
    return OutgoingMessage(
        from_=Address(draft.identity.email, draft.identity.name),
        to=_addresses(draft.to),
        cc=_addresses(draft.cc),
        bcc=_addresses(draft.bcc),
        subject=draft.subject,
        body=draft.body,
        message_id=message_id,
        date=at,
        in_reply_to="".join(_clean_ids([parent.message_id_header])) if parent else "",
        references=_references(parent) if parent else (),
        attachments=tuple(_attachment(attachment) for attachment in attachments),
        calendar=draft.calendar,
    )


def _references(parent: Message) -> tuple[str, ...]:
    """Return the parent's references and its own id (RFC 5322 3.6.4), the newest of them."""
    ids = _clean_ids([*parent.references, parent.message_id_header])
    return ids[-MOST_REFERENCES:]


def _clean_ids(ids: list[str]) -> tuple[str, ...]:
    """Keep what is a Message-ID: a stranger's header may say anything."""
    return tuple(text for text in ids if _MESSAGE_ID.fullmatch(text))


def _addresses(addresses: list[dict[str, str]]) -> tuple[Address, ...]:
    return tuple(Address(it["email"], it.get("name", "")) for it in addresses)


def _attachment(attachment: DraftAttachment) -> OutgoingAttachment:
    try:
        content = attachment.blob.read()
    except (FileNotFoundError, ValueError) as error:
        raise DomainError(
            "conflict",
            _(
                "The content of the attachment %(filename)s is lost.",
                filename=repr(attachment.filename),
            ),
        ) from error
    return OutgoingAttachment(attachment.filename, attachment.content_type, content)
