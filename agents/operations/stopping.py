"""The brake: an agent is paused, let act again, or stopped with all that it has under way.

Stopping goes in short transactions. The first pauses the agent, so that nothing of it can be
proposed or approved from then on, and leaves a job that goes over it again: it ends what a death
cut short, and takes back mail that was just being sent and waits for another try instead. Then
each proposal and each message is ended under its own lock, so that it has left or is stopped, never
both.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from agents import receipts
from agents.approval import closing
from agents.approval.answered import lock_answered
from agents.approval.status import lock
from agents.models import (
    Agent,
    AgentStatus,
    Approval,
    ApprovalState,
    Schedule,
    ScheduleState,
    Token,
)
from agents.receipts import ReceiptEntry
from inbox.actor import Actor
from inbox.background.jobs import Payload, RetryLater, enqueue
from inbox.models import Submission
from inbox.operations.batched import in_chunks
from inbox.reasons import ReasonText, say
from inbox.submission_states import SubmissionState

GO_OVER = "agents.stop_again"
# So many are ended in one transaction, all locked before the first is touched.
AT_ONCE = 20
SCHEDULES_AT_ONCE = 200
# When it is gone over again, and how often while mail is still being sent.
AGAIN_AFTER = timedelta(seconds=60)
LOOK_EVERY = timedelta(seconds=30)
OPEN_SCHEDULES = (ScheduleState.PENDING, ScheduleState.RUNNING)


@dataclass(frozen=True, slots=True)
class Stopped:
    """What was stopped, and what could not be, each as a count.

    `leaving` was just being sent: it cannot be called back, but is not tried another time. `gone`
    had its fate before its turn came: it left, failed, or nobody knows.
    """

    proposals: int = 0
    mails: int = 0
    schedules: int = 0
    tokens: int = 0
    leaving: int = 0
    gone: int = 0


def pause_agent(*, agent: Agent, by: User) -> bool:
    """Keep an agent from acting; tell whether it was active."""
    return _set_status(agent, by, AgentStatus.PAUSED, "pause_agent")


def resume_agent(*, agent: Agent, by: User) -> bool:
    """Let an agent act again; tell whether it was paused."""
    return _set_status(agent, by, AgentStatus.ACTIVE, "resume_agent")


def _set_status(agent: Agent, by: User, status: AgentStatus, tool: str) -> bool:
    code = "paused_agent" if status == AgentStatus.PAUSED else "resumed_agent"
    with transaction.atomic():
        others = Agent.objects.filter(pk=agent.pk).exclude(status=status)
        changed = bool(others.update(status=status))
        if changed:
            _record(agent, by, tool, say(code, person=by.get_username(), agent=agent.name))
    agent.status = status
    return changed


def stop_agent(*, agent: Agent, by: User, revoke: bool = False) -> Stopped:
    """Pause an agent and end all that it proposed and has not left; with `revoke` its tokens too.

    Done twice, the second time finds nothing. Waiting approvals are rejected with the reason
    "stopped by …"; approved mail that has not begun to leave is taken back and does not wait again.
    """
    with transaction.atomic():
        paused = pause_agent(agent=agent, by=by)
        tokens = _revoke_tokens(agent, by) if revoke else 0
        _go_over_again(agent, by)
    underway = list(_approved(agent).values_list("pk", flat=True))
    proposals = _end_all(_waiting(agent), by, _refuse)
    mails = _end_all(_approved(agent), by, _take_back)
    schedules = _cancel_schedules(agent, by)
    # One that leaves while these are counted is counted once: as leaving.
    leaving = set(_sending(agent).values_list("pk", flat=True))
    gone = _count_fates([key for key in underway if key not in leaving])
    stopped = Stopped(proposals, mails, schedules, tokens, len(leaving), gone)
    if paused or any((proposals, mails, schedules, tokens)):
        words = say("stopped_agent", person=by.get_username(), agent=agent.name)
        _record(agent, by, "stop_agent", words, asdict(stopped))
    return stopped


def finish_stop(payload: Payload) -> None:
    """End what a stop has left: cut short, in flight at the time, or back from being sent.

    Raises RetryLater while a message of before the stop is still being sent.
    """
    agent = Agent.objects.get(pk=payload["agent_id"])
    by = User.objects.get(pk=payload["by_id"])
    before = datetime.fromisoformat(payload["before"])
    # One that acts again has begun anew; what it proposed since is not meant.
    since_is_meant = agent.status == AgentStatus.PAUSED
    limits: dict[str, Any] = {} if since_is_meant else {"created_at__lte": before}
    _end_all(_waiting(agent).filter(**limits), by, _refuse)
    _end_all(_approved(agent).filter(**limits), by, _take_back)
    _cancel_schedules(agent, by, **limits)
    if _sending(agent).filter(**limits).exists():
        raise RetryLater("Mail is still being sent.", timezone.now() + LOOK_EVERY)


def _go_over_again(agent: Agent, by: User) -> None:
    now = timezone.now()
    enqueue(
        GO_OVER, {"agent_id": agent.pk, "by_id": by.pk, "before": now.isoformat()},
        workspace_id=agent.workspace_id, key=f"{GO_OVER}:{agent.pk}:{now.isoformat()}",
        run_at=now + AGAIN_AFTER,
    )  # fmt: skip


def waiting_of(agent: Agent) -> QuerySet[Approval]:
    """Return what stopping would reject, oldest first, without the bytes of mail."""
    rows: QuerySet[Approval] = _waiting(agent).select_related("submission__draft")
    return rows.defer("submission__mime").order_by("pk")


def approved_of(agent: Agent) -> QuerySet[Approval]:
    """Return the approved mail that has not left yet: what is pending, and what is being sent."""
    rows: QuerySet[Approval] = _underway(agent).select_related("submission__draft")
    return rows.defer("submission__mime").order_by("pk")


def schedules_of(agent: Agent) -> QuerySet[Schedule]:
    """Return what is still to happen, the next first."""
    rows = Schedule.objects.filter(workspace_id=agent.workspace_id, agent=agent)
    rows = rows.filter(state__in=OPEN_SCHEDULES)
    return rows.order_by("trigger_at", "pk")


def _waiting(agent: Agent) -> QuerySet[Approval]:
    rows = Approval.objects.filter(workspace_id=agent.workspace_id, agent=agent)
    return rows.filter(state=ApprovalState.WAITING)


def _underway(agent: Agent) -> QuerySet[Approval]:
    rows = Approval.objects.filter(workspace_id=agent.workspace_id, agent=agent)
    states = (SubmissionState.PENDING, SubmissionState.SENDING)
    return rows.filter(state=ApprovalState.APPROVED, submission__state__in=states)


def _approved(agent: Agent) -> QuerySet[Approval]:
    return _underway(agent).filter(submission__state=SubmissionState.PENDING)


def _sending(agent: Agent) -> QuerySet[Approval]:
    return _underway(agent).filter(submission__state=SubmissionState.SENDING)


def _end_all(rows: QuerySet[Approval], by: User, end: Callable[[Approval, User], bool]) -> int:
    """End what is there, a few in each transaction; return how many were."""
    ended = 0
    for chunk in _in_turns(rows):
        with transaction.atomic():
            # All locks come before the first receipt: whoever waits for that holds one at most.
            locked = [lock(approval) for approval in chunk]
            lock_answered(_person(locked[0].agent, by), locked)
            ended += sum(end(current, by) for current in locked)
    return ended


def _in_turns(rows: QuerySet[Approval]) -> Iterator[list[Approval]]:
    """Yield the rows in pieces by their key, each read when its turn comes."""
    last = 0
    while chunk := list(rows.filter(pk__gt=last).only("submission_id").order_by("pk")[:AT_ONCE]):
        last = chunk[-1].pk
        yield chunk


def _refuse(current: Approval, by: User) -> bool:
    if current.state != ApprovalState.WAITING:
        return False
    closing.refuse(current, by, _words(by))
    return True


def _take_back(current: Approval, by: User) -> bool:
    submission = current.submission
    is_there = submission is not None and submission.state == SubmissionState.PENDING
    if not is_there or current.state != ApprovalState.APPROVED:
        return False
    closing.take_back(current, by, _words(by))
    return True


def _cancel_schedules(agent: Agent, by: User, **limits: Any) -> int:
    canceled = 0
    keys = list(schedules_of(agent).filter(**limits).values_list("pk", flat=True))
    for chunk in in_chunks(sorted(keys), SCHEDULES_AT_ONCE):
        with transaction.atomic():
            rows = Schedule.objects.filter(pk__in=chunk, state__in=OPEN_SCHEDULES)
            found = list(rows.select_for_update().order_by("pk"))
            Schedule.objects.filter(pk__in=[row.pk for row in found]).update(
                state=ScheduleState.CANCELED, finished_at=timezone.now(), error=_words(by)
            )
            entries = [
                ReceiptEntry("cancel_schedule", {"schedule_id": row.public_id}, _words(by))
                for row in found
            ]
            receipts.record_many(_person(agent, by), entries)
            canceled += len(found)
    return canceled


def _revoke_tokens(agent: Agent, by: User) -> int:
    live = list(Token.objects.filter(agent=agent, revoked_at=None).values_list("pk", flat=True))
    Token.objects.filter(pk__in=live).update(revoked_at=timezone.now())
    who = {"agent_id": agent.public_id}
    entries = [ReceiptEntry("revoke_token", {**who, "token_id": key}, _words(by)) for key in live]
    receipts.record_many(_person(agent, by), entries)
    return len(live)


def _count_fates(approvals: list[int]) -> int:
    """Count the messages under way that had left, or failed, before they could be stopped."""
    ended = (SubmissionState.SENT, SubmissionState.FAILED, SubmissionState.UNKNOWN)
    return sum(
        Submission.objects.filter(approval__in=chunk, state__in=ended).count()
        for chunk in in_chunks(approvals)
    )


def _words(by: User) -> ReasonText:
    return say("stopped_by", person=by.get_username())


def _person(agent: Agent, by: User) -> Actor:
    return Actor("person", by.pk, by.get_username(), (agent.workspace_id,))


def _record(agent: Agent, by: User, tool: str, words: ReasonText, result: Any = None) -> None:
    arguments = {"agent_id": agent.public_id}
    receipts.record(_person(agent, by), ReceiptEntry(tool, arguments, words, result=result))
