"""What came back about a sent message, as its page shows it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from inbox.actor import Actor
from inbox.models import DeliveryReport, ReportKind, Submission

# The newest are read; the messages themselves lie in the inbox.
NEWEST = 100
SHOWN = 20
_ORDER: tuple[str, ...] = (
    ReportKind.FAILED, ReportKind.DELAYED, ReportKind.AWAY, ReportKind.RELAYED,
    ReportKind.EXPANDED, ReportKind.DELIVERED,
)  # fmt: skip
_TONES: dict[str, str] = {ReportKind.FAILED: "bad", ReportKind.DELAYED: "warn"}


@dataclass(frozen=True, slots=True)
class ReturnedMail:
    """What one message says of one recipient; `was_sent_to`: the message went to that address."""

    kind: str
    recipient: str
    was_sent_to: bool
    status: str
    words: str
    url: str
    at: datetime

    @property
    def tone(self) -> str:
        """How loud it is: bad, warn, or nothing."""
        return _TONES.get(self.kind, "")


def read_delivery_reports(actor: Actor, submission: Submission) -> tuple[ReturnedMail, ...]:
    """Return the newest word on each recipient and each automatic answer, the worst first."""
    reports = DeliveryReport.objects.visible_to(actor).filter(submission=submission)
    rows = reports.select_related("message").order_by("-pk")
    lines = [_line(row, submission) for row in _newest(rows[:NEWEST])]
    return tuple(sorted(lines, key=lambda line: _ORDER.index(line.kind)))[:SHOWN]


def _newest(rows: Iterable[DeliveryReport]) -> list[DeliveryReport]:
    """Keep the newest of each recipient: a delay is over once it arrived, or once it failed."""
    found: dict[tuple[str, bool], DeliveryReport] = {}
    for row in rows:
        found.setdefault((row.recipient.lower(), row.kind == ReportKind.AWAY), row)
    return list(found.values())


def _line(row: DeliveryReport, submission: Submission) -> ReturnedMail:
    row.submission = submission
    message = row.message
    return ReturnedMail(
        kind=row.kind,
        recipient=row.recipient,
        was_sent_to=not row.recipient or row.was_sent_to,
        status=row.status,
        words=row.words,
        url=reverse("message", args=[message.public_id]) if message else "",
        at=row.created_at,
    )
