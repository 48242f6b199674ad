"""Mending and forgetting memories, and calling off, removing or retrying what runs by itself."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from agents.models import ContextEntry, Memory, Schedule
from agents.operations.by_hand import memories, plans
from inbox.admin.finding import first_or_404, let_decide, let_manage, person_of
from inbox.admin.refusals import words_of
from inbox.errors import DomainError
from inbox.models import Job
from inbox.viewer import viewer_of


@dataclass(frozen=True)
class Question:
    """What a page asks before something is done, what follows, and what it says afterwards."""

    title: Any
    button: Any
    consequence: Any
    done: Any
    text: Callable[[Any], str]
    button_class: str = "button-stop"


_FORGET = Question(
    gettext_lazy("Forget this memory?"), gettext_lazy("Forget"),
    gettext_lazy("The agent will no longer find it. You can restore it for 30 days."),
    gettext_lazy("Memory forgotten."), lambda row: str(row.content),
)  # fmt: skip
_CANCEL = Question(
    gettext_lazy("Cancel this schedule?"), gettext_lazy("Cancel schedule"),
    gettext_lazy("It will not run. The agent sees that it was canceled."),
    gettext_lazy("Schedule canceled."), lambda row: str(row.command),
)  # fmt: skip
_REMOVE = Question(
    gettext_lazy("Remove this shared value?"), gettext_lazy("Remove"),
    gettext_lazy("Agents can no longer read it. This cannot be undone."),
    gettext_lazy("Shared value removed."), lambda row: f"{row.key}\n\n{row.text}",
)  # fmt: skip
_RETRY = Question(
    gettext_lazy("Retry this job?"), gettext_lazy("Retry"),
    gettext_lazy("It starts again right away. Work that is already done is not repeated."),
    gettext_lazy("The job is queued again."), lambda row: f"{row.kind}\n\n{row.error}",
    "button-main",
)  # fmt: skip


@require_http_methods(["GET", "HEAD", "POST"])
def forget(request: HttpRequest, public_id: str) -> HttpResponse:
    """Forget a memory."""
    rows = Memory.objects.visible_to(viewer_of(request).actor).kept().with_public_id(public_id)
    row = first_or_404(rows, "memory")
    let_decide(request, row.workspace_id)
    return _ask(
        request, row, _FORGET, lambda: memories.forget_memory(by=person_of(request), memory=row)
    )


@require_http_methods(["GET", "HEAD", "POST"])
def mend(request: HttpRequest, public_id: str) -> HttpResponse:
    """Give a memory other words."""
    rows = Memory.objects.visible_to(viewer_of(request).actor).kept().with_public_id(public_id)
    row = first_or_404(rows, "memory")
    let_decide(request, row.workspace_id)
    text, refusal = row.content, ""
    if request.method == "POST":
        text = request.POST.get("text", "").replace("\r\n", "\n").strip()
        seen = request.POST.get("seen", "")
        try:
            memories.mend_memory(by=person_of(request), memory=row, seen=seen, content=text)
        except DomainError as error:
            refusal = words_of(error)
        else:
            messages.success(request, _("Memory saved. It now counts as your own words."))
            return HttpResponseRedirect(_place(row))
    context = {
        "title": _("Edit this memory"), "text": text, "editable": True, "seen": row.sha256,
        "button": _("Save"), "button_class": "button-main", "refusal": refusal,
        "consequence": _("The agent sees this text. It counts as your own words."),
    }  # fmt: skip
    return _page(request, row, context)


@require_http_methods(["GET", "HEAD", "POST"])
def cancel(request: HttpRequest, public_id: str) -> HttpResponse:
    """Cancel a schedule."""
    rows = Schedule.objects.visible_to(viewer_of(request).actor).with_public_id(public_id)
    row = first_or_404(rows, "schedule")
    let_decide(request, row.workspace_id)
    return _ask(request, row, _CANCEL, lambda: plans.call_off(by=person_of(request), schedule=row))


@require_http_methods(["GET", "HEAD", "POST"])
def remove(request: HttpRequest, public_id: str) -> HttpResponse:
    """Remove a value that agents share."""
    rows = ContextEntry.objects.visible_to(viewer_of(request).actor).with_public_id(public_id)
    row = first_or_404(rows, "context")
    let_decide(request, row.workspace_id)
    by = person_of(request)
    return _ask(request, row, _REMOVE, lambda: plans.remove_context(by=by, entry=row), gone=True)


@require_http_methods(["GET", "HEAD", "POST"])
def retry(request: HttpRequest, pk: int) -> HttpResponse:
    """Try a failed job once more."""
    row = first_or_404(Job.objects.filter(workspace__in=viewer_of(request).roles, pk=pk), "job")
    let_manage(request, row.workspace_id or 0)
    return _ask(request, row, _RETRY, lambda: plans.try_again(by=person_of(request), job=row))


def _ask(
    request: HttpRequest, row: Any, asked: Question, do: Callable[[], Any], *, gone: bool = False
) -> HttpResponse:
    """Show the question; at its answer do it, and lead to the row, or to its list where it went."""
    refusal = ""
    if request.method == "POST":
        try:
            do()
        except DomainError as error:
            refusal = words_of(error)
        else:
            messages.success(request, str(asked.done))
            return HttpResponseRedirect(_list(row) if gone else _place(row))
    context = {
        "title": asked.title, "text": asked.text(row), "consequence": asked.consequence,
        "button": asked.button, "button_class": asked.button_class, "refusal": refusal,
    }  # fmt: skip
    return _page(request, row, context)


def _page(request: HttpRequest, row: Any, context: dict[str, Any]) -> HttpResponse:
    whole = {**admin.site.each_context(request), **context, "back": _place(row)}
    status = 409 if context["refusal"] else 200
    return TemplateResponse(request, "chancery/by_hand/confirm.html", whole, status=status)


def _place(row: Any) -> str:
    return reverse(f"admin:{row._meta.label_lower.replace('.', '_')}_change", args=[row.pk])


def _list(row: Any) -> str:
    return reverse(f"admin:{row._meta.label_lower.replace('.', '_')}_changelist")
