"""The page of a batch, and what is done there to several items, each by itself."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe

from agents.admin.queue.batch import MOST, ActivityItem, ApprovalItem, Item, read_batch
from agents.admin.queue.criteria import QueueCriteria
from agents.admin.queue.snooze import offered_snoozes, snooze_end
from agents.admin.review.batch_status import BatchStatus, read_batch_id, read_line
from agents.admin.review.queue_path import with_before
from agents.admin.review.sighting import BATCH, read_shared, stamp_page
from agents.approval.lifecycle import approve
from agents.approval.status import ApprovalError
from agents.dispatching import dispatch
from agents.errors import ToolError
from agents.operations.batches import begin_batch, undo_batch
from agents.operations.snoozing import snooze_activity, snooze_approval
from inbox.errors import DomainError
from inbox.models import ActivityStatus
from inbox.viewer import Viewer, viewer_of, zone_of

_ALONE = gettext_lazy("Left out; decide it on its own page: %(why)s.")
_NOT_READ = gettext_lazy("Not read to the end yet.")
_UNREAD = gettext_lazy("Nothing was approved. Select what you have read to the end.")
_FATES = {
    "back": gettext_lazy("Undone before it was sent. It needs approval again."),
    "left": gettext_lazy("It had already been sent and can no longer be stopped."),
    "done": gettext_lazy("It was done right away and cannot be undone."),
    "over": gettext_lazy("It had already ended."),
}
_NOT_YOURS = gettext_lazy("Skipped: only reviewers can decide.")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one item."""

    is_done: bool
    words: Any
    is_unread: bool = False


@require_safe
def batch(request: HttpRequest) -> HttpResponse:
    """Show every item named by `?item=` in full."""
    names = request.GET.getlist("item")
    items = _read(request, names, request.GET.get("in", ""))
    return _show(request, items, names, request.GET.get("in", ""))


@require_POST
def approve_batch(request: HttpRequest) -> HttpResponse:
    """Approve those that were read to their end and may be in a batch, each by its hash.

    The hash is the value of the box at the end of an item: without it nothing is approved, and the
    item is named as not read yet. All that is approved so is one batch, which can be taken back at
    once.
    """
    items = _posted(request)
    read = [
        item for item in items
        if isinstance(item, ApprovalItem) and _hash_of(request, item) and not item.is_alone
    ]  # fmt: skip
    batch = begin_batch(item.approval for item in read)
    sightings = read_shared(request, [item.approval for item in read])

    def action(item: Item) -> Outcome | None:
        sha256 = _hash_of(request, item)
        if not isinstance(item, ApprovalItem) or not (sha256 or item.is_waiting):
            return None
        if item.is_waiting and item.is_alone:
            why = ", ".join(str(words) for words in item.left_out)
            return Outcome(is_done=False, words=_ALONE % {"why": why})
        if not sha256:
            return Outcome(is_done=False, words=_NOT_READ, is_unread=True)
        item.approval.sighting = sightings[item.public_id]
        done = approve(approval=item.approval, by=_person(request), sha256=sha256, batch=batch)
        if done.planted_item is not None:
            return Outcome(is_done=False, words=done.note)
        return Outcome(is_done=True, words=_("Approved."))

    return _carry_out(request, items, action, "" if read else _UNREAD, batch_id=batch.id)


@require_POST
def undo(request: HttpRequest) -> HttpResponse:
    """Take back all of a batch that has not left, and show what became of each."""
    viewer, batch_id = viewer_of(request), read_batch_id(request.POST.get("batch", ""))
    if not viewer.may_decide():
        raise PermissionDenied
    undone = undo_batch(batch_id=batch_id, by=_person(request), actor=viewer.actor)
    if not undone:
        raise Http404("There is no such batch.")
    newest = [one.approval.replaced_by or one.approval for one in undone]
    outcomes = {
        approval.public_id: Outcome(one.fate == "back", _FATES[one.fate])
        for approval, one in zip(newest, undone, strict=True)
    }
    names, query = [one.public_id for one in newest], request.POST.get("in", "")
    return _show(request, _read(request, names, query), names, query, outcomes=outcomes)


@require_safe
def state(request: HttpRequest, batch_id: UUID) -> HttpResponse:
    """Answer how a batch stands, in words: a page asks once its undo window is over."""
    line = read_line(viewer_of(request), batch_id)
    if line is None:
        raise Http404("There is no such batch.")
    return JsonResponse({"state": line.state, "words": line.words})


@require_POST
def snooze_batch(request: HttpRequest) -> HttpResponse:
    """Put all of them off for as long as `until` says."""
    try:
        until = snooze_end(request.POST.get("until", ""), timezone.now(), zone_of(request))
    except KeyError:
        return _carry_out(request, _posted(request), lambda _item: None, _("Choose how long."))

    def action(item: Item) -> Outcome | None:
        if isinstance(item, ApprovalItem):
            snooze_approval(approval=item.approval, by=_person(request), until=until)
        else:
            snooze_activity(activity=item.activity, by=_person(request), until=until)
        return Outcome(is_done=True, words=_("Snoozed."))

    return _carry_out(request, _posted(request), action)


@require_POST
def dismiss_batch(request: HttpRequest) -> HttpResponse:
    """Dismiss the activities, as a call of `update_activities` for each workspace."""
    items, viewer = _posted(request), viewer_of(request)
    _refuse_readers(viewer, items)
    of_workspace: dict[int, list[str]] = defaultdict(list)
    outcomes: dict[str, Outcome] = {}
    for item in items:
        if isinstance(item, ActivityItem) and item.may_dismiss:
            of_workspace[item.activity.workspace_id].append(item.public_id)
        elif isinstance(item, ActivityItem) and not item.may_decide:
            outcomes[item.public_id] = Outcome(is_done=False, words=_NOT_YOURS)
    for workspace, names in of_workspace.items():
        outcome = _dismiss(viewer, workspace, names)
        outcomes.update(dict.fromkeys(names, outcome))
    return _show_outcomes(request, outcomes)


