"""What agents' side does with the facts of the domain: classify what came in, write receipts."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from django.db import transaction

from agents import receipts
from agents.approval.answered import open_answered
from agents.approval.checking import check_message
from agents.approval.due import CHECK, READ, check_due
from agents.approval.expiring import end_with_submission, expire_due, extend_due
from agents.approval.status import wait_again
from agents.consulting import backend, reading, remembering, summarising
from agents.models import Approval, ApprovalState, Receipt
from agents.notices import bundling, collecting, delivering, preferences, sign_ins
from agents.operations import firing, stopping
from agents.operations.a2a import settling
from agents.operations.exposures import purge_exposures
from agents.operations.presence import forget_absent
from agents.operations.schedules import FIRE
from agents.operations.setup import demo, demo_agent
from agents.operations.webhooks.event_log import note, write_log
from agents.planted import planting, telling
from agents.quotas.counting import purge_counts
from agents.recall.embedding import embed_memories
from agents.receipts import ReceiptEntry
from agents.submission_entries import fate_of, rewriting_of
from agents.surfaces.a2a.pushes import deliver
from calendar_app.models import CalendarFeed
from inbox.actor import Actor, system_actor
from inbox.background.fairness import in_shares
from inbox.background.jobs import Payload, handler, publish, record_facts, subscribe
from inbox.background.periodic import periodic
from inbox.models import (
    Account,
    Activity,
    ActivityStatus,
    DeliveryReport,
    ModelTask,
    ReportKind,
    Submission,
    Thread,
)
from inbox.operations.activities.activities import (
    Classified,
    classify_messages,
    keep_activities,
    tell_surfaced,
)
from inbox.reasons import say
from inbox.reasons.text import read as read_reasons
from inbox.submission_states import SubmissionState
from inbox.understanding import register_backend

CLASSIFIER = "Classifier"
SENDER = "Sender"
CLOCK = "Clock"
# As many recipients of one report stand in its receipt.
REPORTED = 20

periodic(15)(embed_memories)
periodic(30)(extend_due)
periodic(30)(expire_due)
periodic(planting.EVERY_SECONDS)(planting.plant_due)
periodic(60)(telling.tell_due)
periodic(1)(write_log)
record_facts(note)
handler(CHECK)(check_message)
handler(READ)(reading.read_waiting)
handler(remembering.ASK)(remembering.ask_model)
remembering.remade_by(ModelTask.DRAFT, backend.remake_reply)
remembering.remade_by(ModelTask.EXTRACT, backend.remake_extraction)
remembering.remade_by(ModelTask.TRIAGE, backend.remake_sorting)
remembering.remade_by(ModelTask.SUMMARISE, summarising.remake_summary)
register_backend(backend.NAME, backend.make_backends)
handler(FIRE, lease=firing.LEASE)(firing.fire)
handler(stopping.GO_OVER)(stopping.finish_stop)
handler(demo.FILL, lease=demo.FILL_LEASE)(demo.fill)
handler(demo_agent.WORK, lease=demo_agent.WORK_LEASE)(demo_agent.work)
periodic(60)(firing.fail_lost)
periodic(60)(forget_absent)
periodic(3600)(purge_exposures)
periodic(3600)(purge_counts)
periodic(30)(firing.settle_waiting)
periodic(3600)(settling.remove_old)
handler(settling.PUSH)(deliver)
subscribe("approval.approved_first", "notices.second")(collecting.note_second)
subscribe("approval.extended", "notices.extended")(collecting.note_extended)
subscribe("activity.surfaced", "notices.surfaced")(collecting.note_surfaced)
periodic(60)(collecting.note_expiring)
periodic(10)(bundling.make_bundles)
periodic(3600)(bundling.remove_old_notices)
handler(bundling.TELL)(delivering.tell)
handler(preferences.CODE)(preferences.mail_code)
handler(sign_ins.TELL)(sign_ins.tell)


@subscribe("approval.created", "notices.approval")
def note_proposed(payload: Payload) -> None:
    """Check what was proposed, and note it for those who want to be told of it.

    What a quota holds is checked when it is looked at.
    """
    rows = Approval.objects.filter(pk=payload["approval_id"], checks_due=True, held_by="")
    check_due(rows.only("pk", "checks_due"))
    collecting.note_approval(payload)


@subscribe("message.received", "agents.classify")
def classify_received(payload: Payload) -> None:
    """Make activities of the messages, with a receipt for each classification.

    Classifying takes long and is done before anything is written.
    """
    for share in in_shares(classify_messages(payload["message_ids"])):
        _keep_classified(share)


def _keep_classified(classified: Sequence[Classified]) -> None:
    with transaction.atomic():
        made = keep_activities(classified)
        record_classifications(made)
        for workspace_id, created in _by_workspace(made).items():
            payload = {
                "activity_ids": [activity.pk for activity in created],
                "message_ids": [activity.message_id for activity in created],
            }
            publish("activity.created", payload, workspace_id=workspace_id, priority=8)
        tell_surfaced(each for each in made if each.status == ActivityStatus.SURFACED)


def _by_workspace(activities: Iterable[Activity]) -> dict[int, list[Activity]]:
    found: dict[int, list[Activity]] = defaultdict(list)
    for activity in activities:
        found[activity.workspace_id].append(activity)
    return found


def record_classifications(activities: list[Activity]) -> None:
    """Write the receipts of classified activities, in the caller's transaction."""
    for workspace_id, classified in _by_workspace(activities).items():
        entries = [_classification(activity) for activity in classified]
        receipts.record_many(system_actor(workspace_id, CLASSIFIER), entries)


