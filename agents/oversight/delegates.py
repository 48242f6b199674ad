"""Who stands in for reviewers that are away, and whether anybody else is there.

Delegates decide as themselves, with their own right: that nobody approves what they proposed, or
approves twice, holds for them as for everybody.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.utils import timezone

from agents.models import Absence, Approval
from inbox.models import Membership, Role

NOBODY: frozenset[int] = frozenset()


@dataclass(slots=True)
class Team:
    """Who decides in a workspace, and who of them is away, with their delegates."""

    deciders: set[int] = field(default_factory=set)
    away: dict[int, int] = field(default_factory=dict)

    def delegate_of(self, user_id: int, barred: Collection[int] = NOBODY) -> int | None:
        """Return who stands in for somebody who is away: there, and able to decide; else None.

        Where a delegate is away as well, theirs stands in. `barred` may not decide on the matter.
        """
        passed = {user_id}
        found = self.away.get(user_id)
        while found is not None and found in self.away and found not in passed:
            passed.add(found)
            found = self.away[found]
        if found is None or found in passed or found in barred or found not in self.deciders:
            return None
        return found

    def only_delegates(self, barred: Collection[int]) -> set[int]:
        """Return the delegates, where nobody could decide but for somebody who is away.

        Empty where somebody is there in their own right, or no delegate can be reached.
        """
        possible = self.deciders - set(barred)
        found = {self.delegate_of(user_id, barred) for user_id in possible & self.away.keys()}
        delegates = {one for one in found if one is not None}
        return delegates if possible - self.away.keys() <= delegates else set()


def read_teams(workspaces: Iterable[int], now: datetime | None = None) -> dict[int, Team]:
    """Return the teams of those workspaces in which anybody is away; in two queries at most."""
    now = now or timezone.now()
    teams: dict[int, Team] = defaultdict(Team)
    rows = Absence.objects.filter(workspace__in=set(workspaces), since__lte=now, until__gt=now)
    for workspace, user, delegate in rows.values_list("workspace_id", "user_id", "delegate_id"):
        teams[workspace].away[user] = delegate
    if teams:
        deciding = Membership.objects.filter(
            workspace__in=list(teams), role__in=[Role.OWNER, Role.REVIEWER], user__is_active=True
        )
        for workspace, user in deciding.values_list("workspace_id", "user_id"):
            teams[workspace].deciders.add(user)
    return dict(teams)


def barred_from(approval: Approval) -> frozenset[int]:
    """Return who may not approve it: whoever proposed it, and whoever approved it first."""
    submission = approval.submission
    kind, _, key = (submission.proposed_by if submission else "").partition(":")
    proposer = {int(key)} if kind == "person" and key.isdigit() else set()
    first = {approval.first_approver_id} if approval.first_approver_id else set()
    return frozenset(proposer | first)
