"""What is stored around messages that are to be classified."""

import html
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from inbox.classify import Judgement, MessageFacts
from inbox.classify.links import link_hosts
from inbox.models import Attachment, Direction, Identity, Message, Person, PersonEmail
from inbox.operations.activities.matching import (
    ActiveCorrections,
    CorrectionMatch,
    names_of,
    weigh_correction,
    why_doubtful,
)
from inbox.rfc5322.addresses.parsing import is_lookalike

# Whom a stranger is compared with: those we write with most.
KNOWN_CORRESPONDENTS = 200
HTML_LOOKED_AT = 20_000
# What a reader is warned of, and newsletters, whose links are counted, have as well.
_FOR_READERS = frozenset({"misleading_link", "risky_attachment"})
_TAG = re.compile(r"<[^<>]{0,2000}>")


class MessageContext:
    """What is stored around a batch of messages, read with a constant number of queries."""

    def __init__(self, messages: Sequence[Message]) -> None:
        ids = [message.pk for message in messages]
        workspaces = {message.workspace_id for message in messages}
        self._imitated: dict[tuple[int, str], str] = {}
        self._addresses: dict[tuple[int, str], PersonEmail] = {}
        self._own: dict[int, set[str]] = {workspace: set() for workspace in workspaces}
        self._known: dict[int, set[str]] = {workspace: set() for workspace in workspaces}
        self._parts: dict[int, list[str]] = {}
        self._ours: dict[int, list[_Ours]] = {}
        self._namesakes: dict[tuple[int, str], list[PersonEmail]] = {}
        self._in_force = ActiveCorrections(
            (message.workspace_id, names_of(message)) for message in messages
        )
        if messages:
            self._read_people(messages, workspaces)
            self._read_mail(messages, ids)

    def _read_people(self, messages: Sequence[Message], workspaces: set[int]) -> None:
        senders = {message.from_email.lower() for message in messages}
        rows = PersonEmail.objects.filter(workspace_id__in=workspaces).select_related("person")
        self._addresses = {
            (row.workspace_id, row.email): row for row in rows.filter(email__in=senders)
        }
        for workspace, email in Identity.objects.filter(workspace_id__in=workspaces).values_list(
            "workspace_id", "email"
        ):
            self._own[workspace].add(email.lower())
            self._known[workspace].add(email.lower().rpartition("@")[2])
        for message in messages:
            self._own[message.workspace_id].add(message.inbox.address.lower())
        strangers = (m for m in messages if not getattr(self._address_of(m), "sent_count", 0))
        names = {message.from_name for message in strangers} - {""}
        # The person's workspace is the address's; an index of names begins with it.
        for one in rows.filter(person__workspace_id__in=workspaces, person__fn__in=names):
            self._namesakes.setdefault((one.workspace_id, one.person.fn.lower()), []).append(one)
        written_to = PersonEmail.objects.filter(workspace_id__in=workspaces, sent_count__gt=0)
        for workspace, email in written_to.order_by("-contact_count", "-id").values_list(
            "workspace_id", "email"
        )[: KNOWN_CORRESPONDENTS * len(workspaces)]:
            self._known[workspace].add(email.rpartition("@")[2])

    def _read_mail(self, messages: Sequence[Message], ids: Sequence[int]) -> None:
        parts = Attachment.objects.filter(message_id__in=ids)
        for message_id, content_type in parts.values_list("message_id", "content_type"):
            self._parts.setdefault(message_id, []).append(content_type.lower())
        threads = {message.thread_id for message in messages}
        ours = Message.objects.filter(thread_id__in=threads, direction=Direction.OUTBOUND)
        for thread_id, *columns in ours.values_list(
            "thread_id", "message_id_header", "received_at", "to", "cc", "signals"
        ):
            self._ours.setdefault(thread_id, []).append(_Ours(*columns))

    def person_of(self, message: Message) -> Person | None:
        """Return the stored person who sent the message."""
        row = self._address_of(message)
        return row.person if row else None

    def _address_of(self, message: Message) -> PersonEmail | None:
        """Return the sender's address with its own counts: a new one of an old friend is new."""
        return self._addresses.get((message.workspace_id, message.from_email.lower()))

    def facts_of(self, message: Message) -> MessageFacts:
        """Return what is known of a message of the batch, beyond its words."""
        sender = self._address_of(message)
        parts = self._parts.get(message.pk, [])
        ours = self._ours.get(message.thread_id, [])
        named = {message.in_reply_to, *message.references} - {""}
        answers_us = any(one.header in named for one in ours)
        return MessageFacts(
            headers=message.signals,
            list_id=message.list_id,
            authentication=message.authentication,
            authentication_results=message.authentication_results,
            anomalies=tuple(code for code in message.anomalies if code not in _FOR_READERS),
            language=message.language,
            attachments=tuple(parts),
            has_calendar=any(part.startswith("text/calendar") for part in parts),
            addressed=self._addressed(message),
            recipients=len(message.to) + len(message.cc),
            answers_us=answers_us,
            answers_others=bool(named) and not answers_us,
            answered=any(one.answers(message) for one in ours),
            # The message itself has been counted already.
            received=max(sender.received_count - 1, 0) if sender else 0,
            sent=sender.sent_count if sender else 0,
            reply_to=message.reply_to[0]["email"] if message.reply_to else "",
            html_text=html.unescape(_TAG.sub(" ", _html_of(message))),
            link_hosts=link_hosts(_html_of(message)),
            imitates=self.imitated_by(message),
        )

    def apply_correction(
        self, message: Message, judgement: Judgement, *, is_guarded: bool = False
    ) -> CorrectionMatch:
        """Return what the rules say of a message with what persons corrected."""
        correction = self._in_force.of(message.workspace_id, names_of(message))
        if correction is None:
            return weigh_correction(judgement, None, doubt="")
        doubt = why_doubtful(message, correction, imitates=bool(self.imitated_by(message)))
        return weigh_correction(judgement, correction, doubt=doubt, is_guarded=is_guarded)

    def _addressed(self, message: Message) -> Any:
        own = self._own[message.workspace_id]
        for place, addresses in (("to", message.to), ("cc", message.cc)):
            if any(address.get("email", "").lower() in own for address in addresses):
                return place
        return "neither"

    def imitated_by(self, message: Message) -> str:
        """Return the known domain that the sender's only looks like; "" for none.

        Known are those that we write to, and those of somebody who wrote before by the same name.
        """
        sender = self._address_of(message)
        if (sender and sender.sent_count) or message.list_id:
            return ""
        domain = _domain(message.from_email)
        if not domain:
            return ""
        key = (message.workspace_id, domain)
        if key not in self._imitated:
            known = sorted(self._known[message.workspace_id])
            self._imitated[key] = is_lookalike(domain, known) or ""
        return self._imitated[key] or self._namesake_of(message, sender, domain)

    def _namesake_of(self, message: Message, sender: PersonEmail | None, domain: str) -> str:
        earlier = {
            _domain(other.email)
            for other in self._namesakes.get((message.workspace_id, message.from_name.lower()), [])
            if _wrote_before(other, sender)
        }
        return is_lookalike(domain, sorted(earlier)) or "" if earlier else ""


def _wrote_before(other: PersonEmail, sender: PersonEmail | None) -> bool:
    """Return True if there was mail with one address before there was any with the sender."""
    if other.first_contact_at is None:
        return False
    first = sender.first_contact_at if sender else None
    return first is None or other.first_contact_at < first


def _domain(address: str) -> str:
    return address.lower().rpartition("@")[2]


class _Ours(NamedTuple):
    """A message of ours: its Message-ID, when it left, to whom, and the headers rules look at."""

    header: str
    at: datetime
    to: list[dict[str, str]]
    cc: list[dict[str, str]]
    signals: dict[str, str]

    def answers(self, message: Message) -> bool:
        """Return True if a person of ours wrote to the message's sender after it came."""
        if self.at <= message.received_at or self.signals.get("auto-submitted", "no") != "no":
            return False
        asked = {message.from_email.lower(), *(one["email"].lower() for one in message.reply_to)}
        return any(one["email"].lower() in asked for one in (*self.to, *self.cc))


def _html_of(message: Message) -> str:
    """Return the beginning of the HTML part; the bulk way has read only that."""
    head = getattr(message, "html_head", None)
    return message.html[:HTML_LOOKED_AT] if head is None else str(head)
