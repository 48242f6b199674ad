"""The page of a batch, and what is done there to several items, each by itself."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe

from agents import dispatch
from agents.admin.queue.batch import MOST, ActivityItem, ApprovalItem, Item, read_batch
from agents.admin.queue.snooze import offered_snoozes, snooze_end
from agents.admin.queue.wanted import Wanted
from agents.approvals import approve
from agents.errors import ToolError
from agents.operations.snoozing import snooze_activity, snooze_approval
from agents.standing import ApprovalError
from inbox.errors import DomainError
from inbox.models import ActivityStatus
from inbox.viewer import Viewer, viewer_of, zone_of

_FLAGGED = gettext_lazy("Left alone: it is flagged, and is decided on a page of its own.")
_NOT_YOURS = gettext_lazy("Left alone: deciding is for reviewers.")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one item."""

    is_done: bool
    words: Any


@require_safe
def batch(request: HttpRequest) -> HttpResponse:
    """Show every item named by `?item=` in full."""
    names = request.GET.getlist("item")
    items = _read(request, names, request.GET.get("in", ""))
    return _show(request, items, names, request.GET.get("in", ""))


@require_POST
def approve_batch(request: HttpRequest) -> HttpResponse:
    """Approve those that are not flagged, each by the hash that was shown of it."""

    def deed(item: Item) -> Outcome | None:
        if not isinstance(item, ApprovalItem):
            return None
        if item.is_flagged:
            return Outcome(is_done=False, words=_FLAGGED)
        sha256 = request.POST.get(f"sha256-{item.public_id}", "")
        approve(approval=item.approval, by=_person(request), sha256=sha256)
        return Outcome(is_done=True, words=_("Approved."))

    return _carry_out(request, deed)


@require_POST
def snooze_batch(request: HttpRequest) -> HttpResponse:
    """Put all of them off for as long as `until` says."""
    try:
        until = snooze_end(request.POST.get("until", ""), timezone.now(), zone_of(request))
    except KeyError:
        return _carry_out(request, None, _("Choose for how long."))

    def deed(item: Item) -> Outcome | None:
        if isinstance(item, ApprovalItem):
            snooze_approval(approval=item.approval, by=_person(request), until=until)
        else:
            snooze_activity(activity=item.activity, by=_person(request), until=until)
        return Outcome(is_done=True, words=_("Put off."))

    return _carry_out(request, deed)


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
    person = replace(viewer.actor, workspace_ids=(workspace,))
    updates = {"status": str(ActivityStatus.ARCHIVED)}
    try:
        dispatch.call(
            "update_activities", {"activity_ids": list(names), "updates": updates}, person
        )
    except ToolError as error:
        return Outcome(is_done=False, words=error.message)
    return Outcome(is_done=True, words=_("Dismissed."))


# -- all of them -----------------------------------------------------------------------------------
def _carry_out(request: HttpRequest, deed: Any, refusal: str = "") -> HttpResponse:
    """Do it to each by itself: one that cannot be done leaves the others as they are."""
    items = _posted(request)
    _refuse_readers(viewer_of(request), items)
    outcomes = {}
    for item in items if deed else ():
        try:
            outcome = deed(item) if item.may_decide else Outcome(is_done=False, words=_NOT_YOURS)
        except (ApprovalError, DomainError) as error:
            outcome = Outcome(is_done=False, words=error.message)
        if outcome is not None:
            outcomes[item.public_id] = outcome
    return _show_outcomes(request, outcomes, refusal)


def _show_outcomes(
    request: HttpRequest, outcomes: dict[str, Outcome], refusal: str = ""
) -> HttpResponse:
    """Show them as they stand now, and what became of each."""
    names, query = request.POST.getlist("item"), request.POST.get("in", "")
    items = _read(request, names, query)
    status = 400 if refusal else 200
    return _show(request, items, names, query, outcomes=outcomes, refusal=refusal, status=status)


def _posted(request: HttpRequest) -> list[Item]:
    return _read(request, request.POST.getlist("item"), request.POST.get("in", ""))


def _read(request: HttpRequest, names: Sequence[str], query: str) -> list[Item]:
    """Return the items; 404 where there is none that one may see, none where there are too many."""
    if len(set(names)) > MOST:
        return []
    items = read_batch(viewer_of(request), names, Wanted.from_query(query))
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
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    asked = len(set(names))
    if asked > MOST:
        words = _("You ticked %(asked)d items; %(most)d at most are reviewed together.")
        refusal, status = words % {"asked": asked, "most": MOST}, 400
    context = {
        **admin.site.each_context(request),
        "title": _title(len(items)),
        "wanted": Wanted.from_query(query),
        "rows": [(item, (outcomes or {}).get(item.public_id)) for item in items],
        "gone": asked - len(items) if asked <= MOST else 0,
        "approvable": sum(isinstance(item, ApprovalItem) and item.may_approve for item in items),
        "flagged": sum(
            isinstance(item, ApprovalItem) and item.is_waiting and item.is_flagged for item in items
        ),
        "dismissible": sum(isinstance(item, ActivityItem) and item.may_dismiss for item in items),
        "snoozes": offered_snoozes(timezone.now(), zone_of(request), _last_end(items)),
        "done": sum(outcome.is_done for outcome in (outcomes or {}).values()),
        "failed": sum(not outcome.is_done for outcome in (outcomes or {}).values()),
        "refusal": refusal,
    }  # fmt: skip
    return TemplateResponse(request, "chancery/batch.html", context, status=status)


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
