"""The page of oversight, and what a person says of its sample."""

import secrets
from collections import defaultdict
from datetime import UTC, date, datetime
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import F
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from agents.admin.oversight.counting import by_keys, per_day
from agents.admin.oversight.figures import ENDS, read_figures
from agents.admin.oversight.panels import (
    NAMES,
    agent_rows,
    came_panel,
    decisions_panel,
    monday_of,
    precision_panel,
    sent_panel,
    time_panel,
    troubles_panel,
)
from agents.admin.oversight.people import read_people, read_planted
from agents.admin.oversight.people_tables import Table, planted_tables, tables_of
from agents.admin.oversight.scope import SPANS, Scope, read_choices, read_scope
from agents.admin.oversight.tiles import tiles_of
from agents.models import SampleCheck
from agents.operations.sample_checks import (
    Precision,
    check_activity,
    draw_sample,
    precision_of,
)
from inbox.actor import Actor
from inbox.admin.refusals import words_of
from inbox.errors import DomainError
from inbox.models import Activity
from inbox.prepared import Prepared, padded
from inbox.viewer import Viewer, viewer_of, zone_of

HOUR = 3600


@require_safe
def oversight(request: HttpRequest) -> HttpResponse:
    """Show the figures and the sample, `?days=`, `?workspace=`, `?account=`, `?agent=`."""
    viewer, now = viewer_of(request), timezone.now()
    choices = read_choices(viewer)
    scope = read_scope(viewer, request.GET.dict(), choices, now, zone_of(request))
    figures = read_figures(scope, choices.agents)
    drawn = _drawn(request.GET.get("drawn", ""), now)
    context = {
        **admin.site.each_context(request),
        "title": _("Oversight"),
        "scope": scope,
        "choices": choices,
        "spans": [(span, scope.query(days=span)) for span in SPANS],
        "tiles": tiles_of(figures),
        "panels": [
            came_panel(scope, figures), decisions_panel(scope, figures), time_panel(figures),
            sent_panel(scope, figures), troubles_panel(scope, figures),
        ],
        "agents": agent_rows(figures),
        "tables": [*tables_of(read_people(scope), figures), *_planted(scope)],
        "ends": [(end, NAMES[end]) for end in ENDS],
        "edits": figures.edits,
        "sample": _sample(viewer, scope, drawn),
        "precision": _precision(scope),
        "drawn": drawn,
        "redraw": scope.query(drawn=f"{int(now.timestamp())}.{secrets.token_hex(4)}"),
        "here": scope.query(drawn=drawn),
        "zone": str(zone_of(request)),
    }  # fmt: skip
    return TemplateResponse(request, "chancery/oversight/oversight.html", context)


@require_POST
def check(request: HttpRequest, public_id: str) -> HttpResponse:
    """Keep what the person says of a silent item, and go back to the sample."""
    viewer = viewer_of(request)
    rows = Activity.objects.visible_to(viewer.actor).with_public_id(public_id)
    activity = rows.first()
    if activity is None:
        raise Http404("There is no such activity.")
    if not viewer.may_decide(activity.workspace_id):
        raise PermissionDenied
    actor = viewer.actor.within(activity.workspace_id)
    try:
        check_activity(actor=actor, activity=activity, verdict=request.POST.get("verdict", ""))
    except DomainError as error:
        messages.error(request, words_of(error))
    now, choices = timezone.now(), read_choices(viewer)
    scope = read_scope(viewer, request.POST.dict(), choices, now, zone_of(request))
    drawn = _drawn(request.POST.get("drawn", ""), now)
    return HttpResponseRedirect(f"{reverse('oversight')}?{scope.query(drawn=drawn)}#sample")


def _planted(scope: Scope) -> list[Table]:
    """Return what reviewers caught and missed; nothing where nothing planted was decided."""
    counts = read_planted(scope, get_language() or "en")
    return planted_tables(counts)[:1] if counts.whole.misses.total else []


def _drawn(text: str, now: datetime) -> str:
    """Return which sample an address names: until when, and a seed; else that of this hour."""
    until, _dot, seed = text.partition(".")
    is_good = until.isascii() and until.isdigit() and len(until) <= 10 and seed.isalnum()
    if is_good and len(seed) <= 16 and int(until) <= now.timestamp():
        return text
    return f"{int(now.timestamp()) // HOUR * HOUR}.hour"


def _sample(viewer: Viewer, scope: Scope, drawn: str) -> list[dict[str, Any]]:
    """Return the drawn items, each with what was said of it and whether this person may say."""
    until = datetime.fromtimestamp(int(drawn.partition(".")[0]), UTC)
    keys = draw_sample(
        actor=scope.actor, begins=scope.begins, ends=min(until, scope.ends),
        account=scope.account, seed=drawn,
    )  # fmt: skip
    rows = _SAMPLED.rows(actor=scope.actor, keys=padded(keys)) if keys else ()
    by_key = {row.pk: row for row in rows}
    return [
        {
            "activity": by_key[key],
            "check": getattr(by_key[key], "sample_check", None),
            "may_say": viewer.may_decide(by_key[key].workspace_id),
            "workspace": viewer.names.get(by_key[key].workspace_id) if viewer.has_several else "",
        }
        for key in keys
        if key in by_key
    ]


def _sampled(*, actor: Actor, keys: tuple[int, ...]) -> list[Any]:
    rows = Activity.objects.visible_to(actor).filter(pk__in=keys)
    rows = rows.select_related("message", "person", "sample_check__checked_by")
    return [rows.defer("content", "message__text", "message__html", "message__new_text")]


_SAMPLED = Prepared(_sampled)


def _checked(*, actor: Actor, accounts: tuple[int, ...]) -> list[Any]:
    rows = SampleCheck.objects.visible_to(actor)
    if accounts:
        rows = rows.filter(activity__message__inbox__account__in=accounts)
    return [by_keys(rows, "checked_at", verdict=F("verdict"))]


_CHECKED = Prepared(_checked)


def _precision(scope: Scope) -> Any:
    checked = per_day(_CHECKED, 1, scope.days, actor=scope.actor, accounts=scope.accounts)
    weeks: dict[date, list[tuple[str, int]]] = defaultdict(list)
    for day, verdict, count in checked:
        weeks[monday_of(scope.days[day].date)].append((verdict, count))
    by_week = [(begins, precision_of(counted)) for begins, counted in sorted(weeks.items())]
    whole = Precision(
        sum(each.right for _begins, each in by_week), sum(each.total for _begins, each in by_week)
    )
    return precision_panel(by_week, whole)
