"""To-dos as people keep them: added, ticked, mended, thrown away; each with its receipt."""

from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from agents.admin.planning.forms import CLOCK, TodoForm
from agents.admin.refusals import words_of
from agents.dispatching import dispatch
from agents.errors import ToolError
from calendar_app.models import Todo, TodoStatus
from inbox.actor import Actor
from inbox.admin.finding import first_or_404, let_decide
from inbox.models import Thread
from inbox.viewer import viewer_of, zone_of

# So many stand on a page.
PAGE = 100


@require_safe
def todos(request: HttpRequest) -> HttpResponse:
    """Show the to-dos, the open ones first, with what adds one; it may be about a thread."""
    if not viewer_of(request).roles:
        raise PermissionDenied
    rows = Thread.objects.visible_to(viewer_of(request).actor)
    about = rows.with_public_id(request.GET.get("about", "")).first()
    return _show(request, TodoForm(initial={"title": about.subject[:1000] if about else ""}))


@require_POST
def add_todo(request: HttpRequest) -> HttpResponse:
    """Add one to the list of a workspace."""
    viewer, wanted = viewer_of(request), request.POST.get("workspace", "")
    place = next((key for key in viewer.roles if str(key) == wanted), None)
    if place is None or not viewer.may_decide(place):
        raise PermissionDenied
    form = TodoForm(request.POST)
    if not form.is_valid():
        return _show(request, form, status=400)
    call = {"action": "create", "title": form.cleaned_data["title"], **_more(request, form)}
    return _do(request, place, {name: value for name, value in call.items() if value})


@require_POST
def change_todo(request: HttpRequest, public_id: str) -> HttpResponse:
    """Tick it, take the tick off, mend it or throw it away, as the button says."""
    found = _find(request, public_id)
    deed, named = request.POST.get("do", ""), {"task_id": found.public_id}
    if deed == "delete":
        return _do(request, found.workspace_id, {"action": "delete", **named})
    if deed in {"completed", "needsAction"}:
        call = {"action": "update", "status": deed, **named}
        return _do(request, found.workspace_id, call)
    form = TodoForm(request.POST)
    if not form.is_valid():
        return _show(request, TodoForm(), status=400, mended=(found.pk, form))
    call = {"action": "update", "title": form.cleaned_data["title"], **named}
    return _do(request, found.workspace_id, {**call, **_more(request, form)})


def _more(request: HttpRequest, form: TodoForm) -> dict[str, Any]:
    due = form.cleaned_data["due"]
    at = due.replace(tzinfo=zone_of(request)).isoformat() if due else None
    return {"due_at": at, "notes": form.cleaned_data["notes"]}


def _find(request: HttpRequest, public_id: str) -> Todo:
    rows = Todo.objects.visible_to(viewer_of(request).actor).kept().with_public_id(public_id)
    found = first_or_404(rows, "to-do")
    let_decide(request, found.workspace_id)
    return found


def _do(request: HttpRequest, workspace_id: int, call: dict[str, Any]) -> HttpResponse:
    person = viewer_of(request).actor.within(workspace_id)
    try:
        dispatch.call("google_tasks_service", call, person)
    except ToolError as error:
        messages.error(request, words_of(error))
    after = urlencode({"after": request.GET["after"]}) if request.GET.get("after") else ""
    return HttpResponseRedirect(f"{reverse('todos')}?{after}" if after else reverse("todos"))


def _show(
    request: HttpRequest, form: TodoForm, *, status: int = 200,
    mended: tuple[int, TodoForm] | None = None,
) -> HttpResponse:  # fmt: skip
    viewer, zone = viewer_of(request), zone_of(request)
    listed, following = _read_page(viewer.actor, request.GET.get("after", ""))
    lines = [
        {
            "todo": one,
            "is_done": one.status == TodoStatus.COMPLETED,
            "may_write": viewer.may_decide(one.workspace_id),
            "workspace": viewer.names[one.workspace_id] if viewer.has_several else "",
            "form": mended[1] if mended and mended[0] == one.pk else _form_of(one, zone),
            "is_open": bool(mended and mended[0] == one.pk),
        }
        for one in listed
    ]
    after = request.GET.get("after", "")
    places = [(key, name) for key, name in viewer.names.items() if viewer.may_decide(key)]
    context = {
        **admin.site.each_context(request),
        "title": _("To-dos"), "form": form, "lines": lines, "zone": str(zone),
        "own_places": places, "following": following,
        "here": f"?{urlencode({'after': after})}" if after else "",
    }  # fmt: skip
    return TemplateResponse(request, "chancery/planning/todos.html", context, status=status)


def _read_page(actor: Actor, after: str) -> tuple[list[Todo], str]:
    """Return the to-dos after one, or the first, and the id after which there are more, or ""."""
    every = Todo.objects.visible_to(actor)
    last = every.with_public_id(after).first() if after else None
    rows = every.kept().select_related("list")
    if last is not None:
        same = Q(status=last.status)
        further = Q(position=last.position, pk__gt=last.pk) | Q(position__gt=last.position)
        rows = rows.filter(Q(status__lt=last.status) | (same & further))
    found = list(rows.order_by("-status", "position", "pk")[: PAGE + 1])
    listed = found[:PAGE]
    return listed, listed[-1].public_id if len(found) > PAGE else ""


def _form_of(one: Todo, zone: Any) -> TodoForm:
    due: datetime | None = one.due.astimezone(zone) if one.due else None
    filled = {"title": one.summary, "notes": one.description}
    return TodoForm(
        initial={**filled, "due": f"{due:{CLOCK}}" if due else ""}, auto_id=f"todo-{one.pk}-%s"
    )
