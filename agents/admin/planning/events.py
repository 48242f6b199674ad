"""An event is made, changed and cancelled by a person: guests are told by a sealed message."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from agents.admin.planning.forms import CLOCK, EventForm
from agents.admin.refusals import Refused, words_of
from agents.admin.writing.choices import people
from agents.approval.own import do_or_propose
from calendar_app.models import Calendar, Event
from calendar_app.operations.occurrences import Occurrence, find_occurrence
from inbox.admin.finding import let_decide, person_of
from inbox.models import Account
from inbox.viewer import viewer_of, zone_of

_PAGE = require_http_methods(["GET", "HEAD", "POST"])


@_PAGE
def new_event(request: HttpRequest) -> HttpResponse:
    """Make an event; with guests it is an invitation, which is sealed and looked at."""
    viewer = viewer_of(request)
    if not viewer.may_decide():
        raise PermissionDenied
    places = [key for key in viewer.roles if viewer.may_decide(key)]
    rows = Calendar.objects.visible_to(viewer.actor).kept().filter(workspace_id__in=places)
    rows = rows.select_related("account").order_by("account_id", "-is_default", "pk")
    accounts = {one.account.public_id: one.account for one in rows}
    offered = [(key, one.address) for key, one in accounts.items()]
    if request.method != "POST":
        return _show(request, EventForm(initial=_begun(request), accounts=offered))
    form = EventForm(request.POST, accounts=offered)
    if not form.is_valid() or "account_id" not in form.fields:
        return _show(request, form, status=400)
    call = form.as_call()
    call = {name: value for name, value in call.items() if value not in ("", [])}
    account = accounts[call["account_id"]]
    return _do(request, account, "calendar_create_event", call, form=form)


@_PAGE
def change_event(request: HttpRequest, public_id: str) -> HttpResponse:
    """Change an event, a series, or one of a series; only what is changed is told."""
    one = _find(request, public_id)
    timed, account = not one.event.all_day, one.event.calendar.account
    form_of: dict[str, Any] = {"initial": _as_it_is(one), "accounts": [], "timed": timed}
    if request.method != "POST":
        return _show(request, EventForm(**form_of), one)
    form = EventForm(request.POST, **form_of)
    if not form.is_valid():
        return _show(request, form, one, status=400)
    changed = set(form.changed_data)
    if changed & {"start", "end", "timezone"}:
        changed |= {"start", "end", "timezone"}
    updates = {name: value for name, value in form.as_call().items() if name in changed}
    if not updates:
        return HttpResponseRedirect(reverse("event", args=[public_id]))
    call = {"account_id": account.public_id, "event_id": public_id, "updates": updates}
    return _do(request, account, "calendar_update_event", call, form=form, one=one)


@require_POST
def cancel_event(request: HttpRequest, public_id: str) -> HttpResponse:
    """Call an event off; guests of our own are told by a sealed message, others' is taken off."""
    one = _find(request, public_id)
    account = one.event.calendar.account
    call = {"account_id": account.public_id, "event_id": public_id, "confirm": True}
    return _do(request, account, "calendar_delete_event", call, one=one)


def _find(request: HttpRequest, public_id: str) -> Occurrence:
    rows = Event.objects.visible_to(viewer_of(request).actor).kept()
    found = find_occurrence(rows.select_related("calendar__account"), public_id)
    if found is None:
        raise Http404("There is no such event.")
    let_decide(request, found.event.workspace_id)
    return found


def _do(
    request: HttpRequest,
    account: Account,
    tool: str,
    call: dict[str, Any],
    *,
    form: EventForm | None = None,
    one: Occurrence | None = None,
) -> HttpResponse:
    """Do it, or lead to the sealed message that tells others of it; a refusal keeps the form."""
    here = reverse("event", args=[one.public_id]) if one else reverse("calendar")
    try:
        approval = do_or_propose(
            by=person_of(request), workspace_id=account.workspace_id, tool=tool, arguments=call
        )
    except Refused as error:
        words = words_of(error)
        if form is None:
            messages.error(request, words)
            return HttpResponseRedirect(here)
        form.add_error(None, words)
        return _show(request, form, one, status=400)
    if approval is not None:
        return HttpResponseRedirect(reverse("review", args=[approval.public_id]))
    is_gone = tool == "calendar_delete_event"
    messages.success(request, _("It is no longer in the calendar.") if is_gone else _("Saved."))
    if tool == "calendar_create_event":
        return HttpResponseRedirect(f"{here}?view=day&day={call['start'][:10]}")
    return HttpResponseRedirect(reverse("calendar") if is_gone else here)


def _begun(request: HttpRequest) -> dict[str, Any]:
    """Return what the form begins with: the hour that the address names, else the next one."""
    zone = zone_of(request)
    try:
        start = datetime.strptime(request.GET.get("at", ""), CLOCK)  # noqa: DTZ007
    except ValueError:
        start = timezone.now().astimezone(zone).replace(minute=0) + timedelta(hours=1)
    end = start + timedelta(hours=1) if start.year < 9999 else start
    return {
        "start": f"{start:{CLOCK}}", "end": f"{end:{CLOCK}}", "timezone": str(zone),
        "attendees": request.GET.get("guest", "")[:400],
    }  # fmt: skip


def _as_it_is(one: Occurrence) -> dict[str, Any]:
    event = one.event
    zone = _zone_of(event)
    start, end = (at.astimezone(zone) for at in (one.start, one.end))
    guests = event.attendees.order_by("pk").values_list("email", flat=True)
    return {
        "subject": event.summary, "start": f"{start:{CLOCK}}", "end": f"{end:{CLOCK}}",
        "timezone": str(zone), "location": event.location,
        "body": event.description, "attendees": ", ".join(guests[:200]),
    }  # fmt: skip


def _zone_of(event: Event) -> ZoneInfo:
    try:
        return ZoneInfo(event.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        # One that its invitation brought along: its clock is given in UTC.
        return ZoneInfo("UTC")


def _show(
    request: HttpRequest, form: EventForm, one: Occurrence | None = None, *, status: int = 200
) -> HttpResponse:
    context = {
        **admin.site.each_context(request),
        "title": one.event.summary if one else _("New event"),
        "form": form,
        "one": one,
        "people": people(viewer_of(request)),
        "zones": sorted({str(zone_of(request)), "UTC", "Europe/Berlin", "Europe/London",
                         "America/New_York", "America/Los_Angeles", "Asia/Tokyo"}),
    }  # fmt: skip
    return TemplateResponse(request, "chancery/planning/event.html", context, status=status)
