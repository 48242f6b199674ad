"""What stands before and after an item, for whoever goes through the queue one by one."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from urllib.parse import urlencode

from django.http import HttpRequest
from django.utils import timezone

from agents.admin.queue.criteria import QueueCriteria
from agents.admin.queue.flagging import read_marked
from agents.admin.queue.place import APPROVAL, Position, read_place
from agents.admin.queue.positions import (
    find_around,
    find_places,
    place_of_activity,
    place_of_approval,
)
from agents.admin.queue.queries import Row, read_rows
from agents.models import Approval
from inbox import ids
from inbox.models import Activity
from inbox.templatetags.page_addresses import address_of
from inbox.viewer import Viewer


@dataclass(frozen=True)
class Neighbour:
    """What stands beside an item in what is wanted."""

    place: Position
    wanted: QueueCriteria
    viewer: Viewer

    @property
    def public_id(self) -> str:
        """The public id of the approval or the activity."""
        model = Approval if self.place.kind == APPROVAL else Activity
        return ids.encode(model.ID_PREFIX, self.place.pk)

    @property
    def url(self) -> str:
        """The address of its page."""
        page = "review" if self.place.kind == APPROVAL else "activity"
        return address_of(page, self.public_id)

    @property
    def link(self) -> str:
        """The address that leads back to where one came from."""
        return self.wanted.item_url(self.url)

    @cached_property
    def what(self) -> str:
        """What it is about: an untrusted text, read when it is asked for."""
        row = next(iter(read_rows(self.viewer, self.wanted, [self.place])), None)
        return row.what if row else ""


def neighbours(
    viewer: Viewer, wanted: QueueCriteria, place: Position
) -> tuple[Neighbour | None, Neighbour | None]:
    """Return what is before and after a place of what is wanted; None at an end.

    The place need not be one of what is wanted any more: what was decided has neighbours too.
    """
    marked = read_marked(viewer.actor, wanted)
    before, after = (
        Neighbour(found, wanted, viewer) if found else None
        for found in find_around(viewer.actor, wanted, place, marked=marked)
    )
    return before, after


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
