"""The page of corrections: what persons taught the rules, how often it had a say, and its end."""

from collections import Counter
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from agents.admin.activities.finding import say_done
from agents.operations import correcting
from inbox.admin.finding import first_or_404, let_decide, person_of
from inbox.models import Activity, Correction
from inbox.operations.activities.corrections import MOST, find_open, find_touched
from inbox.viewer import Viewer, viewer_of

PAGE = 50
COUNTED = 1000
COUNTED_IN_LIST = 100
_SHOWN = 20


@require_safe
def corrections(request: HttpRequest) -> HttpResponse:
    """List them, newest first; `?before=` goes on."""
    viewer = viewer_of(request)
    rows = Correction.objects.visible_to(viewer.actor).select_related("revoked_by").order_by("-id")
    before = request.GET.get("before", "")
    if before.isascii() and before.isdigit() and len(before) < 16:
        rows = rows.filter(pk__lt=int(before))
    found = list(rows[: PAGE + 1])
    counts = _count_applied(found[:PAGE])
    context = {
        **admin.site.each_context(request),
        "title": _("Corrections"),
        "rows": [_line(row, counts, viewer) for row in found[:PAGE]],
        "before": found[PAGE - 1].pk if len(found) > PAGE else "",
    }
    return TemplateResponse(request, "chancery/activities/corrections.html", context)


def _count_applied(rows: list[Correction]) -> Counter[int]:
    """Count what each had a say in, up to a bound, with one query over the index."""
    parts = [
        Activity.objects.filter(
            pk__in=row.activities.order_by("-pk").values("pk")[: COUNTED_IN_LIST + 1]
        )
        .order_by()
        .values_list("correction_id", flat=True)
        for row in rows
    ]
    return Counter(parts[0].union(*parts[1:], all=True)) if parts else Counter()


def _line(row: Correction, counts: Counter[int], viewer: Viewer) -> dict[str, Any]:
    count = counts[row.pk]
    return {
        "correction": row,
        "applied": f"{COUNTED_IN_LIST}+" if count > COUNTED_IN_LIST else str(count),
        "workspace": viewer.names.get(row.workspace_id, "") if viewer.has_several else "",
        "may_decide": viewer.may_decide(row.workspace_id),
    }


@require_safe
def correction(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show one: what it says, what it had a say in, and what is open there."""
    found, viewer = find_correction(request, public_id), viewer_of(request)
    touched = found.activities.visible_to(viewer.actor).order_by("-id")
    context = {
        **admin.site.each_context(request),
        "title": _("Correction"),
        "correction": found,
        "may_decide": viewer.may_decide(found.workspace_id),
        "applied": _bounded(touched),
        "again": _bounded(find_touched(found)) if found.revoked_at else "",
        "open": _bounded(find_open(found)) if not found.revoked_at else "",
        "touched": touched.defer("content", "reasoning")[:_SHOWN],
        "most": MOST,
    }
    return TemplateResponse(request, "chancery/activities/correction.html", context)


@require_POST
def revoke(request: HttpRequest, public_id: str) -> HttpResponse:
    """Have later mail judged as before; with `again`, what it had a say in as well."""
    found = _find_to_change(request, public_id)
    correcting.revoke(correction=found, by=person_of(request))
    changes = (
        correcting.judge_again(correction=found, by=person_of(request))
        if request.POST.get("again")
        else []
    )
    words = _("Revoked. Later mail is classified as before.")
    if changes:
        words = ngettext(
            "Revoked; {count} item was classified as before.",
            "Revoked; {count} items were classified as before.",
            len(changes),
        ).format(count=len(changes))
    say_done(request, words, reverse("correction-restore", args=[found.public_id]))
    return HttpResponseRedirect(_url(found))


@require_POST
def restore(request: HttpRequest, public_id: str) -> HttpResponse:
    """Put it in force again."""
    found = _find_to_change(request, public_id)
    correcting.restore(correction=found, by=person_of(request))
    say_done(request, _("Active again for new mail."))
    return HttpResponseRedirect(_url(found))


@require_POST
def apply(request: HttpRequest, public_id: str) -> HttpResponse:
    """Judge the open items anew that it is about."""
    found = _find_to_change(request, public_id)
    if found.revoked_at is None:
        _say_judged(request, len(correcting.apply(correction=found, by=person_of(request))))
    return HttpResponseRedirect(_url(found))


@require_POST
def again(request: HttpRequest, public_id: str) -> HttpResponse:
    """Judge anew, by what is in force now, what it had a say in."""
    found = _find_to_change(request, public_id)
    _say_judged(request, len(correcting.judge_again(correction=found, by=person_of(request))))
    return HttpResponseRedirect(_url(found))


def _say_judged(request: HttpRequest, count: int) -> None:
    words = ngettext("{count} item was reclassified.", "{count} items were reclassified.", count)
    say_done(request, words.format(count=count))


def find_correction(request: HttpRequest, public_id: str) -> Correction:
    """Return the correction, or raise Http404 alike for what is not there and what is foreign."""
    rows = Correction.objects.visible_to(viewer_of(request).actor).with_public_id(public_id)
    return first_or_404(rows.select_related("revoked_by"), "correction")


def _find_to_change(request: HttpRequest, public_id: str) -> Correction:
    found = find_correction(request, public_id)
    let_decide(request, found.workspace_id)
    return found


def _bounded(rows: Any) -> str:
    count = rows.order_by()[: COUNTED + 1].count()
    return f"{COUNTED}+" if count > COUNTED else str(count)


def _url(found: Correction) -> str:
    return reverse("correction", args=[found.public_id])
