"""Putting an item of the queue off until a time, and taking it back; each leaves a receipt.

Nothing else changes: a snoozed approval still expires, and whoever has its address may decide it.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from agents import receipts
from agents.approval.status import ApprovalError, check_person, lock, person_actor
from agents.models import Approval, ApprovalState
from agents.receipts import ReceiptEntry
from inbox.actor import Actor
from inbox.errors import DomainError, invalid
from inbox.models import Activity, ActivityStatus, Membership, Role
from inbox.reasons import ReasonText, say
from inbox.reasons import phrase as _

LONGEST = timedelta(days=366)
SNOOZABLE = (ActivityStatus.SURFACED, ActivityStatus.NEEDS_REVIEW, ActivityStatus.QUARANTINED)


def snooze_approval(*, approval: Approval, by: User, until: datetime) -> Approval:
    """Keep what waits out of the open tabs until then.

    Raises ApprovalError: `not_allowed`, `not_waiting`, or `invalid` with `details["field"]` for a
    time that is past, too far, or not before it expires.
    """
    check_person(approval, by, even_proposer=True)
    with transaction.atomic():
        current = _lock_waiting(approval)
        problem = find_problem(until, timezone.now(), current.expires_at)
        if problem:
            raise ApprovalError("invalid", problem, {"field": "until"})
        _set(Approval, current, until)
        receipts.record(
            person_actor(current, by), _snoozed(current.public_id, until, approval=True)
        )
    approval.refresh_from_db()
    return approval


def wake_approval(*, approval: Approval, by: User) -> Approval:
    """Put a snoozed approval back at its place; raises ApprovalError as `snooze_approval` does."""
    check_person(approval, by, even_proposer=True)
    with transaction.atomic():
        current = _lock_waiting(approval)
        if current.snoozed_until is not None:
            _set(Approval, current, None)
            receipts.record(person_actor(current, by), _woken(current.public_id, approval=True))
    approval.refresh_from_db()
    return approval


def snooze_activity(*, activity: Activity, by: User, until: datetime) -> Activity:
    """Keep an open activity out of the open tabs until then.

    Raises DomainError: `permission_denied`, `conflict` where it is not open, or `invalid_input`.
    """
    actor = _decider(activity, by)
    problem = find_problem(until, timezone.now())
    if problem:
        raise invalid("until", problem, _("a time in the future, within a year"))
    with transaction.atomic():
        current = _lock_activity(activity)
        if current.status not in SNOOZABLE:
            raise DomainError("conflict", say("nothing_to_put_off", status=current.status))
        _set(Activity, current, until)
        receipts.record(actor, _snoozed(current.public_id, until))
    activity.refresh_from_db()
    return activity


def wake_activity(*, activity: Activity, by: User) -> Activity:
    """Put a snoozed activity back at its place; raises DomainError `permission_denied`."""
    actor = _decider(activity, by)
    with transaction.atomic():
        current = _lock_activity(activity)
        if current.snoozed_until is not None:
            _set(Activity, current, None)
            receipts.record(actor, _woken(current.public_id))
    activity.refresh_from_db()
    return activity


def find_problem(until: datetime, now: datetime, expires_at: datetime | None = None) -> ReasonText:
    """Return why nothing can be put off until then; empty where it can."""
    if until <= now:
        return say("time_past")
    if expires_at is not None and until >= expires_at:
        at = f"{expires_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        return say("expires_before", at=at)
    if until > now + LONGEST:
        return say("time_too_far")
    return ReasonText()


def _lock_waiting(approval: Approval) -> Approval:
    current = lock(approval)
    if current.state != ApprovalState.WAITING:
        raise ApprovalError("not_waiting", say("already", status=current.state))
    if current.expires_at <= timezone.now():
        raise ApprovalError("expired", say("expired"))
    return current


def _lock_activity(activity: Activity) -> Activity:
    return Activity.objects.select_for_update(of=("self",)).get(pk=activity.pk)


def _decider(activity: Activity, by: User) -> Actor:
    """Return who acts; raises DomainError where they may only read in that workspace."""
    place = activity.workspace_id
    deciders = Membership.objects.filter(
        user=by, workspace_id=place, role__in=[Role.OWNER, Role.REVIEWER]
    )
    if not by.is_active or not deciders.exists():
        raise DomainError("permission_denied", say("not_putting_off"))
    return Actor(kind="person", id=by.pk, name=by.get_username(), workspace_ids=(place,))


def _set(model: Any, current: Approval | Activity, until: datetime | None) -> None:
    model.objects.filter(pk=current.pk).update(snoozed_until=until)


def _snoozed(public_id: str, until: datetime, *, approval: bool = False) -> ReceiptEntry:
    at = until.astimezone(UTC).isoformat()
    return ReceiptEntry(
        tool="snooze", reason=say("put_off", at=at), approval=public_id if approval else "",
        arguments={_named(approval): public_id, "until": at},
    )  # fmt: skip


def _woken(public_id: str, *, approval: bool = False) -> ReceiptEntry:
    return ReceiptEntry(
        tool="wake", reason=say("woken_early"), approval=public_id if approval else "",
        arguments={_named(approval): public_id},
    )  # fmt: skip


def _named(approval: bool) -> str:
    return "approval_id" if approval else "activity_id"
