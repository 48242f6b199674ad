"""The page on which a person decides, and the deeds that it offers. Nothing is done by GET."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from agents import approvals
from agents.admin.forms import LetterForm, WordsForm, write_addresses
from agents.admin.letter import Letter, enclosure_bytes
from agents.admin.queue import read_queue
from agents.admin.review import Review, read_review, state_of
from agents.models import Approval
from inbox.admin.downloads import PLAIN_TEXT, as_download
from inbox.errors import DomainError
from inbox.viewer import viewer_of

_READ_WITH = (
    "agent", "workspace", "decided_by", "replaced_by", "submission__draft__identity",
    "submission__thread__merged_into", "submission__policy", "submission__account",
    "submission__approved_by",
)  # fmt: skip


def find_approval(request: HttpRequest, public_id: str) -> Approval:
    """Return the approval, or raise Http404 alike for what is not there and what is foreign."""
    rows = Approval.objects.visible_to(viewer_of(request).actor).with_public_id(public_id)
    approval: Approval | None = rows.select_related(*_READ_WITH).first()
    if approval is None:
        raise Http404("There is no such approval.")
    return approval


@require_safe
def review(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show what waits, or what became of it."""
    return _show(request, find_approval(request, public_id))


@require_safe
def state(request: HttpRequest, public_id: str) -> HttpResponse:
    """Answer where it stands, for the page that waits for it."""
    return JsonResponse({"state": state_of(find_approval(request, public_id))})


@require_safe
def enclosure(request: HttpRequest, public_id: str, position: int) -> HttpResponse:
    """Hand out a file of the sealed letter, as a download."""
    found = enclosure_bytes(find_approval(request, public_id), position)
    if found is None:
        raise Http404("There is no such file.")
    return as_download(found[1], found[0])


@require_safe
def sealed_source(request: HttpRequest, public_id: str) -> HttpResponse:
    """Hand out the sealed bytes themselves, as a text to download."""
    approval = find_approval(request, public_id)
    if approval.submission is None:
        raise Http404("Nothing would leave.")
    return as_download(approval.submission.mime_bytes, f"{approval.public_id}.eml.txt", PLAIN_TEXT)


@require_POST
def approve(request: HttpRequest, public_id: str) -> HttpResponse:
    """Seal what the person saw: the form names its hash."""
    seen = request.POST.get("sha256", "")
    return _decide(
        request, public_id,
        lambda found: approvals.approve(approval=found, by=_person(request), sha256=seen),
    )  # fmt: skip


@require_POST
def edit_and_approve(request: HttpRequest, public_id: str) -> HttpResponse:
    """Make the edited letter a sealed version of its own, and approve that."""
    form = LetterForm(request.POST)
    if not form.is_valid():
        return _show(request, find_approval(request, public_id), letter_form=form, status=400)
    seen = request.POST.get("sha256", "")

    def deed(found: Approval) -> Approval:
        if seen != found.sha256:
            raise approvals.ApprovalError("wrong_hash", "This is not what you were shown.")
        return approvals.edit_and_approve(approval=found, by=_person(request), **form.cleaned_data)

    return _decide(request, public_id, deed, letter_form=form)


@require_POST
def reject(request: HttpRequest, public_id: str) -> HttpResponse:
    """End it, with a reason."""
    return _with_words(
        request, public_id, "reject",
        lambda found, words: approvals.reject(approval=found, by=_person(request), reason=words),
    )  # fmt: skip


@require_POST
def send_back(request: HttpRequest, public_id: str) -> HttpResponse:
    """Give it back to the agent, with feedback."""
    return _with_words(
        request, public_id, "return",
        lambda found, words: approvals.send_back(
            approval=found, by=_person(request), feedback=words
        ),
    )  # fmt: skip


