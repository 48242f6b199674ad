"""What people want to be told of, noted as it happens: once for each person and thing."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import TypeVar

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from agents.models import (
    Approval,
    ApprovalState,
    HeldBy,
    NoticeItem,
    NoticeKind,
    NoticeSettings,
    PushSubscription,
)
from agents.oversight.delegates import NOBODY, barred_from, read_teams
from inbox.background.jobs import Payload
from inbox.models import Activity, ActivityStatus, Urgency

# An approval that ends within so long is about to expire.
SOON = timedelta(hours=2)
# As many of them are noted at a time.
AT_ONCE = 500
_READ = (
    "pk", "workspace_id", "risk_flags", "expires_at", "first_approver", "submission__proposed_by",
)  # fmt: skip


def note_approval(payload: Payload) -> None:
    """Note a proposal for those who want to be told of it.

    Of what quotas hold of an agent the first alone is noted: it stands for all of them.
    """
    before = Approval.objects.over_quota().filter(agent=OuterRef("agent"), pk__lt=OuterRef("pk"))
    rows = Approval.objects.filter(pk=payload["approval_id"], state=ApprovalState.WAITING)
    rows = rows.filter(Q(held_by="") | ~Exists(before)).exclude(held_by=HeldBy.WRITER)
    approvals = list(rows.select_related("submission").only(*_READ))
    _note_approvals(approvals, _kind_of_new)


def note_second(payload: Payload) -> None:
    """Note what one person has approved and another has to, for the others told of proposals."""
    rows = Approval.objects.filter(pk=payload["approval_id"], state=ApprovalState.WAITING)
    rows = rows.exclude(first_approver=None)
    _note_approvals(list(rows.select_related("submission").only(*_READ)), _kind_of_second)


def note_extended(payload: Payload) -> None:
    """Note what waits longer for the delegates of those who are away, whatever they asked for."""
    rows = Approval.objects.filter(pk=payload["approval_id"], state=ApprovalState.WAITING)
    approvals = list(rows.select_related("submission").only(*_READ))
    teams = read_teams(one.workspace_id for one in approvals)
    tellable = {each.user_id: each for each in _tellable()} if teams else {}
    now = timezone.now()
    _keep(
        _item(NoticeKind.EXPIRING, approval, tellable[user], now)
        for approval in approvals
        if approval.workspace_id in teams
        for user in teams[approval.workspace_id].only_delegates(barred_from(approval))
        if user in tellable
    )


def note_surfaced(payload: Payload) -> None:
    """Note urgent activities that were put before people."""
    rows = Activity.objects.filter(
        pk__in=payload["activity_ids"], urgency=Urgency.HIGH, status=ActivityStatus.SURFACED
    )
    found = list(rows.only("pk", "workspace_id"))
    now = timezone.now()
    _keep(
        NoticeItem(
            settings=told, kind=NoticeKind.URGENT, workspace_id=activity.workspace_id,
            activity=activity, created_at=now,
        )
        for activity, wishing, told in _told(found)
        if NoticeKind.URGENT in wishing.kinds
    )  # fmt: skip


def note_expiring(now: datetime | None = None) -> None:
    """Note what ends soon and nobody has been told of in that way."""
    now = now or timezone.now()
    # Of a workspace where nobody asked for it, nothing would ever be noted, and stand in the way.
    wishing = [each for each in _tellable() if NoticeKind.EXPIRING in each.kinds]
    workspaces = set[int]().union(*(workspaces_of(each) for each in wishing))
    noted = NoticeItem.objects.filter(kind=NoticeKind.EXPIRING, approval=OuterRef("pk"))
    rows = Approval.objects.filter(
        ~Exists(noted), workspace__in=workspaces, state=ApprovalState.WAITING, expires_at__gt=now,
        expires_at__lte=now + SOON,
    )  # fmt: skip
    rows = rows.order_by("expires_at").select_related("submission").only(*_READ)
    _note_approvals(list(rows[:AT_ONCE]), _kind_of_expiring)


def _note_approvals(
    approvals: Sequence[Approval], kind_for: Callable[[Approval, NoticeSettings], str]
) -> None:
    now = timezone.now()
    _keep(
        _item(kind, approval, told, now)
        for approval, wishing, told in _told(approvals)
        if (kind := kind_for(approval, wishing))
    )


def _item(kind: str, approval: Approval, told: NoticeSettings, now: datetime) -> NoticeItem:
    return NoticeItem(
        settings=told, kind=kind, workspace_id=approval.workspace_id, approval=approval,
        expires_at=approval.expires_at, created_at=now,
    )  # fmt: skip


def _kind_of_new(approval: Approval, settings: NoticeSettings) -> str:
    """Return the kind of notice that a person gets of a new proposal; empty where they get none."""
    if NoticeKind.APPROVAL in settings.kinds:
        return NoticeKind.APPROVAL
    is_flagged = bool(approval.risk_flags) and NoticeKind.FLAGGED in settings.kinds
    return NoticeKind.FLAGGED if is_flagged else ""


def _kind_of_second(approval: Approval, settings: NoticeSettings) -> str:
    is_told = {NoticeKind.APPROVAL, NoticeKind.FLAGGED} & set(settings.kinds)
    is_other = settings.user_id != approval.first_approver_id
    return NoticeKind.SECOND if is_told and is_other else ""


def _kind_of_expiring(_approval: Approval, settings: NoticeSettings) -> str:
    return NoticeKind.EXPIRING if NoticeKind.EXPIRING in settings.kinds else ""


Row = TypeVar("Row", Approval, Activity)


def _told(rows: Sequence[Row]) -> list[tuple[Row, NoticeSettings, NoticeSettings]]:
    """Return each row with everybody who may see it and wants to be told: whose wish, who is told.

    For somebody who is away that is their delegate, where they can be told of it.
    """
    workspaces = {row.workspace_id for row in rows}
    if not workspaces:
        return []
    found = list(_tellable().filter(user__memberships__workspace__in=workspaces).distinct())
    wanted = {each.pk: workspaces_of(each) for each in found}
    teams, by_user = read_teams(workspaces), {each.user_id: each for each in found}

    def told_of(row: Row, wishing: NoticeSettings) -> NoticeSettings:
        team = teams.get(row.workspace_id)
        if team is None or wishing.user_id not in team.away:
            return wishing
        barred = barred_from(row) if isinstance(row, Approval) else NOBODY
        delegate = by_user.get(team.delegate_of(wishing.user_id, barred) or 0)
        hears = delegate is not None and row.workspace_id in wanted[delegate.pk]
        return delegate if delegate is not None and hears else wishing

    return [
        (row, each, told_of(row, each))
        for row in rows
        for each in found
        if row.workspace_id in wanted[each.pk]
    ]


def _tellable() -> QuerySet[NoticeSettings]:
    """Return the settings of everybody who is told anything in any way."""
    pushed = Exists(PushSubscription.objects.filter(user=OuterRef("user")))
    rows = NoticeSettings.objects.filter(
        Q(by_mail=True) | Q(by_webhook=True) | Q(by_browser=True) | pushed, user__is_active=True
    )
    return rows.select_related("user").prefetch_related("workspaces", "user__memberships")


def workspaces_of(settings: NoticeSettings) -> set[int]:
    """Return the workspaces of which a person is told: chosen ones, and still theirs."""
    theirs = {membership.workspace_id for membership in settings.user.memberships.all()}
    chosen = {workspace.pk for workspace in settings.workspaces.all()}
    return theirs & chosen if chosen else theirs


def _keep(items: Iterable[NoticeItem]) -> None:
    """Keep them; the handlers may run twice, so what is there already stays as it is."""
    NoticeItem.objects.bulk_create(items, ignore_conflicts=True, batch_size=500)
