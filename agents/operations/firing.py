"""What comes due: each schedule fires once, late where nothing could fire it in time, and says so.

The effect, its receipts and the schedule's state are one transaction, so that whatever dies in
between leaves all of it or nothing.
"""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from agents import receipts
from agents.dispatching.actors import current_actor
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Approval, ApprovalState, Outcome, Schedule, ScheduleState, ScheduleType
from agents.operations.schedules import find_tool, job_key
from agents.receipts import ReceiptEntry
from inbox import ids
from inbox.actor import system_actor
from inbox.background.jobs import Payload, RetryLater, publish
from inbox.models import (
    Activity,
    ActivitySource,
    ActivityStatus,
    ActivityType,
    Job,
    JobState,
    Urgency,
)
from inbox.operations.batched import in_chunks
from inbox.reasons import ReasonText, own, say, together

SCHEDULER = "Scheduler"
# From so much on it says that it is late; the worker looks once a second.
LATE_AFTER = timedelta(seconds=5)
# A worker that ended holds back what it was doing for so long.
LEASE = timedelta(seconds=6)
MOST_ATTEMPTS = 5
FIRST_PAUSE = timedelta(seconds=10)
# What no second try would mend.
_FOR_GOOD = frozenset(
    {"invalid_input", "permission_denied", "policy_blocked", "unauthenticated", "not_found"}
)
_OPEN = (ScheduleState.PENDING, ScheduleState.RUNNING)
_LOOKED_AT = 200
_LONGEST_TITLE = 200


def fire(payload: Payload) -> None:
    """Do what is due; where that failed and may be tried again, raise RetryLater."""
    with transaction.atomic():
        retry_at, words = _fire(payload["schedule_id"])
    if retry_at is not None:
        raise RetryLater(words, at=retry_at)


def _fire(pk: int) -> tuple[datetime | None, str]:
    rows = Schedule.objects.filter(pk=pk, state__in=_OPEN).select_for_update(of=("self",))
    schedule = rows.select_related("agent").first()
    if schedule is None:
        return None, ""
    now = timezone.now()
    if now < schedule.trigger_at:
        return schedule.trigger_at, "It is not due yet."
    late = now - schedule.trigger_at
    schedule.late_by = int(late.total_seconds()) if late >= LATE_AFTER else 0
    if schedule.type == ScheduleType.NOTIFICATION:
        note = _note(schedule, now)
        _finish(schedule, ScheduleState.FIRED, {"activity_id": note.public_id})
        return None, ""
    return _run_command(schedule)


def _note(schedule: Schedule, now: datetime) -> Activity:
    """Put the note before the reviewers."""
    asked = f"{schedule.created_at:%Y-%m-%d %H:%M} UTC"
    words = schedule.command.strip()
    title = (words.splitlines() or [""])[0][:_LONGEST_TITLE]
    note = Activity.objects.create(
        workspace_id=schedule.workspace_id,
        source=ActivitySource.NOTE,
        source_id=schedule.public_id,
        sender=schedule.agent.name,
        title=title,
        content=words,
        summary=title,
        status=ActivityStatus.SURFACED,
        activity_type=ActivityType.INFORMATION,
        urgency=Urgency.NORMAL,
        autonomy_tier=4,
        confidence=1.0,
        reasoning=together(
            say("told_on_time", agent=schedule.agent.name, at=asked), lateness(schedule)
        ),
        suggested_actions=[say("read_note")],
        option_framing=say("note_options"),
        created_at=now,
    )
    for fact in ("activity.created", "activity.surfaced"):
        publish(fact, {"activity_ids": [note.pk]}, workspace_id=note.workspace_id)
    return note


def _run_command(schedule: Schedule) -> tuple[datetime | None, str]:
    """Call the tool as the agent stands now."""
    actor = current_actor(schedule.agent)
    try:
        _, key = find_tool(schedule.command, schedule.payload)
        # Arguments that carry a key have said what "the same call" is.
        own_key = None if key is not None else job_key(schedule.pk)
        answer = call(schedule.command, schedule.payload, actor, own_key)
    except ToolError as error:
        if error.code == "approval_required":
            schedule.approval = str(error.details.get("approval_id", ""))
            _finish(schedule, ScheduleState.WAITING, {"approval_id": schedule.approval})
            return None, ""
        return _try_again(schedule, error)
    schedule.receipt = answer.receipt_id
    if answer.approval is not None:
        schedule.approval = answer.approval.public_id
        _finish(schedule, ScheduleState.WAITING, {"approval_id": schedule.approval})
    else:
        _finish(schedule, ScheduleState.FIRED, {"receipt_id": answer.receipt_id})
    return None, ""


def _try_again(schedule: Schedule, error: ToolError) -> tuple[datetime | None, str]:
    """Return when to try again; where that is of no use, or was tried often enough, it failed."""
    schedule.attempts += 1
    schedule.error = say("call_failed", error=error.code, why=own(error.message))
    if error.code in _FOR_GOOD or schedule.attempts >= MOST_ATTEMPTS:
        _finish(schedule, ScheduleState.FAILED, error.as_json(), error.code)
        return None, ""
    schedule.state = ScheduleState.RUNNING
    schedule.save(update_fields=["state", "attempts", "error"])
    return timezone.now() + FIRST_PAUSE * 2 ** (schedule.attempts - 1), schedule.error


