"""The calendar as people read it: by week, month and agenda, and an event with all about it."""

from datetime import date, datetime
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from calendar_app.browsing.queries import (
    MOST,
    VIEWS,
    Period,
    by_hours,
    of_whole_days,
    period_of,
    read_calendars,
    read_days,
    read_whole_days,
)
from calendar_app.models import Event
from calendar_app.operations.events import is_ours
from calendar_app.operations.occurrences import find_occurrence
from inbox.models import Message
from inbox.viewer import Viewer, viewer_of, zone_of

_NAMES = {"day": _("Day"), "week": _("Week"), "month": _("Month"), "agenda": _("Agenda")}
_KEYS = {"day": "d", "week": "w", "month": "m", "agenda": "a"}
# Years that weeks before and after can be counted from.
_YEARS = range(1900, 2201)


@require_safe
def calendar(request: HttpRequest) -> HttpResponse:
    """Show a period; `view`, `day` and `account` in the address say which."""
    viewer = viewer_of(request)
    if not viewer.roles:
        raise PermissionDenied
    zone = zone_of(request)
    today = timezone.now().astimezone(zone).date()
    view = request.GET.get("view", "week")
    period = period_of(view if view in VIEWS else "week", _day(request, today))
    calendars = read_calendars(viewer)
    accounts = {one.account_id: one.account for one in calendars}
    account = request.GET.get("account", "")
    chosen = next((key for key in accounts if str(key) == account), None)
    days, is_cut = read_days(viewer, period, zone, today, chosen)
    context = {
        **admin.site.each_context(request),
        "title": _("Calendar"),
        "period": period,
        "days": days,
        "hours": by_hours(days) if period.view in {"day", "week"} else [],
        "whole_days": of_whole_days(days),
        "zone": str(zone),
        "may_write": viewer.may_decide(),
        "may_share": viewer.may_manage(),
        "is_empty": not any(day.entries for day in days),
        "is_cut": is_cut,
        "most": MOST,
        "views": _ways(period, chosen),
        "way": {
            "before": _place(period.view, period.before, chosen),
            "after": _place(period.view, period.after, chosen),
            "today": _place(period.view, today, chosen),
        },
        "account_ways": _account_ways(period, accounts, chosen),
    }
    return TemplateResponse(request, "chancery/calendar/calendar.html", context)


@require_safe
def event(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show an event, or one instance of a series."""
    viewer = viewer_of(request)
    rows = Event.objects.visible_to(viewer.actor).kept().select_related("calendar__account")
    found = find_occurrence(rows, public_id)
    if found is None:
        raise Http404("There is no such event.")
    shown = found.event
    # A whole day is the same one wherever its reader is.
    days = read_whole_days(found) if shown.all_day else ()
    day = days[0] if days else found.start.astimezone(zone_of(request)).date()
    context = {
        **admin.site.each_context(request),
        "title": shown.summary or _("(no title)"),
        "one": found,
        "event": shown,
        "days": days,
        "guests": list(shown.attendees.order_by("name", "email")[:200]),
        "is_ours": is_ours(shown),
        "may_write": viewer.may_decide(shown.workspace_id),
        "message": _message(viewer, shown),
        "back": _place("week", day, None),
        "workspace_name": viewer.names[shown.workspace_id] if viewer.has_several else "",
    }
    return TemplateResponse(request, "chancery/calendar/event.html", context)


def _day(request: HttpRequest, today: date) -> date:
    try:
        day = datetime.strptime(request.GET.get("day", ""), "%Y-%m-%d").date()  # noqa: DTZ007
    except ValueError:
        return today
    return day if day.year in _YEARS else today


def _place(view: str, day: date, account: int | None) -> str:
    wanted: dict[str, Any] = {"view": view, "day": day.isoformat()}
    if account is not None:
        wanted["account"] = account
    return f"{reverse('calendar')}?{urlencode(wanted)}"


def _ways(period: Period, account: int | None) -> list[dict[str, Any]]:
    return [
        {
            "name": _NAMES[view],
            "key": _KEYS[view],
            "url": _place(view, period.anchor, account),
            "current": view == period.view,
        }
        for view in VIEWS
    ]


def _account_ways(
    period: Period, accounts: dict[int, Any], chosen: int | None
) -> list[dict[str, Any]]:
    """Return the accounts to choose from; none where there is one only."""
    if len(accounts) < 2:
        return []
    every = [(None, _("All accounts")), *((key, one.address) for key, one in accounts.items())]
    return [
        {"name": name, "url": _place(period.view, period.anchor, key), "current": key == chosen}
        for key, name in every
    ]


def _message(viewer: Viewer, shown: Event) -> Message | None:
    """Return the message that brought its latest state, with its thread."""
    rows = Message.objects.visible_to(viewer.actor).select_related("thread")
    return rows.filter(pk=shown.message_id).first() if shown.message_id else None
