"""Who is at an approval or an activity: noted every few seconds, forgotten after half a minute."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from agents.models import Approval, Presence
from inbox.actor import Actor
from inbox.models import Activity

FORGOTTEN_AFTER = timedelta(seconds=30)
# As many names are shown.
NAMED = 5


@dataclass(frozen=True, slots=True)
class OtherViewer:
    """Somebody else who looks at the same; `is_writing`: they are changing the text."""

    name: str
    is_writing: bool


def note_presence(*, user_id: int, item: Approval | Activity, is_writing: bool = False) -> None:
    """Note that this person looks at the item now; one row a person and item, written over."""
    column = _column(item)
    Presence.objects.bulk_create(
        [
            Presence(
                workspace_id=item.workspace_id, user_id=user_id, is_writing=is_writing,
                seen_at=timezone.now(), **{column: item},
            )
        ],
        update_conflicts=True, unique_fields=[column, "user"],
        update_fields=["is_writing", "seen_at"],
    )  # fmt: skip


def find_others(*, actor: Actor, item: Approval | Activity) -> list[OtherViewer]:
    """Return who else has looked at the item within half a minute, who writes first."""
    rows = Presence.objects.visible_to(actor).filter(**{_column(item): item})
    rows = rows.filter(seen_at__gt=timezone.now() - FORGOTTEN_AFTER).exclude(user_id=actor.id)
    there = rows.select_related("user").order_by("-is_writing", "user__username")[:NAMED]
    return [
        OtherViewer(row.user.get_short_name() or row.user.get_username(), row.is_writing)
        for row in there
    ]


def forget_absent(now: datetime | None = None) -> int:
    """Delete the rows of those who have gone; return how many."""
    gone = (now or timezone.now()) - FORGOTTEN_AFTER
    return int(Presence.objects.filter(seen_at__lte=gone).delete()[0])


def _column(item: Approval | Activity) -> str:
    return "approval" if isinstance(item, Approval) else "activity"