def _finish(schedule: Schedule, state: str, result: dict[str, Any], error_code: str = "") -> None:
    """Store what came of it with its receipt, and tell of it, in the caller's transaction."""
    schedule.state, schedule.finished_at = state, timezone.now()
    if state in {ScheduleState.FIRED, ScheduleState.WAITING}:
        schedule.error = ReasonText()
    schedule.save(
        update_fields=[
            "state", "finished_at", "late_by", "attempts", "error", "receipt", "approval",
        ]
    )  # fmt: skip
    words = {
        ScheduleState.FIRED: say("came_due"),
        ScheduleState.WAITING: say("due_waits"),
        ScheduleState.FAILED: say("due_failed", why=schedule.error),
    }[ScheduleState(state)]
    due = schedule.trigger_at.isoformat().replace("+00:00", "Z")
    entry = ReceiptEntry(
        tool=f"schedule.{state}",
        arguments={
            "schedule_id": schedule.public_id, "type": schedule.type, "command": schedule.command,
            "agent": schedule.agent.name, "trigger_at": due,
        },
        reason=together(words, lateness(schedule)),
        approval=schedule.approval,
        outcome=Outcome.ERROR if error_code else Outcome.OK,
        error_code=error_code,
        result={**result, "late": schedule.late_by > 0, "late_by_seconds": schedule.late_by},
    )  # fmt: skip
    receipt = receipts.record(system_actor(schedule.workspace_id, SCHEDULER), entry)
    if not schedule.receipt:
        Schedule.objects.filter(pk=schedule.pk).update(receipt=receipt.public_id)
    _tell(schedule)


def lateness(schedule: Schedule) -> ReasonText:
    """Return in words by how much it fired too late; empty where it did not."""
    if not schedule.late_by:
        return ReasonText()
    due = f"{schedule.trigger_at:%Y-%m-%d %H:%M:%S} UTC"
    return say("late_by", late=timedelta(seconds=schedule.late_by), at=due)


def _tell(schedule: Schedule) -> None:
    payload = {
        "schedule_ids": [schedule.pk], "agent_ids": [schedule.agent_id], "state": schedule.state,
        "late_by": schedule.late_by,
    }  # fmt: skip
    publish("schedule.fired", payload, workspace_id=schedule.workspace_id)


def fail_lost(now: datetime | None = None) -> int:
    """Mark as failed what has no job any more that would do it; return how many.

    That is a job which was given up, for instance because it ended its worker each time.
    """
    now = now or timezone.now()
    due = Schedule.objects.filter(state__in=_OPEN, trigger_at__lt=now - 4 * LATE_AFTER)
    late = list(due.order_by("trigger_at").values_list("pk", flat=True)[:_LOOKED_AT])
    if not late:
        return 0
    alive = Job.objects.filter(
        Q(state=JobState.QUEUED) | Q(state=JobState.RUNNING), key__in=map(job_key, late)
    )
    there = set(alive.values_list("key", flat=True))
    lost = [pk for pk in late if job_key(pk) not in there]
    return sum(_give_up(pk) for pk in lost)


def _give_up(pk: int) -> bool:
    with transaction.atomic():
        rows = Schedule.objects.filter(pk=pk, state__in=_OPEN).select_for_update(of=("self",))
        schedule = rows.select_related("agent").first()
        if schedule is None:
            return False
        schedule.error = schedule.error or say("job_given_up")
        _finish(schedule, ScheduleState.FAILED, {"message": schedule.error}, "internal")
        return True


def settle_waiting() -> int:
    """Carry over what persons decided of the calls that wait for them; return how many."""
    rows = Schedule.objects.filter(state=ScheduleState.WAITING).values_list("approval", "pk")
    settled = 0
    for chunk in in_chunks(rows.iterator()):
        waiting = {_approval_key(public_id): pk for public_id, pk in chunk}
        approvals = Approval.objects.filter(pk__in=waiting).exclude(state=ApprovalState.WAITING)
        decided = approvals.select_related("replaced_by").order_by("pk")[:_LOOKED_AT]
        settled += sum(_settle(waiting[one.pk], one.newest()) for one in decided)
    return settled


def _approval_key(public_id: str) -> int:
    return (ids.decode(Approval.ID_PREFIX, public_id) or (0,))[0]


def _ended(approval: Approval) -> ReasonText:
    """Return why nothing will be done: a person, or time, decided against it."""
    if approval.note:
        return say("approval_was_for", status=approval.state, why=own(approval.note))
    return say("approval_was", status=approval.state)


def _settle(waiting: int, approval: Approval) -> bool:
    if approval.state == ApprovalState.WAITING:
        return False
    with transaction.atomic():
        rows = Schedule.objects.filter(pk=waiting, state=ScheduleState.WAITING)
        schedule = rows.select_for_update(of=("self",)).select_related(
            "agent"
        ).first()  # fmt: skip
        if schedule is None:
            return False
        result = {"approval_id": approval.public_id, "state": approval.state}
        if approval.state == ApprovalState.APPROVED:
            _finish(schedule, ScheduleState.FIRED, result)
        else:
            schedule.error = _ended(approval)
            _finish(schedule, ScheduleState.FAILED, result, "conflict")
        return True
