"""The actions that the review page offers: each a POST, answered with what one goes on with."""

from collections.abc import Callable, Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from agents.admin.evidence.flagged import is_flagged
from agents.admin.queue.snooze import SNOOZES, snooze_end
from agents.admin.review import presets
from agents.admin.review.forms import MessageForm, WordsForm
from agents.admin.review.just_decided import TEMPLATE, read_just_decided
from agents.admin.review.queue_path import LIST, NEXT, next_url, read_wanted, with_before
from agents.admin.review.views import find_approval, show_review
from agents.approval import lifecycle
from agents.approval.demands import read_demands
from agents.models import Approval
from agents.operations import releasing
from agents.operations.snoozing import snooze_approval, wake_approval
from inbox.admin.fresh_login import ask_again, is_fresh, went_back
from inbox.errors import DomainError
from inbox.reasons import say
from inbox.reasons.words import worded
from inbox.viewer import viewer_of, zone_of

Action = Callable[[Approval], Approval]


@require_POST
def approve(request: HttpRequest, public_id: str) -> HttpResponse:
    """Approve what the person saw: the form names its hash."""
    seen = request.POST.get("sha256", "")
    return _decide(
        request, public_id,
        lambda found: lifecycle.approve(approval=found, by=_person(request), sha256=seen),
        goes_on=request.POST.get("then") in {NEXT, LIST}, approves=True,
    )  # fmt: skip


@require_POST
def edit_and_approve(request: HttpRequest, public_id: str) -> HttpResponse:
    """Make the edited message a sealed version of its own, and approve that."""
    form = MessageForm(request.POST)
    if not form.is_valid():
        return show_review(request, _to_decide(request, public_id), message_form=form, status=400)
    seen = request.POST.get("sha256", "")

    def action(found: Approval) -> Approval:
        if seen != found.sha256:
            raise lifecycle.ApprovalError("wrong_hash", say("not_as_shown"))
        return lifecycle.edit_and_approve(
            approval=found, by=_person(request), may_raise_flags=is_fresh(request),
            **form.cleaned_data,
        )  # fmt: skip

    return _decide(
        request, public_id, action, goes_on=request.POST.get("then") == "next", approves=True,
        message_form=form,
    )  # fmt: skip


@require_POST
def reject(request: HttpRequest, public_id: str) -> HttpResponse:
    """End it, with a reason."""
    return _with_words(
        request, public_id, "reject", (*presets.REASONS, *presets.CALL_REASONS),
        lambda found, words: lifecycle.reject(approval=found, by=_person(request), reason=words),
    )  # fmt: skip


@require_POST
def send_back(request: HttpRequest, public_id: str) -> HttpResponse:
    """Give it back to the agent, with feedback."""
    return _with_words(
        request, public_id, "return", (*presets.WISHES, *presets.CALL_WISHES),
        lambda found, words: lifecycle.send_back(
            approval=found, by=_person(request), feedback=words
        ),
    )  # fmt: skip


@require_POST
def undo(request: HttpRequest, public_id: str) -> HttpResponse:
    """Take an approval back before it leaves."""
    return _decide(
        request, public_id,
        lambda found: lifecycle.undo(approval=found, by=_person(request)),
        done=_("Undone before it was sent. It needs approval again."),
    )  # fmt: skip


@require_POST
def settle(request: HttpRequest, public_id: str) -> HttpResponse:
    """Take a person's word for whether a message arrived whose fate the server never told."""
    arrived = request.POST.get("arrived")
    if arrived not in {"yes", "no"}:
        return show_review(request, _to_decide(request, public_id), status=400)
    return _decide(
        request, public_id,
        lambda found: lifecycle.settle(approval=found, by=_person(request), sent=arrived == "yes"),
    )  # fmt: skip


@require_POST
def snooze(request: HttpRequest, public_id: str) -> HttpResponse:
    """Put it off until a time of those that are offered."""
    code = request.POST.get("until", "")
    if code not in dict(SNOOZES):
        words = _("Choose a time.")
        return show_review(request, _to_decide(request, public_id), status=400, refusal=words)
    until = snooze_end(code, timezone.now(), zone_of(request))
    return _decide(
        request, public_id,
        lambda found: snooze_approval(approval=found, by=_person(request), until=until),
        goes_on=True,
    )  # fmt: skip


@require_POST
def wake(request: HttpRequest, public_id: str) -> HttpResponse:
    """Put what was snoozed back at its place."""
    return _decide(
        request, public_id, lambda found: wake_approval(approval=found, by=_person(request))
    )