def _classification(activity: Activity) -> ReceiptEntry:
    return ReceiptEntry(
        tool="classify_activity",
        arguments={"activity_id": activity.public_id, "source_id": activity.source_id},
        reason=activity.reasoning,
        result={
            "status": activity.status,
            "activity_type": activity.activity_type,
            "urgency": activity.urgency,
            "autonomy_tier": activity.autonomy_tier,
            "confidence": activity.confidence,
        },
    )


@subscribe("activity.raised", "agents.record_raised")
def record_raised(payload: Payload) -> None:
    """Write the receipt of an activity that the system itself put before a person."""
    activity = Activity.objects.get(pk=payload["activity_id"])
    entry = ReceiptEntry(
        tool="update_activities",
        arguments={"activity_ids": [activity.public_id], "updates": {"status": payload["status"]}},
        reason=read_reasons(payload["reason"]),
        result={"updated_count": 1, "activity_ids": [activity.public_id]},
        idempotency_key=f"activity.raised:{activity.pk}:{payload['status']}",
    )
    _record_entry_once(system_actor(activity.workspace_id, payload["by"]), entry)


@subscribe("thread.woken", "agents.record_woken")
def record_woken(payload: Payload) -> None:
    """Write the receipts of threads that opened again because their snooze ended."""
    threads = Thread.objects.in_bulk(payload["thread_ids"])
    for key, end in zip(payload["thread_ids"], payload["ends"], strict=True):
        if key not in threads:
            continue
        entry = ReceiptEntry(
            tool="thread_update",
            arguments={"thread_id": threads[key].public_id, "status": "open"},
            reason=say("snooze_ended", at=end),
            idempotency_key=f"thread.woken:{key}:{end}",
        )
        _record_entry_once(system_actor(threads[key].workspace_id, CLOCK), entry)


@subscribe("submission.sent", "agents.record_sent")
def record_sent(payload: Payload) -> None:
    """Write the receipt of a message that a server took."""
    _record_fate(payload, SubmissionState.SENT)


@subscribe("submission.failed", "agents.record_failed")
def record_failed(payload: Payload) -> None:
    """Write the receipt of a message that no server took; what it answers is open again."""
    _record_fate(payload, SubmissionState.FAILED)


@subscribe("submission.unknown", "agents.record_unknown")
def record_unknown(payload: Payload) -> None:
    """Write the receipt of a message of which nobody knows whether it left."""
    _record_fate(payload, SubmissionState.UNKNOWN)


