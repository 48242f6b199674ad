"""Going away and coming back, each by the person themselves, with a receipt."""

from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from agents import receipts
from agents.approval.status import decides_in
from agents.models import Absence
from agents.receipts import ReceiptEntry
from inbox.actor import Actor
from inbox.errors import DomainError, invalid
from inbox.models import Membership, Workspace
from inbox.reasons import phrase as _

LONGEST = timedelta(days=366)


def go_away(*, membership: Membership, until: datetime, delegate_id: int) -> Absence:
    """Note that a member is away until then, and who stands in; an earlier note is replaced.

    Raises DomainError naming `until` or `delegate`.
    """
    now, user, workspace = timezone.now(), membership.user, membership.workspace_id
    if not now < until <= now + LONGEST:
        raise invalid("until", _("Choose today or a later day."), _("at most a year from now"))
    with transaction.atomic():
        Workspace.objects.select_for_update().get(pk=workspace)
        delegate = _delegate(membership, delegate_id, now)
        absence, _made = Absence.objects.update_or_create(
            workspace_id=workspace, user=user,
            defaults={"delegate": delegate, "since": now, "until": until},
        )  # fmt: skip
        told = {"until": until.isoformat(timespec="minutes"), "delegate": delegate.get_username()}
        _record(membership, "member.away", told)
    return absence


def come_back(*, membership: Membership) -> bool:
    """Note that a member is back; return False where they were not away."""
    with transaction.atomic():
        rows = Absence.objects.filter(workspace=membership.workspace_id, user=membership.user)
        was_away = bool(rows.delete()[0])
        if was_away:
            _record(membership, "member.back", {})
    return was_away


def _delegate(membership: Membership, delegate_id: int, now: datetime) -> User:
    workspace = membership.workspace_id
    if not decides_in(workspace, membership.user):
        raise DomainError(
            "permission_denied", _("Only people who can decide here can be stood in for.")
        )
    found = User.objects.filter(pk=delegate_id, memberships__workspace=workspace).first()
    accepted = _("another owner or reviewer of the workspace")
    if found is None or found == membership.user or not decides_in(workspace, found):
        raise invalid("delegate", _("Choose someone else who can decide here."), accepted)
    away = Absence.objects.filter(workspace=workspace, user=found, since__lte=now, until__gt=now)
    if away.exists():
        words = _("%(name)s is away too.", name=found.get_username())
        raise invalid("delegate", words, accepted)
    return found


def _record(membership: Membership, tool: str, told: dict[str, str]) -> None:
    user = membership.user
    actor = Actor(
        kind="person", id=user.pk, name=user.get_username(),
        workspace_ids=(membership.workspace_id,),
    )  # fmt: skip
    entry = ReceiptEntry(tool=tool, arguments={"person": user.get_username(), **told})
    receipts.record(actor, entry)
