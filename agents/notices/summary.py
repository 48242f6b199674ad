"""What a bundle says: how much of it still waits, the agents' names, and where to look.

Nothing of any mail is in it: no subject, no sender, no recipient, no word of a draft.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from django.conf import settings as configured
from django.db.models import Count, Min, Q, QuerySet
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents.models import Approval, ApprovalState, NoticeBundle, NoticeItem, NoticeSettings
from agents.notices.collecting import workspaces_of
from inbox.models import ActivityStatus

# As many items of a bundle are named; there may be more.
NAMED = 200
_AGENTS = 3
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Summary:
    """What of a bundle still waits; of very many the first alone are named, but all are counted."""

    approvals: tuple[str, ...]
    activities: tuple[str, ...]
    approval_count: int
    activity_count: int
    flagged: int
    agents: tuple[str, ...]
    first_expires_at: datetime | None
    # How many of the approvals quotas hold.
    held: int = 0

    @property
    def count(self) -> int:
        """How much there is."""
        return self.approval_count + self.activity_count

    @property
    def url(self) -> str:
        """The page that shows it: the one item, or the list that holds them all."""
        only = (*self.approvals, *self.activities)
        if len(only) == self.count == 1:
            return configured.BASE_URL + reverse(
                "review" if self.approvals else "activity", args=[only[0]]
            )
        tab = "needs-you" if self.activities else "waiting"
        held = "&held=yes" if self.held == self.count else ""
        return f"{configured.BASE_URL}{reverse('queue')}?tab={tab}{held}"


def summarise(bundles: Iterable[NoticeBundle], settings: NoticeSettings) -> Summary:
    """Return what of these bundles still waits in workspaces that are still the person's."""
    waits = Q(approval__state=ApprovalState.WAITING, approval__expires_at__gt=timezone.now())
    waits |= Q(activity__status=ActivityStatus.SURFACED)
    rows = NoticeItem.objects.filter(
        waits, settings=settings, settings__user__is_active=True, bundle__in=list(bundles),
        workspace__in=workspaces_of(settings),
    )  # fmt: skip
    rows = rows.select_related("approval__agent", "activity").order_by("pk")
    rows = rows.defer("approval__arguments", "activity__content", "activity__summary")
    approvals, activities = {}, {}
    for item in rows[:NAMED]:
        if item.approval is not None:
            approvals[item.approval.public_id] = item.approval
        if item.activity is not None:
            activities[item.activity.public_id] = item.activity
    held = _count_held(rows)
    counted = rows.order_by().aggregate(
        approvals=Count("approval", distinct=True, filter=Q(approval__held_by="")),
        activities=Count("activity", distinct=True),
        flagged=Count("approval", distinct=True, filter=~Q(approval__risk_flags=[])),
        first_expires_at=Min("approval__expires_at"),
    )  # fmt: skip
    return Summary(
        tuple(approvals), tuple(activities), counted["approvals"] + held, counted["activities"],
        counted["flagged"],
        tuple(dict.fromkeys(plain_name(each.agent.name) for each in approvals.values())),
        counted["first_expires_at"], held,
    )  # fmt: skip


def _count_held(rows: QuerySet[NoticeItem]) -> int:
    """Count what quotas hold of the agents of which any of it was noted."""
    noted = rows.order_by().filter(approval__held_by__gt="")
    agents = noted.values_list("approval__agent", flat=True).distinct()
    held = Approval.objects.filter(agent__in=list(agents), expires_at__gt=timezone.now())
    return held.over_quota().count() if agents else 0


def plain_name(name: str) -> str:
    """Return a name on one line, without what cannot be seen."""
    words = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    return words[:_LONGEST_NAME]


def headline(summary: Summary) -> str:
    """Return in a line what waits."""
    parts = []
    if count := summary.approval_count:
        parts.append(
            ngettext(
                "%(count)d proposal needs approval", "%(count)d proposals need approval", count
            )
            % {"count": count}
        )
    if count := summary.activity_count:
        parts.append(
            ngettext(
                "%(count)d urgent item needs attention",
                "%(count)d urgent items need attention",
                count,
            )
            % {"count": count}
        )
    return ", ".join(parts)


def details(summary: Summary, zone: str) -> list[str]:
    """Return what else there is to say of it, in sentences."""
    said = []
    if summary.agents:
        names = ", ".join(summary.agents[:_AGENTS])
        more = len(summary.agents) - _AGENTS
        if more > 0:
            names = _("%(names)s and %(count)d more") % {"names": names, "count": more}
        said.append(_("Proposed by %(names)s.") % {"names": names})
    if count := summary.held:
        words = ngettext("%(count)d is held by a quota.", "%(count)d are held by a quota.", count)
        said.append(words % {"count": count})
    if summary.flagged:
        said.append(
            ngettext("%(count)d has a flag.", "%(count)d have flags.", summary.flagged)
            % {"count": summary.flagged}
        )
    if summary.first_expires_at is not None:
        local = summary.first_expires_at.astimezone(ZoneInfo(zone))
        at = f"{date_format(local, 'D, j M Y, H:i')} ({zone})"
        one = summary.approval_count == 1
        said.append(
            (_("It expires on %(at)s.") if one else _("The first expires on %(at)s.")) % {"at": at}
        )
    return said


def message_of(summary: Summary, settings: NoticeSettings) -> tuple[str, str]:
    """Return the subject and the text of a notice, in the person's language."""
    with translation.override(settings.language):
        subject = headline(summary)
        ours = configured.BASE_URL + reverse("notices")
        lines = [
            f"{subject}.", *details(summary, settings.quiet_zone), "", summary.url, "",
            _("The link only opens the page; you decide there."),
            _("Choose what you are notified about and when: %(url)s") % {"url": ours},
        ]  # fmt: skip
        return subject, "\n".join(lines) + "\n"


def host() -> str:
    """Return the name under which people reach us, for ids of what we write."""
    return urlsplit(configured.BASE_URL).hostname or "localhost"
