"""The outgoing letter, read from its sealed bytes and from nothing that an agent says of them."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from django.urls import reverse

from agents.admin.evidence.editions import Edition
from agents.admin.evidence.kept_files import KeptFile
from agents.admin.evidence.marks import Mark, Span, Stretch, cut, flag_spans
from agents.admin.evidence.passages import Passage
from agents.admin.evidence.recipients import Known, Recipient, read_recipients
from agents.admin.evidence.sources import Sources
from agents.models import Approval
from inbox.actor import Actor
from inbox.admin.reading import describe_anomaly
from inbox.models import Submission
from inbox.rfc5322.addresses import Address
from inbox.rfc5322.parse import ParsedMessage, parse_message


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A file that goes with the letter; `kept` is the one of ours that holds the same bytes."""

    position: int
    filename: str
    content_type: str
    size: int
    sha256: str
    kept: KeptFile | None


@dataclass(frozen=True, slots=True)
class Flag:
    """A risk, why it is one, and the words that raised it.

    `in_letter` and `in_source`: whether there is a mark to go to there.
    """

    number: int
    name: str
    reason: str
    excerpt: str
    source: str
    in_letter: bool = False
    in_source: bool = False


@dataclass(frozen=True, slots=True)
class Letter:
    """What would leave, as its recipients will read it."""

    sender: Address
    envelope_from: str
    recipients: tuple[Recipient, ...]
    subject: str
    subject_marked: tuple[Stretch, ...]
    text: str
    body: tuple[Stretch, ...]
    enclosures: tuple[Enclosure, ...]
    oddities: tuple[str, ...]
    # The flags whose words stand in it.
    marked: frozenset[int]


def read_letter(
    actor: Actor,
    submission: Submission,
    parsed: ParsedMessage,
    *,
    flags: Sequence[tuple[int, str, str]],
    passages: Sequence[Passage],
    sources: Sources,
    editions: Sequence[Edition],
    known: Known | None = None,
    kept: Mapping[str, KeptFile] = MappingProxyType({}),
) -> Letter:
    """Lay out the sealed bytes and their envelope, marked; in three queries.

    `flags` are numbers, excerpts and sources; `known`, if given, saves the queries. `kept` are our
    files that hold the same bytes, by their hash.
    """
    excerpts = [(number, excerpt) for number, excerpt, _ in flags]
    recipients = read_recipients(
        actor, submission, parsed, messages=sources.messages, editions=editions,
        flagged=_by_address(excerpts),
        shown=frozenset(one.message.public_id for one in sources.readings), known=known,
    )  # fmt: skip
    used = {Mark("flag", number) for one in recipients for number in one.flags}
    subject = cut(parsed.subject, flag_spans(parsed.subject, excerpts), used)
    body = cut(parsed.text, [*_taken(passages), *flag_spans(parsed.text, excerpts)], used)
    return Letter(
        sender=parsed.sender,
        envelope_from=submission.envelope_from,
        recipients=recipients,
        subject=parsed.subject,
        subject_marked=subject,
        text=parsed.text,
        body=body,
        enclosures=_enclosures(parsed, kept),
        oddities=tuple(describe_anomaly(code) for code in parsed.anomalies),
        marked=frozenset(mark.number for mark in used if mark.kind == "flag"),
    )


def _taken(passages: Sequence[Passage]) -> list[Span]:
    return [
        Span(*passage.in_letter, Mark("passage", number))
        for number, passage in enumerate(passages, start=1)
    ]


def _by_address(excerpts: Sequence[tuple[int, str]]) -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for number, excerpt in excerpts:
        email = excerpt.strip().lower()
        if "@" in email and " " not in email:
            found[email] = (*found.get(email, ()), number)
    return found


def _enclosures(parsed: ParsedMessage, kept: Mapping[str, KeptFile]) -> tuple[Enclosure, ...]:
    files = [(file, hashlib.sha256(file.content).hexdigest()) for file in parsed.attachments]
    return tuple(
        Enclosure(
            file.position, file.filename, file.content_type, len(file.content), sha256,
            kept.get(sha256),
        )
        for file, sha256 in files
    )  # fmt: skip


def number_flags(risk_flags: Sequence[dict[str, Any]]) -> list[tuple[int, str, str]]:
    """Return the number, the excerpt and the source of each flag."""
    return [
        (number, str(flag.get("excerpt") or ""), str(flag.get("source") or ""))
        for number, flag in enumerate(risk_flags, start=1)
    ]


def read_flags(
    risk_flags: Sequence[dict[str, Any]],
    *,
    in_letter: frozenset[int] = frozenset(),
    in_source: frozenset[int] = frozenset(),
) -> tuple[Flag, ...]:
    """Return the flags with their numbers, by which their marks are found."""
    return tuple(
        Flag(
            number, str(flag.get("flag", "")), str(flag.get("reason", "")),
            str(flag.get("excerpt") or ""), _source_url(str(flag.get("source") or "")),
            number in in_letter, number in in_source,
        )
        for number, flag in enumerate(risk_flags, start=1)
    )  # fmt: skip


def _source_url(source: str) -> str:
    return reverse("message", args=[source]) if source.startswith("msg_") else ""


def enclosure_bytes(approval: Approval, position: int) -> tuple[str, bytes] | None:
    """Return the name and bytes of the file at this position of the sealed letter, if there is."""
    if approval.submission is None:
        return None
    for file in parse_message(approval.submission.mime_bytes).attachments:
        if file.position == position:
            return file.filename, file.content
    return None
