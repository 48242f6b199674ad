"""The past mail that something is tried on: the newest of a workspace, in bounds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic
from typing import Any, Literal, TypeAlias, TypeVar

from django.db.models import QuerySet
from django.utils import timezone

from inbox.actor import Actor
from inbox.models import Direction, DraftVersion, Message, Submission

# A trial takes so many messages, and so many seconds, at most.
MOST = 50
SECONDS = 4.0
# So many of the newest messages are looked at for those of one direction.
LOOKED_AT = 2000
Period: TypeAlias = Literal["7", "30", "90", ""]
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Scope:
    """Which past mail is meant: of the actor's workspace, perhaps of one inbox or the last days."""

    actor: Actor
    inbox_id: int | None = None
    days: int | None = None

    @property
    def since(self) -> datetime | None:
        """When it begins; None: at the beginning."""
        return timezone.now() - timedelta(days=self.days) if self.days else None


@dataclass(frozen=True, slots=True)
class SentMessage:
    """A message of ours: sealed once, whatever became of it, or sent from another program."""

    subject: str
    body: str
    recipients: tuple[str, ...]
    at: datetime
    # The state of its submission; empty for mail that was sent elsewhere.
    state: str
    thread_id: str


class Clock:
    """Runs down; what is left out when it is over is counted."""

    def __init__(self, seconds: float = 0) -> None:
        self.deadline = monotonic() + (seconds or SECONDS)
        self.left_out = 0

    def over(self, items: Sequence[Item]) -> Iterator[Item]:
        """Yield the items while there is time."""
        for place, item in enumerate(items):
            if monotonic() > self.deadline:
                self.left_out = len(items) - place
                return
            yield item


def read_sent_messages(scope: Scope) -> list[SentMessage]:
    """Return the newest messages that were sealed or sent, at most `MOST`, the newest first."""
    messages = [*_sealed(scope), *_sent_elsewhere(scope)]
    return sorted(messages, key=lambda message: message.at, reverse=True)[:MOST]


def _sealed(scope: Scope) -> list[SentMessage]:
    rows = Submission.objects.visible_to(scope.actor)
    if scope.inbox_id:
        rows = rows.filter(draft__inbox_id=scope.inbox_id)
    if scope.since:
        rows = rows.filter(proposed_at__gte=scope.since)
    found = list(rows.defer("mime").select_related("thread").order_by("-proposed_at", "-pk")[:MOST])
    versions = DraftVersion.objects.filter(draft_id__in={row.draft_id for row in found})
    texts = {
        (draft, version): (subject, body)
        for draft, version, subject, body in versions.values_list(
            "draft_id", "version", "subject", "body"
        )
    }
    return [
        SentMessage(
            *texts.get((row.draft_id, row.draft_version), ("", "")), tuple(row.envelope_to),
            row.proposed_at, row.state, row.thread.public_id if row.thread else "",
        )
        for row in found
    ]  # fmt: skip


def _sent_elsewhere(scope: Scope) -> list[SentMessage]:
    rows = _newest(scope, Direction.OUTBOUND).filter(submission=None)
    return [
        SentMessage(
            message.subject, message.new_text, _recipients(message), message.received_at, "",
            message.thread.public_id,
        )
        for message in rows.select_related("thread").defer("html", "search_extra")[:MOST]
    ]  # fmt: skip


def _recipients(message: Message) -> tuple[str, ...]:
    named = [*message.to, *message.cc, *message.bcc]
    return tuple(one["email"] for one in named if one.get("email"))


def read_received(scope: Scope, most: int = MOST) -> list[Message]:
    """Return the newest messages that came in, at most `most`."""
    rows = _newest(scope, Direction.INBOUND).defer("html", "search_extra", "references")
    return list(rows.select_related("thread")[:most])


def _newest(scope: Scope, direction: str) -> QuerySet[Message]:
    rows: Any = Message.objects.visible_to(scope.actor)
    if scope.inbox_id:
        rows = rows.filter(inbox_id=scope.inbox_id)
    if scope.since:
        rows = rows.filter(received_at__gte=scope.since)
    keys = list(rows.order_by("-received_at", "-pk").values_list("pk", flat=True)[:LOOKED_AT])
    found = Message.objects.filter(pk__in=keys, direction=direction, deleted_at=None)
    return found.order_by("-received_at", "-pk")
