"""What every page about an activity begins and ends with: which one, where from, and what next."""

from typing import Any
from urllib.parse import urlsplit

from django.contrib import messages
from django.contrib.messages import get_messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from agents.admin.queue.criteria import QueueCriteria
from agents.admin.queue.neighbours import find_next, list_url, place_of
from agents.admin.queue.place import Position
from agents.admin.queue.queries import read_queue
from inbox.admin.finding import first_or_404, let_decide
from inbox.models import Activity
from inbox.viewer import viewer_of

# A message with this tag has the key z.
UNDO_TAG = "undo"
_SAID = "chancery/queue/said.html"
_READ_WITH = ("person", "workspace", "correction", "message__thread", "message__inbox__account")


def find_activity(request: HttpRequest, public_id: str) -> Activity:
    """Return the activity, or raise Http404 alike for what is not there and what is foreign."""
    rows = Activity.objects.visible_to(viewer_of(request).actor).with_public_id(public_id)
    return first_or_404(rows.select_related(*_READ_WITH), "activity")


def find_to_change(request: HttpRequest, public_id: str) -> Activity:
    """Return the activity for somebody who may decide there; raises PermissionDenied otherwise."""
    found = find_activity(request, public_id)
    let_decide(request, found.workspace_id)
    return found


def wanted_of(request: HttpRequest) -> QueueCriteria:
    """Return the part of the queue that the item was opened from."""
    return QueueCriteria.from_query(request.GET.get("in", ""))


def url_of(found: Activity, wanted: QueueCriteria, name: str = "activity") -> str:
    """Return the address of an activity's page or action, which leads back to the queue."""
    return wanted.item_url(reverse(name, args=[found.public_id]))


def go_on(request: HttpRequest, wanted: QueueCriteria, place: Position) -> HttpResponse:
    """Lead to what comes after a place of the queue, else to its beginning, else to the queue.

    What was decided from the list leads back there. A page that asks for JSON is told where it goes
    on, and if it has read that very page ahead (`ahead`, its path), what that has to say first.
    """
    viewer = viewer_of(request)
    after = find_next(viewer, wanted, place)
    if request.POST.get("then") == "list":
        return HttpResponseRedirect(list_url(request, wanted, after))
    rows = [after] if after else list(read_queue(viewer, wanted, size=1).rows)
    url = rows[0].link if rows else wanted.url()
    if request.headers.get("Accept") != "application/json":
        return HttpResponseRedirect(url)
    is_ahead = request.POST.get("ahead") == urlsplit(url).path
    line = render_to_string(_SAID, {"said": get_messages(request)}, request) if is_ahead else ""
    return JsonResponse({"next": url, "line": line})


def place_in(found: Activity, wanted: QueueCriteria) -> Position:
    """Return where an activity stands, to be asked before an action moves it."""
    return place_of(found, wanted)


def say_done(request: HttpRequest, words: str, undo_url: str = "", **given: Any) -> None:
    """Say on the next page what was done, with the way to take it back (z)."""
    if undo_url:
        form = _undo_form(request, words, undo_url, given)
        messages.success(request, form, extra_tags=UNDO_TAG)
    else:
        messages.success(request, words)


def _undo_form(request: HttpRequest, words: str, url: str, given: dict[str, Any]) -> SafeString:
    fields = {"csrfmiddlewaretoken": get_token(request), **given}
    inputs = [
        format_html('<input type="hidden" name="{}" value="{}">', name, value)
        for name, value in fields.items()
    ]
    return format_html(
        '<span>{}</span> <form class="undo-line" method="post" action="{}">{}'
        '<button class="button" data-key="z" aria-keyshortcuts="z">{} '
        '<kbd aria-hidden="true">z</kbd></button></form>',
        words, url, SafeString("".join(inputs)), _("Undo"),
    )  # fmt: skip
