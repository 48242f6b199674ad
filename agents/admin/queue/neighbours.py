"""What stands before and after an item, for whoever goes through the queue one by one."""

from datetime import datetime
from urllib.parse import urlencode

from django.http import HttpRequest
from django.utils import timezone

from agents.admin.queue.criteria import QueueCriteria
from agents.admin.queue.flagging import read_marked
from agents.admin.queue.positions import (
    Position,
    find_places,
    place_of_activity,
    place_of_approval,
    read_place,
    unsettled_in,
)
from agents.admin.queue.queries import Row, read_rows
from agents.models import Approval
from inbox.models import Activity
from inbox.viewer import Viewer


def neighbours(
    viewer: Viewer, wanted: QueueCriteria, place: Position
) -> tuple[Row | None, Row | None]:
    """Return the rows before and after a place of what is wanted; None at an end.

    The place need not be one of what is wanted any more: what was decided has neighbours too.
    """
    marked = read_marked(viewer.actor, wanted)
    known = unsettled_in(viewer.actor, wanted)
    before, after = (
        find_places(
            viewer.actor, wanted, place.asof, 1, after=place, backward=backward, marked=marked,
            known=known,
        )
        for backward in (True, False)
    )  # fmt: skip
    rows = {row.place: row for row in read_rows(viewer, wanted, [*before, *after])}
    return rows.get(before[0]) if before else None, rows.get(after[0]) if after else None


def find_next(viewer: Viewer, wanted: QueueCriteria, place: Position) -> Row | None:
    """Return the row after a place of what is wanted; None at the end."""
    marked = read_marked(viewer.actor, wanted)
    after = find_places(viewer.actor, wanted, place.asof, 1, after=place, marked=marked)
    return next(iter(read_rows(viewer, wanted, after)), None) if after else None


def list_url(request: HttpRequest, wanted: QueueCriteria, following: Row | None) -> str:
    """Return the list that an item was decided from, at the row that comes after it."""
    after = read_place(request.POST.get("after", ""))
    joint = "&" if wanted.to_query() else "?"
    page = f"{joint}{urlencode({'after': str(after)})}" if after else ""
    here = f"#item-{following.public_id}" if following else ""
    return f"{wanted.url()}{page}{here}"


def place_of(
    item: Approval | Activity, wanted: QueueCriteria, asof: datetime | None = None
) -> Position:
    """Return where an item stands, or stood, in what is wanted."""
    asof = asof or timezone.now()
    if isinstance(item, Approval):
        return place_of_approval(item, wanted, asof)
    return place_of_activity(item, wanted, asof)
