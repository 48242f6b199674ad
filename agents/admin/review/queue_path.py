"""The way through the queue: where an item was opened from, what is before it and what after."""

from collections.abc import Hashable
from dataclasses import dataclass
from urllib.parse import quote, urlencode, urlsplit

from django.http import HttpRequest

from agents.admin.queue.criteria import QueueCriteria
from agents.admin.queue.neighbours import Neighbour, find_next, list_url, neighbours, place_of
from agents.models import Approval
from inbox.viewer import viewer_of

# The address names what was decided just before, so that the page can say so and offer to undo it.
BEFORE = "before"
# Where a form says that one goes on: to the next item, or back to the list.
NEXT, LIST = "next", "list"


@dataclass(frozen=True, slots=True)
class QueuePath:
    """The part of the queue that one goes through, and one's neighbours there."""

    wanted: QueueCriteria
    previous: Neighbour | None
    next: Neighbour | None
    here: str

    @property
    def as_query(self) -> str:
        """What an address of the review ends with, so that the way is kept: `?in=…`, or nothing."""
        return f"?in={quote(self.query, safe='')}" if self.query else ""

    @property
    def shown(self) -> Hashable:
        """All that the top of a page shows of it, by which that part is kept."""
        return self.wanted, self.here, *(one and one.link for one in (self.previous, self.next))

    @property
    def query(self) -> str:
        """What a form sends on as `in`, so that the way is kept."""
        return self.wanted.to_query()

    @property
    def back_url(self) -> str:
        """The queue, at the row of this item."""
        return f"{self.wanted.url()}#item-{self.here}"


def read_wanted(request: HttpRequest) -> QueueCriteria:
    """Return the part of the queue that the address, or the form, says it was opened from."""
    return QueueCriteria.from_query(request.POST.get("in", "") or request.GET.get("in", ""))


def read_queue_path(request: HttpRequest, approval: Approval) -> QueuePath:
    """Return the way on from an approval, also from one that was decided."""
    wanted = read_wanted(request)
    before, after = neighbours(viewer_of(request), wanted, place_of(approval, wanted))
    return QueuePath(wanted, before, after, approval.public_id)


def next_url(request: HttpRequest, approval: Approval) -> str:
    """Return the address of what comes after an approval, or of the queue where nothing does.

    What was decided from the list (`then=list`) leads back there.
    """
    wanted = read_wanted(request)
    following = find_next(viewer_of(request), wanted, place_of(approval, wanted))
    if request.POST.get("then") == LIST:
        return list_url(request, wanted, following)
    return following.link if following else wanted.url()


def with_before(url: str, decided: Approval | str) -> str:
    """Return the address of a page that tells what was decided just before: one, or a batch."""
    named = decided if isinstance(decided, str) else decided.public_id
    page, mark, place = url.partition("#")
    joint = "&" if urlsplit(page).query else "?"
    return f"{page}{joint}{urlencode({BEFORE: named})}{mark}{place}"