@require_POST
def release(request: HttpRequest, public_id: str) -> HttpResponse:
    """Let what a quota holds into the queue."""
    return _decide(
        request, public_id,
        lambda found: releasing.release(approval=found, by=_person(request)),
    )  # fmt: skip


def _with_words(
    request: HttpRequest,
    public_id: str,
    name: str,
    offered: Sequence[presets.Preset],
    action: Callable[[Approval, str], Approval],
) -> HttpResponse:
    typed = request.POST.get("words", "").strip()
    words = presets.in_words(offered, request.POST.get("preset", ""), typed)
    form = WordsForm({"words": words}, auto_id=f"{name}_%s")
    forms: dict[str, Any] = {f"{name}_form": form}
    if not form.is_valid():
        return show_review(request, _to_decide(request, public_id), status=400, **forms)
    return _decide(
        request, public_id, lambda found: action(found, form.cleaned_data["words"]),
        goes_on=True, **forms,
    )  # fmt: skip


def _decide(
    request: HttpRequest,
    public_id: str,
    action: Action,
    *,
    goes_on: bool = False,
    approves: bool = False,
    done: str = "",
    **forms: Any,
) -> HttpResponse:
    """Do it and go on; a refusal shows the page anew, saying what changed, with what was typed.

    With `approves`, what raised flags wants a fresh login first.
    """
    found = _to_decide(request, public_id)
    if approves and went_back(request):
        return show_review(request, found, **forms)
    why_fresh = _wants_fresh(request, found) if approves else ""
    if why_fresh and not is_fresh(request):
        return ask_again(request, why_fresh)
    # Found before it is decided: that moves it in the queue.
    following = next_url(request, found) if goes_on else ""
    try:
        _check_version(request, found)
        outcome = action(found)
    except (lifecycle.ApprovalError, DomainError) as error:
        if isinstance(error, lifecycle.ApprovalError) and error.code == "flagged":
            return ask_again(request, f"{worded(error.message)}.")
        return _refuse(request, find_approval(request, public_id), error, forms)
    if done:
        messages.success(request, done)
    newest = outcome.replaced_by or outcome
    if goes_on:
        return _go_on(request, with_before(following, newest), newest)
    here = reverse("review", args=[newest.public_id])
    return HttpResponseRedirect(read_wanted(request).item_url(here))


def _go_on(request: HttpRequest, url: str, decided: Approval) -> HttpResponse:
    """Lead to what comes next; a page that has read it ahead is told where that is.

    It has not the line about what was decided just now, which is why that comes along.
    """
    if request.headers.get("Accept") != "application/json":
        return HttpResponseRedirect(url)
    viewer, query = viewer_of(request), read_wanted(request).to_query()
    found = read_just_decided(viewer, decided.public_id)
    line = render_to_string(TEMPLATE, {**found, "query": query, "has_key": True}, request)
    return JsonResponse({"next": url, "line": line})


def _wants_fresh(request: HttpRequest, found: Approval) -> str:
    """Return why whoever approves it has to show who they are; "" where they need not."""
    actor = viewer_of(request).actor
    if is_flagged(actor, found):
        return _("This message raised flags.")
    demands = read_demands(actor, [found])[found.pk]
    words = worded(say("wants_fresh", policy=demands.named))
    return f"{words}." if demands.fresh else ""


def _to_decide(request: HttpRequest, public_id: str) -> Approval:
    """Return the approval to whoever may decide on it; raises Http404 or PermissionDenied."""
    found = find_approval(request, public_id)
    if not viewer_of(request).may_decide(found.workspace_id):
        raise PermissionDenied
    return found


def _refuse(
    request: HttpRequest,
    found: Approval,
    error: lifecycle.ApprovalError | DomainError,
    forms: dict[str, Any],
) -> HttpResponse:
    """Show the page anew, with why nothing was decided and what was typed."""
    if isinstance(error, DomainError):
        status, changes = 400, [error.accepted] if error.accepted else []
    else:
        status, changes = 409, list(error.details.get("changes") or ())
    return show_review(
        request, found, status=status, refusal=error.message, refusal_changes=changes, **forms
    )


def _check_version(request: HttpRequest, found: Approval) -> None:
    """Refuse a form that was made for another version than the one that is sealed."""
    seen = request.POST.get("version", "")
    submission = found.submission
    if seen and submission is not None and seen != str(submission.draft_version):
        raise lifecycle.ApprovalError("wrong_hash", say("not_as_shown"))


def _person(request: HttpRequest) -> User:
    person = request.user
    if not isinstance(person, User):
        raise PermissionDenied
    return person
