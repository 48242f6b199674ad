"""The outgoing letter, read from its sealed bytes and from nothing that an agent says of them."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse

from agents.admin.differences import Piece, mark_excerpts
from agents.models import Approval
from inbox.actor import Actor
from inbox.admin.reading import describe_anomaly
from inbox.models import Identity, PersonEmail, Submission
from inbox.rfc5322.addresses import Address, display_name_deceives, is_lookalike
from inbox.rfc5322.parse import ParsedMessage, parse_message

# So many of the addresses we write with most are compared with, for look-alikes.
KNOWN = 500


@dataclass(frozen=True, slots=True)
class Recipient:
    """One address that the letter would go to, with what we know of it."""

    field: str
    name: str
    email: str
    is_new: bool
    imitates: str
    name_deceives: bool
    sent_count: int
    received_count: int
    since: datetime | None
    is_reached: bool = True


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A file that goes with the letter."""

    position: int
    filename: str
    content_type: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Flag:
    """A risk, why it is one, and the words that raised it."""

    number: int
    name: str
    reason: str
    excerpt: str
    source: str
    is_marked: bool


@dataclass(frozen=True, slots=True)
class Letter:
    """What would leave, as its recipients will read it."""

    sender: Address
    envelope_from: str
    recipients: tuple[Recipient, ...]
    subject: str
    text: str
    body: tuple[Piece, ...]
    flags: tuple[Flag, ...]
    enclosures: tuple[Enclosure, ...]
    oddities: tuple[str, ...]
    has_html: bool


def read_letter(
    actor: Actor, submission: Submission, risk_flags: Sequence[dict[str, Any]]
) -> Letter:
    """Read the sealed bytes and their envelope, in three queries."""
    parsed = parse_message(submission.mime_bytes)
    body = mark_excerpts(parsed.text, [str(flag.get("excerpt") or "") for flag in risk_flags])
    return Letter(
        sender=parsed.sender,
        envelope_from=submission.envelope_from,
        recipients=tuple(_recipients(actor, submission, parsed)),
        subject=parsed.subject,
        text=parsed.text,
        body=tuple(body),
        flags=read_flags(risk_flags, {piece.mark for piece in body}),
        enclosures=tuple(
            Enclosure(
                file.position, file.filename, file.content_type, len(file.content),
                hashlib.sha256(file.content).hexdigest(),
            )
            for file in parsed.attachments
        ),
        oddities=tuple(describe_anomaly(code) for code in parsed.anomalies),
        has_html=bool(parsed.html),
    )  # fmt: skip


def read_flags(
    risk_flags: Sequence[dict[str, Any]], marked: set[int] | frozenset[int] = frozenset()
) -> tuple[Flag, ...]:
    """Return the flags with their numbers, by which the marks in the body are found."""
    return tuple(
        Flag(
            number, str(flag.get("flag", "")), str(flag.get("reason", "")),
            str(flag.get("excerpt") or ""), _source_url(str(flag.get("source") or "")),
            number in marked,
        )
        for number, flag in enumerate(risk_flags, start=1)
    )  # fmt: skip


def _source_url(source: str) -> str:
    return reverse("message", args=[source]) if source.startswith("msg_") else ""


def _recipients(actor: Actor, submission: Submission, parsed: ParsedMessage) -> list[Recipient]:
    named = {"To": parsed.to, "Cc": parsed.cc, "Bcc": parsed.bcc}
    in_headers = [(field, one) for field, all_of in named.items() for one in all_of]
    envelope = {str(email).lower(): str(email) for email in submission.envelope_to}
    written = {one.email.lower() for _, one in in_headers}
    hidden = [("Bcc", Address(email)) for key, email in envelope.items() if key not in written]
    everyone = [*in_headers, *hidden]
    emails = {one.email.lower() for _, one in everyone}
    addresses = {
        row.email: row
        for row in PersonEmail.objects.visible_to(actor).filter(
            workspace_id=submission.workspace_id, email__in=emails
        )
    }
    known = _known_addresses(actor, submission.workspace_id)
    return [
        _recipient(field, one, addresses.get(one.email.lower()), known, envelope)
        for field, one in everyone
    ]


def _known_addresses(actor: Actor, workspace_id: int) -> list[str]:
    written_to = PersonEmail.objects.visible_to(actor).filter(
        workspace_id=workspace_id, sent_count__gt=0
    )
    ours = Identity.objects.visible_to(actor).filter(workspace_id=workspace_id)
    return [
        *written_to.order_by("-contact_count", "-id").values_list("email", flat=True)[:KNOWN],
        *ours.values_list("email", flat=True),
    ]


def _recipient(
    field: str, one: Address, there: PersonEmail | None, known: list[str], envelope: dict[str, str]
) -> Recipient:
    sent = there.sent_count if there else 0
    return Recipient(
        field=field, name=one.name, email=one.email, is_new=sent == 0,
        imitates="" if sent else is_lookalike(one.email, known) or "",
        name_deceives=display_name_deceives(one.name, one.email), sent_count=sent,
        received_count=there.received_count if there else 0,
        since=there.first_contact_at if there else None,
        is_reached=one.email.lower() in envelope,
    )  # fmt: skip


def enclosure_bytes(approval: Approval, position: int) -> tuple[str, bytes] | None:
    """Return the name and bytes of the file at this position of the sealed letter, if there is."""
    if approval.submission is None:
        return None
    for file in parse_message(approval.submission.mime_bytes).attachments:
        if file.position == position:
            return file.filename, file.content
    return None