@subscribe("submission.rewritten", "agents.record_rewritten")
def record_rewritten(payload: Payload) -> None:
    """Write the receipt of sent mail that its provider keeps otherwise than it was sealed."""
    submission = _submission(payload)
    with transaction.atomic():
        _record_entry_once(system_actor(submission.workspace_id, SENDER), rewriting_of(submission))


@subscribe("submission.voided", "agents.record_voided")
def record_voided(payload: Payload) -> None:
    """End the approval of a message that was voided, or write that it was, if approved already."""
    _end_approval(payload, SubmissionState.VOIDED)


@subscribe("submission.expired", "agents.record_expired")
def record_expired(payload: Payload) -> None:
    """End the approval of a message that nobody decided in time."""
    _end_approval(payload, SubmissionState.EXPIRED)


@subscribe("submission.held", "agents.wait_again")
def wait_for_a_person_again(payload: Payload) -> None:
    """Open the approval of a message anew that a restored backup took back."""
    submission = _submission(payload)
    approval = Approval.objects.filter(submission=submission).first()
    if approval is not None:
        with transaction.atomic():
            wait_again(approval)


# Jobs that 0.2.0 stored are of this kind.
@subscribe("account.set_up", "agents.record_account_deed")
def record_account_change(payload: Payload) -> None:
    """Write the receipt of what a person did with an account."""
    account = Account.objects.get(pk=payload["account_id"])
    by = Actor(payload["by_kind"], payload["by_id"], payload["by_name"], (account.workspace_id,))
    arguments: dict[str, Any] = {"account_id": account.public_id, "address": account.address}
    if payload["changed"]:
        arguments["changed"] = payload["changed"]
    entry = ReceiptEntry(
        tool=_tool_of(payload), arguments=arguments, reason=say("set_up_by", person=by.name),
        idempotency_key=f"{_tool_of(payload)}:{account.pk}:{payload['once']}",
    )  # fmt: skip
    with transaction.atomic():
        _record_entry_once(by, entry)


@subscribe("feed.set_up", "agents.record_feed")
def record_feed(payload: Payload) -> None:
    """Write the receipt of an address at which a person shares a calendar, or no longer does."""
    feed = CalendarFeed.objects.select_related("calendar").get(pk=payload["feed_id"])
    by = Actor(payload["by_kind"], payload["by_id"], payload["by_name"], (feed.workspace_id,))
    entry = ReceiptEntry(
        tool=payload["tool"],
        arguments={
            "feed_id": feed.public_id, "calendar_id": feed.calendar.public_id,
            "detail": feed.detail, "name": feed.name,
        },
        reason=say("set_up_by", person=by.name),
        idempotency_key=f"{payload['tool']}:{feed.pk}",
    )  # fmt: skip
    with transaction.atomic():
        _record_entry_once(by, entry)


@subscribe("workspace.created", "agents.record_workspace")
def record_workspace(payload: Payload) -> None:
    """Write the first receipt of a workspace: who made it, and who owns it."""
    by = Actor(payload["by_kind"], payload["by_id"], payload["by_name"], (payload["workspace_id"],))
    entry = ReceiptEntry(
        tool="create_workspace",
        arguments={"name": payload["name"], "owner": payload["owner"]},
        reason=say("made_workspace", person=by.name, owner=payload["owner"]),
        idempotency_key="workspace.created",
    )  # fmt: skip
    with transaction.atomic():
        _record_entry_once(by, entry)


@subscribe("understanding.saved", "agents.record_saved")
def record_saved(payload: Payload) -> None:
    """Write the receipt of a policy, taxonomy or schema that a person saved."""
    by = Actor(payload["by_kind"], payload["by_id"], payload["by_name"], (payload["workspace_id"],))
    what = {name: payload[name] for name in ("id", "name", "version")}
    entry = ReceiptEntry(
        tool=_tool_of(payload), arguments=what,
        reason=say("saved_version", person=by.name, version=what["version"]),
        idempotency_key=f"{_tool_of(payload)}:{what['id']}:{payload['once']}",
    )  # fmt: skip
    with transaction.atomic():
        _record_entry_once(by, entry)


