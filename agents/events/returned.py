"""What came back about sent mail, in the shape in which agents and programs read it."""

from collections.abc import Iterable
from typing import Literal

from django.db.models import F

from agents.contracts.fields import Closed, Moment, OrAbsent
from inbox.models import DeliveryReport, ReportKind

MOST_CAME_BACK = 20


class ReturnedReport(Closed):
    """What a message says of one recipient; anyone whom the mail reached could have written it."""

    kind: Literal[tuple(ReportKind.values)]  # type: ignore[valid-type]
    recipient: OrAbsent[str] = None
    # An enhanced status code (RFC 3463).
    status: OrAbsent[str] = None
    words: OrAbsent[str] = None
    message_id: OrAbsent[str] = None
    at: Moment


def came_back(submission_ids: Iterable[int]) -> dict[int, list[ReturnedReport]]:
    """Return what came back by submission, the newest first and no more than `MOST_CAME_BACK`.

    Whoever asks has seen to it that the submissions are the actor's to see.
    """
    found: dict[int, list[ReturnedReport]] = {}
    reports = DeliveryReport.objects.filter(
        submission__in=list(submission_ids), workspace_id=F("submission__workspace_id")
    )
    columns = ("kind", "recipient", "status", "words", "created_at", "submission_id", "message_id")
    for report in (
        reports.order_by("-pk").only(*columns, "message__submission_id").select_related("message")
    ):
        of_one = found.setdefault(report.submission_id, [])
        if len(of_one) < MOST_CAME_BACK:
            of_one.append(_report(report))
    return found


def _report(report: DeliveryReport) -> ReturnedReport:
    return ReturnedReport(
        kind=report.kind,
        recipient=report.recipient or None,
        status=report.status or None,
        words=report.words or None,
        message_id=report.message.public_id if report.message else None,
        at=report.created_at,
    )
