"""What comes back about sent mail, kept beside the submission that it names.

A report may be forged by anyone whom the mail reached. It is shown, and told of as a fact; nothing
is sent, settled or changed because of it.
"""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction

from inbox.actor import system_actor
from inbox.background.jobs import Payload, publish, subscribe
from inbox.models import (
    Activity,
    ActivityStatus,
    DeliveryReport,
    Direction,
    Message,
    ReportKind,
    Submission,
)
from inbox.operations.activities.activities import update_activities
from inbox.operations.batched import in_chunks
from inbox.reasons import say, together
from inbox.returned.facts import RecipientReport, Returned
from inbox.returned.parsing import may_be_returned, read_returned
from inbox.submission_states import SubmissionState

S = SubmissionState
# What may have reached a server.
_MAY_HAVE_LEFT = frozenset({S.SENDING, S.SENT, S.FAILED, S.UNKNOWN})
# Nobody who answers one message for ever may fill the page with it.
MOST_REPORTS = 200
# Facts by what is reported; the others are only kept.
FACTS: dict[str, str] = {
    ReportKind.FAILED: "submission.bounced",
    ReportKind.DELAYED: "submission.delayed",
    ReportKind.AWAY: "submission.auto_replied",
}

POSTMAN = "Postman"
BOUNCED = say("bounced")
_CALM = (ActivityStatus.PENDING, ActivityStatus.PROCESSED, ActivityStatus.NEEDS_REVIEW)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Found:
    """A message that came back, and what it says."""

    message: Message
    returned: Returned


@subscribe("message.received", "submission.reports")
def read_reports(payload: Payload) -> None:
    """Keep what new messages report of our submissions; again, it changes nothing."""
    for keys in in_chunks(payload["message_ids"]):
        found = [each for message in _candidates(keys) if (each := _read(message))]
        if found:
            record_reports(found)
            raise_bounces(keys)


@subscribe("activity.created", "submission.raise_bounces")
def raise_new_activities(payload: Payload) -> None:
    """Put new activities before a person that are bounces, whichever of the two came first."""
    raise_bounces(payload.get("message_ids", []))


def _candidates(keys: Iterable[int]) -> list[Message]:
    """Return the messages that are worth reading for it; few are."""
    rows = Message.objects.filter(
        pk__in=list(keys), direction=Direction.INBOUND, reports=None, list_id=""
    )
    rows = rows.select_related("inbox", "blob").only(
        "workspace_id", "from_email", "signals", "inbox__account_id", "blob__workspace_id",
        "blob__sha256",
    )  # fmt: skip
    return [each for each in rows if may_be_returned(each.from_email, each.signals)]


def _read(message: Message) -> _Found | None:
    try:
        raw = message.blob.read()
    except (OSError, ValueError):
        log.exception("message %s could not be read for what came back", message.pk)
        return None
    returned = read_returned(raw, message.from_email)
    return _Found(message, returned) if returned else None


def record_reports(found: Sequence[_Found]) -> None:
    """Keep what is said of submissions of the account that got it, and tell of it."""
    submissions = _submissions_named(found)
    if not submissions:
        return
    with transaction.atomic():
        # Two who read the same message at once would tell of it twice.
        keys = sorted(each.message.pk for each in found)
        list(Message.objects.select_for_update().filter(pk__in=keys).order_by("pk").only("pk"))
        known = set(
            DeliveryReport.objects.filter(message__in=keys).values_list("message_id", flat=True)
        )
        room = _room(submissions.values())
        rows = [
            row
            for each in found
            if each.message.pk not in known
            for row in _rows(each, submissions, room)
        ]
        DeliveryReport.objects.bulk_create(rows)
        _tell(rows)


def _submissions_named(found: Sequence[_Found]) -> dict[tuple[int, str], Submission]:
    """Return the submissions by account and Message-ID."""
    named = {message_id for each in found for message_id in each.returned.message_ids}
    accounts = {each.message.inbox.account_id for each in found}
    return {
        (row.account_id, row.message_id_header): row
        for some in in_chunks(named)
        for row in Submission.objects.filter(
            message_id_header__in=some, account_id__in=accounts, state__in=_MAY_HAVE_LEFT
        ).defer("mime")
    }


def _room(submissions: Iterable[Submission]) -> dict[int, int]:
    """Return for how many more reports of each submission there is room."""
    keys = [submission.pk for submission in submissions]
    taken = dict.fromkeys(keys, 0)
    for key in DeliveryReport.objects.filter(submission__in=keys).values_list("submission_id"):
        taken[key[0]] += 1
    return {key: max(MOST_REPORTS - count, 0) for key, count in taken.items()}


def _rows(
    each: _Found, submissions: dict[tuple[int, str], Submission], room: dict[int, int]
) -> list[DeliveryReport]:
    account_id = each.message.inbox.account_id
    named = (submissions.get((account_id, known)) for known in each.returned.message_ids)
    # The first that is ours: what it returns stands before what it answers.
    submission = next((row for row in named if row is not None), None)
    if submission is None:
        return []
    by_recipient: dict[str, RecipientReport] = {}
    for report in each.returned.recipients:
        by_recipient.setdefault(_stored(report.address)[:320], report)
    kept = list(by_recipient.items())[: room[submission.pk]]
    room[submission.pk] -= len(kept)
    return [
        DeliveryReport(
            workspace_id=each.message.workspace_id, submission=submission, message=each.message,
            kind=report.kind, recipient=recipient, status=report.status,
            words=_stored(report.words),
        )
        for recipient, report in kept
    ]  # fmt: skip


def _stored(text: str) -> str:
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def _tell(rows: Sequence[DeliveryReport]) -> None:
    """Publish a fact for each submission, message and kind."""
    told = dict.fromkeys(
        (row.workspace_id, FACTS[row.kind], row.submission_id, row.message_id)
        for row in rows
        if row.kind in FACTS
    )
    for workspace_id, fact, submission_id, message_id in told:
        payload = {"submission_id": submission_id, "message_id": message_id}
        publish(fact, payload, workspace_id=workspace_id)


# -- put before a person ---------------------------------------------------------------------------
def raise_bounces(message_ids: Iterable[int]) -> None:
    """Surface what says that mail of ours did not arrive; quarantine stays what it is."""
    for keys in in_chunks(message_ids):
        bounces = DeliveryReport.objects.filter(message__in=keys, kind=ReportKind.FAILED)
        calm = Activity.objects.filter(
            message_id__in=bounces.values("message_id"), status__in=_CALM
        )
        for activity in calm.order_by("pk"):
            _surface(activity)


def _surface(activity: Activity) -> None:
    with transaction.atomic():
        update_activities(
            actor=system_actor(activity.workspace_id, POSTMAN), activities=[activity],
            status=ActivityStatus.SURFACED,
            classification={"reasoning": together(activity.reasoning, BOUNCED)},
        )  # fmt: skip
        publish(
            "activity.raised",
            {
                "activity_id": activity.pk, "status": ActivityStatus.SURFACED,
                "reason": BOUNCED.as_json(), "by": POSTMAN,
            },
            workspace_id=activity.workspace_id,
        )  # fmt: skip
