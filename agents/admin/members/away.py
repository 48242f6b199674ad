"""The page on which somebody says that they are away, until when, and who stands in for them."""

from dataclasses import dataclass
from datetime import datetime, time
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from agents.models import Absence
from agents.oversight.absences import come_back, go_away
from inbox.admin.finding import first_or_404
from inbox.admin.refusals import words_of
from inbox.errors import DomainError
from inbox.models import Membership, Role
from inbox.viewer import viewer_of, zone_of

_DECIDE = (Role.OWNER, Role.REVIEWER)


class AwayForm(forms.Form):
    """Until which day, and who stands in."""

    until = forms.DateField(
        label=_("Last day away"), widget=forms.DateInput(attrs={"type": "date"})
    )
    delegate = forms.ChoiceField(label=_("Stand-in"))

    def __init__(self, *args: Any, delegates: list[tuple[str, str]], **kwargs: Any) -> None:
        """Offer the others who decide there."""
        super().__init__(*args, **kwargs)
        self.fields["delegate"].choices = delegates  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Place:
    """A workspace in which this person decides; without others nobody can stand in."""

    membership: Membership
    absence: Absence | None
    form: AwayForm
    others: int


@require_safe
def away(request: HttpRequest) -> HttpResponse:
    """Show where one decides, and whether one is away there."""
    return _show(request)


@require_POST
def leave(request: HttpRequest, workspace_id: int) -> HttpResponse:
    """Be away from now on, until the end of a day in one's own zone."""
    membership = _membership(request, workspace_id)
    form = AwayForm(request.POST, delegates=_others(request, [membership])[workspace_id])
    if form.is_valid():
        day = form.cleaned_data["until"]
        try:
            until = datetime.combine(day, time(23, 59), zone_of(request))
            delegate = int(form.cleaned_data["delegate"])
            go_away(membership=membership, until=until, delegate_id=delegate)
        except OverflowError:
            form.add_error("until", _("Choose today or a later day."))
        except DomainError as error:
            form.add_error(error.field if error.field in form.fields else None, words_of(error))
        else:
            messages.success(request, _("Saved. Enjoy your time off."))
            return HttpResponseRedirect(reverse("away"))
    return _show(request, {workspace_id: form}, status=400)


@require_POST
def back(request: HttpRequest, workspace_id: int) -> HttpResponse:
    """Be back."""
    if come_back(membership=_membership(request, workspace_id)):
        messages.success(request, _("Welcome back."))
    return HttpResponseRedirect(reverse("away"))


def _show(
    request: HttpRequest, filled: dict[int, AwayForm] | None = None, *, status: int = 200
) -> HttpResponse:
    actor = viewer_of(request).actor
    rows = Membership.objects.visible_to(actor).filter(user=actor.id, role__in=_DECIDE)
    mine = list(rows.select_related("workspace").order_by("workspace__name", "pk"))
    others = _others(request, mine)
    there = Absence.objects.visible_to(actor).filter(user=actor.id, until__gt=timezone.now())
    absences = {one.workspace_id: one for one in there.select_related("delegate")}
    places = [
        Place(
            one, absences.get(one.workspace_id),
            (filled or {}).get(one.workspace_id)
            or _blank(others[one.workspace_id], one.workspace_id),
            len(others[one.workspace_id]),
        )
        for one in mine
    ]  # fmt: skip
    context = {
        **admin.site.each_context(request),
        "title": _("Away"),
        "away_in": places,
        "zone": str(zone_of(request)),
    }
    return TemplateResponse(request, "chancery/notices/away.html", context, status=status)


def _blank(others: list[tuple[str, str]], workspace_id: int) -> AwayForm:
    return AwayForm(delegates=others, auto_id=f"away-{workspace_id}-%s")


def _others(request: HttpRequest, mine: list[Membership]) -> dict[int, list[tuple[str, str]]]:
    """Return who else decides in each of these workspaces, to choose from."""
    actor = viewer_of(request).actor
    found: dict[int, list[tuple[str, str]]] = {one.workspace_id: [] for one in mine}
    rows = Membership.objects.visible_to(actor).filter(
        workspace__in=list(found), role__in=_DECIDE, user__is_active=True
    )
    rows = rows.exclude(user=actor.id).order_by("user__username")
    for workspace, key, name in rows.values_list("workspace_id", "user_id", "user__username"):
        found[workspace].append((str(key), name))
    return found


def _membership(request: HttpRequest, workspace_id: int) -> Membership:
    actor = viewer_of(request).actor
    rows = Membership.objects.visible_to(actor).filter(user=actor.id, workspace=workspace_id)
    return first_or_404(rows.select_related("user"), "workspace")
