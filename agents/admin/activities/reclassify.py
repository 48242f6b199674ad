"""The page on which a person corrects the rules: for this item, its sender, domain or list."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from agents.admin.activities.finding import (
    find_activity,
    find_to_change,
    go_on,
    place_in,
    say_done,
    url_of,
    wanted_of,
)
from agents.dispatching import dispatch
from agents.errors import ToolError
from agents.operations import correcting
from inbox.admin.finding import person_of
from inbox.errors import DomainError
from inbox.models import (
    Activity,
    ActivityChange,
    ActivityStatus,
    ActivityType,
    Correction,
    CorrectionRoute,
    CorrectionScope,
    Urgency,
)
from inbox.operations.activities.corrections import LONGEST_NOTE, MOST, CorrectedValues, find_open
from inbox.operations.activities.matching import domain_vouching_for_list, names_of, why_doubtful
from inbox.reasons.words import worded
from inbox.viewer import viewer_of

ITEM = "item"
ROUTES: tuple[tuple[str, Any, Any], ...] = (
    (CorrectionRoute.SURFACE, gettext_lazy("Always surface"),
     gettext_lazy("always shown to me first, as urgent or important")),
    (CorrectionRoute.REVIEW, gettext_lazy("For review"),
     gettext_lazy("a request that needs a decision")),
    (CorrectionRoute.NOTE, gettext_lazy("Only note"),
     gettext_lazy("good to know; never needs attention")),
    (CorrectionRoute.DISMISS, gettext_lazy("Dismiss"),
     gettext_lazy("not relevant; handled silently")),
)  # fmt: skip
SCOPES: dict[str, tuple[str, Any]] = {
    ITEM: ("i", gettext_lazy("This item only")),
    CorrectionScope.SENDER: ("s", gettext_lazy("All mail from this sender")),
    CorrectionScope.DOMAIN: ("d", gettext_lazy("All mail from this domain")),
    CorrectionScope.LIST: ("l", gettext_lazy("All mail from this list")),
}
_STATUS = {
    CorrectionRoute.SURFACE: (ActivityStatus.SURFACED, 4),
    CorrectionRoute.REVIEW: (ActivityStatus.NEEDS_REVIEW, 3),
    CorrectionRoute.NOTE: (ActivityStatus.PROCESSED, 2),
    CorrectionRoute.DISMISS: (ActivityStatus.ARCHIVED, 1),
}
_KINDS = [("", gettext_lazy("as the rules say")), *ActivityType.choices]
_URGENCIES = [("", gettext_lazy("as the rules say")), *Urgency.choices]


@dataclass(frozen=True, slots=True)
class CorrectionReach:
    """One thing that a correction may be about: how much is open there, and what binds it."""

    scope: str
    key: str
    name: Any
    value: str
    count: int
    doubt: str

    @property
    def is_many(self) -> bool:
        """Whether more are open than are judged anew at once."""
        return self.count > MOST


class CorrectionForm(forms.Form):
    """What is corrected, and for whom."""

    route = forms.ChoiceField(
        choices=[("", ""), *((code, name) for code, name, _hint in ROUTES)], required=False
    )
    scope = forms.ChoiceField(choices=[(code, name) for code, (_key, name) in SCOPES.items()])
    activity_type = forms.ChoiceField(choices=_KINDS, required=False, label=gettext_lazy("Kind"))
    urgency = forms.ChoiceField(choices=_URGENCIES, required=False, label=gettext_lazy("Urgency"))
    note = forms.CharField(
        max_length=LONGEST_NOTE,
        required=False,
        label=gettext_lazy("Reason, for people who read it later"),
    )
    open_too = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        """One that sets nothing corrects nothing."""
        given: dict[str, Any] = super().clean() or {}
        if not any(given.get(name) for name in ("route", "activity_type", "urgency")):
            self.add_error("route", _("Choose where it goes, a kind or an urgency."))
        return given


@require_http_methods(["GET", "HEAD", "POST"])
def reclassify(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show what can be corrected, with how much is open there; do it by POST."""
    if request.method != "POST":
        found = find_activity(request, public_id)
        return _show(request, found, CorrectionForm(initial={"scope": _nearest(found)}))
    found, form = find_to_change(request, public_id), CorrectionForm(request.POST)
    if not form.is_valid():
        return _show(request, found, form, status=400)
    action = _correct_item if form.cleaned_data["scope"] == ITEM else _correct_all
    wanted = wanted_of(request)
    place = place_in(found, wanted)
    try:
        action(request, found, form.cleaned_data)
    except (ToolError, DomainError) as error:
        form.add_error(None, worded(error.message))
        return _show(request, found, form, status=400)
    return go_on(request, wanted, place)


