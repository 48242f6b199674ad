"""The addresses at which calendars are read without signing in: made, listed, revoked by owners."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from calendar_app.browsing.queries import read_calendars
from calendar_app.feeds.changes import create_feed, revoke_feed
from calendar_app.models import Calendar, CalendarFeed, FeedDetail
from inbox.admin.finding import first_or_404, let_manage
from inbox.admin.refusals import words_of
from inbox.errors import DomainError
from inbox.viewer import Viewer, viewer_of

# So many are listed: those that are read, and the last ones that no longer are.
_MOST_LIVE, _MOST_REVOKED = 200, 20


class FeedForm(forms.Form):
    """Which calendar is shared, how much of it, and with whom."""

    calendar = forms.ChoiceField(label=gettext_lazy("Calendar"))
    detail = forms.ChoiceField(
        label=gettext_lazy("What it tells"), initial=FeedDetail.BUSY,
        widget=forms.RadioSelect, choices=(
            (FeedDetail.BUSY, gettext_lazy("Free/busy: only when you are busy")),
            (FeedDetail.FULL, gettext_lazy("Full: titles, places and descriptions; no guests")),
        ),
    )  # fmt: skip
    name = forms.CharField(
        label=gettext_lazy("For whom"), max_length=100,
        help_text=gettext_lazy("Only shown here, so that you know which address to revoke."),
    )  # fmt: skip

    def __init__(self, *args: Any, calendars: list[Calendar], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.calendars = {one.public_id: one for one in calendars}
        field: Any = self.fields["calendar"]
        field.choices = [(key, _name_of(one)) for key, one in self.calendars.items()]


@require_safe
def feeds(request: HttpRequest) -> HttpResponse:
    """Show the addresses of the calendars that one owns, and the form for another."""
    calendars = _owned(request)
    chosen = {"calendar": request.GET.get("calendar", "")}
    return _show(request, FeedForm(initial=chosen, calendars=calendars))


@require_POST
def create(request: HttpRequest) -> HttpResponse:
    """Make an address and show it, this once; it stands in no cookie, log or list."""
    form = FeedForm(request.POST, calendars=_owned(request))
    if not form.is_valid():
        return _show(request, form, status=400)
    given = form.cleaned_data
    calendar = form.calendars[given["calendar"]]
    actor = viewer_of(request).actor.within(calendar.workspace_id)
    try:
        feed, secret = create_feed(
            calendar=calendar, detail=FeedDetail(given["detail"]), name=given["name"], by=actor
        )
    except DomainError as error:
        form.add_error(None, words_of(error))
        return _show(request, form, status=409)
    context = {
        **admin.site.each_context(request),
        "title": _("Address of %(name)s") % {"name": calendar.name},
        "feed": feed,
        "feed_url": settings.BASE_URL + reverse("calendar-feed", args=[secret]),
    }
    response = TemplateResponse(request, "chancery/calendar/feed_address.html", context)
    add_never_cache_headers(response)
    return response


@require_POST
def revoke(request: HttpRequest, public_id: str) -> HttpResponse:
    """End an address, at once and for good."""
    rows = CalendarFeed.objects.visible_to(viewer_of(request).actor).with_public_id(public_id)
    feed = first_or_404(rows, "address")
    let_manage(request, feed.workspace_id)
    revoke_feed(feed=feed, by=viewer_of(request).actor.within(feed.workspace_id))
    messages.success(request, _("The address for %(name)s is revoked.") % {"name": feed.name})
    return HttpResponseRedirect(reverse("calendar-feeds"))


def _owned(request: HttpRequest) -> list[Calendar]:
    """Return the calendars that one may share; raises PermissionDenied for who owns nothing."""
    viewer = viewer_of(request)
    if not viewer.may_manage():
        raise PermissionDenied
    return [one for one in read_calendars(viewer) if viewer.may_manage(one.workspace_id)]


def _show(request: HttpRequest, form: FeedForm, *, status: int = 200) -> HttpResponse:
    live, revoked = _read_feeds(viewer_of(request))
    context = {
        **admin.site.each_context(request),
        "title": _("Share by address"),
        "form": form,
        "live": live,
        "revoked": revoked,
        "has_calendars": bool(form.calendars),
    }
    return TemplateResponse(request, "chancery/calendar/feeds.html", context, status=status)


def _read_feeds(viewer: Viewer) -> tuple[list[CalendarFeed], list[CalendarFeed]]:
    """Return the feeds of the workspaces that one owns: the live ones, and the last revoked."""
    rows = CalendarFeed.objects.visible_to(viewer.actor).filter(workspace_id__in=viewer.managed)
    rows = rows.select_related("calendar__account", "created_by")
    live = rows.live().order_by("calendar__name", "calendar_id", "pk")[:_MOST_LIVE]
    return list(live), list(rows.exclude(revoked_at=None).order_by("-revoked_at")[:_MOST_REVOKED])


def _name_of(calendar: Calendar) -> str:
    return f"{calendar.name} · {calendar.account.address}"