def _dismiss(viewer: Viewer, workspace: int, names: Sequence[str]) -> Outcome:
    person = viewer.actor.within(workspace)
    updates = {"status": str(ActivityStatus.ARCHIVED)}
    try:
        dispatch.call(
            "update_activities", {"activity_ids": list(names), "updates": updates}, person
        )
    except ToolError as error:
        return Outcome(is_done=False, words=error.message)
    return Outcome(is_done=True, words=_("Dismissed."))


# -- all of them -----------------------------------------------------------------------------------
def _carry_out(
    request: HttpRequest,
    items: Sequence[Item],
    action: Callable[[Item], Outcome | None],
    refusal: Any = "",
    batch_id: UUID | None = None,
) -> HttpResponse:
    """Do it to each by itself: one that cannot be done leaves the others as they are."""
    _refuse_readers(viewer_of(request), items)
    outcomes = {}
    for item in () if refusal else items:
        try:
            outcome = action(item) if item.may_decide else Outcome(is_done=False, words=_NOT_YOURS)
        except (ApprovalError, DomainError) as error:
            outcome = Outcome(is_done=False, words=error.message)
        if outcome is not None:
            outcomes[item.public_id] = outcome
    return _show_outcomes(request, outcomes, refusal, batch_id)


def _show_outcomes(
    request: HttpRequest,
    outcomes: dict[str, Outcome],
    refusal: Any = "",
    batch_id: UUID | None = None,
) -> HttpResponse:
    """Show them as they stand now, and what became of each."""
    names, query = request.POST.getlist("item"), request.POST.get("in", "")
    items = _read(request, names, query)
    status = 400 if refusal else 200
    line = read_line(viewer_of(request), batch_id) if batch_id else None
    return _show(
        request, items, names, query, outcomes=outcomes, refusal=refusal, status=status, line=line
    )


def _posted(request: HttpRequest) -> list[Item]:
    return _read(request, request.POST.getlist("item"), request.POST.get("in", ""))


def _read(request: HttpRequest, names: Sequence[str], query: str) -> list[Item]:
    """Return the items; 404 where there is none that one may see, none where there are too many."""
    if len(set(names)) > MOST:
        return []
    items = read_batch(viewer_of(request), names, QueueCriteria.from_query(query))
    if names and not items:
        raise Http404("There are no such items.")
    return items


def _refuse_readers(viewer: Viewer, items: Sequence[Item]) -> None:
    if not viewer.may_decide() or (items and not any(item.may_decide for item in items)):
        raise PermissionDenied


def _show(
    request: HttpRequest,
    items: Sequence[Item],
    names: Sequence[str],
    query: str,
    *,
    outcomes: dict[str, Outcome] | None = None,
    refusal: Any = "",
    status: int = 200,
    line: BatchStatus | None = None,
) -> HttpResponse:
    asked = len(set(names))
    if asked > MOST:
        words = _("You selected %(asked)d items; at most %(most)d can be reviewed together.")
        refusal, status = words % {"asked": asked, "most": MOST}, 400
    context = {
        **admin.site.each_context(request),
        **_sort_out(items, outcomes or {}),
        "title": _title(len(items)),
        "wanted": QueueCriteria.from_query(query),
        "opened": stamp_page(request, BATCH),
        "gone": asked - len(items) if asked <= MOST else 0,
        "snoozes": offered_snoozes(timezone.now(), zone_of(request), _last_end(items)),
        "refusal": refusal,
        "together": line,
        "back_url": _back_url(QueueCriteria.from_query(query), line),
    }
    return TemplateResponse(request, "chancery/queue/batch.html", context, status=status)


def _sort_out(items: Sequence[Item], outcomes: Mapping[str, Outcome]) -> dict[str, Any]:
    """Return the items with what became of each, and how many of which sort there are."""
    rows = [(item, outcomes.get(item.public_id)) for item in items]
    approvals = [item for item in items if isinstance(item, ApprovalItem)]
    came_in = [item for item in items if isinstance(item, ActivityItem)]
    return {
        "rows": rows,
        "approvable": sum(item.may_approve for item in approvals),
        "alone": sum(item.is_waiting and item.is_alone for item in approvals),
        "dismissible": sum(item.may_dismiss for item in came_in),
        "done": sum(outcome.is_done for outcome in outcomes.values()),
        "failed": sum(not (one.is_done or one.is_unread) for one in outcomes.values()),
        "unread": [item for item, outcome in rows if outcome and outcome.is_unread],
    }


def _title(number: int) -> str:
    return ngettext("%(n)d item together", "%(n)d items together", number) % {"n": number}


def _last_end(items: Sequence[Item]) -> datetime | None:
    """Return when all that can be put off have expired; None where something does not expire."""
    later = [item for item in items if item.may_snooze]
    if any(isinstance(item, ActivityItem) for item in later):
        return None
    ends = [item.approval.expires_at for item in later if isinstance(item, ApprovalItem)]
    return max(ends, default=None)


def _person(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def _hash_of(request: HttpRequest, item: Item) -> str:
    return request.POST.get(f"sha256-{item.public_id}", "")


def _back_url(wanted: QueueCriteria, line: BatchStatus | None) -> str:
    """Return the queue, which says what was approved together and offers the way back."""
    return with_before(wanted.url(), str(line.batch_id)) if line else wanted.url()