def _correct_item(request: HttpRequest, found: Activity, given: dict[str, Any]) -> None:
    """Change this item alone, as a call of `update_activities`."""
    status, tier = _STATUS.get(given["route"], (None, None))
    parts = {
        "activity_type": given["activity_type"] or None, "urgency": given["urgency"] or None,
        "autonomy_tier": tier,
    }  # fmt: skip
    updates = {"status": status, "classification": parts}
    person = viewer_of(request).actor.within(found.workspace_id)
    arguments = {"activity_ids": [found.public_id], "updates": updates}
    dispatch.call("update_activities", arguments, person)
    rows = ActivityChange.objects.visible_to(person).filter(activity=found, by=person.key)
    change = rows.order_by("-id").first()
    url = url_of(found, wanted_of(request), "activity-undo") if change else ""
    say_done(request, _("This item was reclassified."), url, change=change and change.public_id)


def _correct_all(request: HttpRequest, found: Activity, given: dict[str, Any]) -> None:
    """Correct the rules, and reclassify what is open where that was asked for."""
    says = CorrectedValues(
        route=given["route"], activity_type=given["activity_type"], urgency=given["urgency"],
        note=given["note"],
    )  # fmt: skip
    done = correcting.correct(
        activity=found, by=person_of(request), scope=given["scope"], says=says,
        open_too=given["open_too"],
    )  # fmt: skip
    count = len(done.changes)
    words = ngettext(
        "Rules corrected for {value}; {count} open item was reclassified.",
        "Rules corrected for {value}; {count} open items were reclassified.",
        count,
    )
    url = reverse("correction-revoke", args=[done.correction.public_id])
    words = words.format(value=done.correction.value, count=count)
    say_done(request, words, url, again="yes")


def _nearest(found: Activity) -> str:
    """Return what one most often means: the list, where it came by one, else the sender."""
    names = names_of(found.message) if found.message else {}
    for scope in (CorrectionScope.LIST, CorrectionScope.SENDER):
        if scope in names:
            return scope
    return ITEM


def read_reaches(found: Activity) -> list[CorrectionReach]:
    """Return what a correction may be about, with one bounded count for each."""
    message = found.message
    reaches = [CorrectionReach(ITEM, *SCOPES[ITEM], found.title, 1, "")]
    if message is None:
        return reaches
    for scope, value in names_of(message).items():
        like = Correction(
            workspace_id=found.workspace_id, scope=scope, value=value,
            vouched_by=domain_vouching_for_list(message) if scope == CorrectionScope.LIST else "",
        )  # fmt: skip
        count = find_open(like).order_by()[: MOST + 1].count()
        reaches.append(
            CorrectionReach(scope, *SCOPES[scope], value, count, why_doubtful(message, like))
        )
    return reaches


def _show(
    request: HttpRequest, found: Activity, form: CorrectionForm, *, status: int = 200
) -> HttpResponse:
    viewer, wanted = viewer_of(request), wanted_of(request)
    context = {
        **admin.site.each_context(request),
        "title": _("Reclassify"),
        "activity": found,
        "form": form,
        "routes": ROUTES,
        "reaches": read_reaches(found),
        "back_url": url_of(found, wanted),
        "do_url": url_of(found, wanted, "activity-reclassify"),
        "may_decide": viewer.may_decide(found.workspace_id),
        "most": MOST,
    }
    return TemplateResponse(request, "chancery/activities/reclassify.html", context, status=status)