def _tool_of(payload: Payload) -> str:
    """Return the tool's name for the receipt; jobs that 0.2.0 stored have it as `deed`."""
    return str(payload["tool"] if "tool" in payload else payload["deed"])


@subscribe("submission.bounced", "agents.record_bounced")
def record_bounced(payload: Payload) -> None:
    """Write the receipt of a report that a message did not arrive."""
    _record_report(payload, ReportKind.FAILED, "submission.bounced")


@subscribe("submission.delayed", "agents.record_delayed")
def record_delayed(payload: Payload) -> None:
    """Write the receipt of a report that a message has not arrived yet."""
    _record_report(payload, ReportKind.DELAYED, "submission.delayed")


@subscribe("submission.auto_replied", "agents.record_auto_replied")
def record_auto_replied(payload: Payload) -> None:
    """Write the receipt of an automatic answer to a message."""
    _record_report(payload, ReportKind.AWAY, "submission.auto_replied")


def _record_report(payload: Payload, kind: ReportKind, tool: str) -> None:
    """Write down what came back; it says what somebody reports, not what is known."""
    submission = _submission(payload)
    reports = DeliveryReport.objects.filter(
        submission=submission, message_id=payload["message_id"], kind=kind
    )
    approval = Approval.objects.filter(submission=submission).first()
    said = [
        {"recipient": report.recipient, "status": report.status, "words": report.words[:200]}
        for report in reports[:REPORTED]
    ]
    entry = ReceiptEntry(
        tool=tool,
        arguments={"submission_id": submission.public_id},
        reason=say("incoming_says"),
        approval=approval.public_id if approval else "",
        result={"message_id": submission.message_public_id, "reports": said},
        idempotency_key=f"{tool}:{submission.pk}:{payload['message_id']}",
    )
    with transaction.atomic():
        _record_entry_once(system_actor(submission.workspace_id, SENDER), entry)


def _end_approval(payload: Payload, state: str) -> None:
    submission = _submission(payload)
    approval = Approval.objects.filter(submission=submission).first()
    if approval is None:
        return
    with transaction.atomic():
        if (
            not end_with_submission(approval, submission)
            and approval.state == ApprovalState.APPROVED
        ):
            _record_unsent(submission, state, approval)


def _record_fate(payload: Payload, state: str) -> None:
    submission = _submission(payload)
    approval = Approval.objects.filter(submission=submission).first()
    with transaction.atomic():
        if state == SubmissionState.FAILED and approval is not None:
            _record_unsent(submission, state, approval)
        else:
            _record_once(submission, state, approval)


def _record_unsent(submission: Submission, state: str, approval: Approval) -> None:
    """Write that approved mail did not leave, and open again what it would have answered."""
    approval.submission = submission
    actor = system_actor(submission.workspace_id, SENDER)
    why = say("answer_not_sent", approval=approval.public_id)
    opened = open_answered(approval, actor, why)
    _record_once(submission, state, approval)
    receipts.record_many(actor, opened)


def _submission(payload: Payload) -> Submission:
    return Submission.objects.defer("mime").get(pk=payload["submission_id"])


def _record_once(submission: Submission, state: str, approval: Approval | None) -> None:
    """Write the receipt of what became of a message; the handler may run twice."""
    actor = system_actor(submission.workspace_id, SENDER)
    tool = f"submission.{state}"
    key = f"{tool}:{submission.pk}"
    _record_entry_once(actor, fate_of(submission, tool, key, approval))


def _record_entry_once(actor: Actor, entry: ReceiptEntry) -> None:
    key = entry.idempotency_key
    mine = Receipt.objects.visible_to(actor).filter(actor=actor.key, idempotency_key=key)
    if not mine.exists():
        receipts.record(actor, entry)