@require_POST
def undo(request: HttpRequest, public_id: str) -> HttpResponse:
    """Take an approval back before it leaves."""
    return _decide(
        request, public_id,
        lambda found: approvals.undo(approval=found, by=_person(request)),
        done="Taken back before it left. It waits again.",
    )  # fmt: skip


@require_POST
def settle(request: HttpRequest, public_id: str) -> HttpResponse:
    """Say whether a letter arrived whose fate the server never told."""
    arrived = request.POST.get("arrived")
    if arrived not in {"yes", "no"}:
        return _show(request, find_approval(request, public_id), status=400)
    return _decide(
        request, public_id,
        lambda found: approvals.settle(approval=found, by=_person(request), sent=arrived == "yes"),
    )  # fmt: skip


def _with_words(
    request: HttpRequest,
    public_id: str,
    name: str,
    deed: Callable[[Approval, str], Approval],
) -> HttpResponse:
    form = WordsForm(request.POST)
    if not form.is_valid():
        forms = {f"{name}_form": form}
        return _show(request, find_approval(request, public_id), status=400, **forms)
    words = form.cleaned_data["words"]
    return _decide(request, public_id, lambda found: deed(found, words))


def _decide(
    request: HttpRequest,
    public_id: str,
    deed: Callable[[Approval], Approval],
    *,
    done: str = "",
    letter_form: LetterForm | None = None,
) -> HttpResponse:
    """Do it and show what became of it; a refusal shows the page anew, saying what changed."""
    found = find_approval(request, public_id)
    if not viewer_of(request).may_decide(found.workspace_id):
        raise PermissionDenied
    try:
        outcome = deed(found)
    except approvals.ApprovalError as error:
        raw = error.details.get("changes") or ()
        return _show(
            request, find_approval(request, public_id), status=409, refusal=error.message,
            refusal_changes=[str(change) for change in raw], letter_form=letter_form,
        )  # fmt: skip
    except DomainError as error:
        return _show(
            request, find_approval(request, public_id), status=400, refusal=error.message,
            refusal_changes=[error.accepted] if error.accepted else [], letter_form=letter_form,
        )  # fmt: skip
    if done:
        messages.success(request, done)
    newest = outcome.replaced_by or outcome
    return HttpResponseRedirect(reverse("review", args=[newest.public_id]))


def _show(
    request: HttpRequest, approval: Approval, *, status: int = 200, **extra: Any
) -> HttpResponse:
    viewer = viewer_of(request)
    seen = read_review(viewer, approval)
    given = {name: value for name, value in extra.items() if value is not None}
    context = {
        **admin.site.each_context(request),
        "title": seen.title,
        "review": seen,
        "workspace_name": approval.workspace.name if viewer.has_several else "",
        "letter_form": LetterForm(initial=_as_sealed(seen.letter)) if seen.letter else None,
        "reject_form": WordsForm(auto_id="reject_%s"),
        "return_form": WordsForm(auto_id="return_%s"),
        "next": _next(request, seen),
        **given,
    }
    return TemplateResponse(request, "chancery/review.html", context, status=status)


def _as_sealed(letter: Letter) -> dict[str, str]:
    """Return what the edit form starts from: the sealed letter, not the draft."""
    lines = {
        name.lower(): write_addresses(
            [
                {"name": one.name, "email": one.email}
                for one in letter.recipients
                if one.field == name
            ]
        )
        for name in ("To", "Cc", "Bcc")
    }
    return {**lines, "subject": letter.subject, "body": letter.text}


def _next(request: HttpRequest, seen: Review) -> Any:
    """Return what to look at next, once this one is decided: first what else waits for a seal."""
    if seen.is_waiting:
        return None
    for tab in ("waiting", "needs-you"):
        for row in read_queue(viewer_of(request), tab, size=2).rows:
            if (row.kind, row.place.pk) != ("approval", seen.approval.pk):
                return row
    return None


def _person(request: HttpRequest) -> User:
    person = request.user
    if not isinstance(person, User):
        raise PermissionDenied
    return person
