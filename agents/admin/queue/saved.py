"""Filters under names of one's own: kept, shown and removed."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from agents.admin.queue.criteria import QueueCriteria
from agents.models import SavedFilter
from agents.models.saved_filters import LONGEST_NAME, LONGEST_QUERY, MOST_SAVED
from inbox.prepared import Prepared


@dataclass(frozen=True, slots=True)
class SavedFilterChip:
    """A saved filter as a chip."""

    key: int
    name: str
    url: str
    is_current: bool


class SaveForm(forms.Form):
    """A name for the present address."""

    name = forms.CharField(max_length=LONGEST_NAME)


def saved_filters(
    user: AbstractBaseUser | AnonymousUser, wanted: QueueCriteria
) -> list[SavedFilterChip]:
    """Return a person's own, in the order of their names."""
    shown = []
    for key, name, query in _SAVED.rows(user=user.pk or 0):
        kept = QueueCriteria.from_query(query)
        shown.append(SavedFilterChip(key, name, kept.url(), kept == wanted))
    return shown


def _saved(*, user: int) -> list[Any]:
    rows = SavedFilter.objects.filter(user_id=user).order_by("name")
    return [rows.values_list("pk", "name", "query")[:MOST_SAVED]]


_SAVED = Prepared(_saved)


@require_POST
def save(request: HttpRequest) -> HttpResponse:
    """Keep an address of the queue; one of the same name takes its place."""
    form = SaveForm(request.POST)
    wanted = QueueCriteria.from_query(request.POST.get("query", ""))
    if not form.is_valid():
        messages.error(request, _("Enter a name of at most %(most)d characters.") % _most_long())
        return HttpResponseRedirect(wanted.url())
    if len(wanted.to_query()) > LONGEST_QUERY:
        messages.error(request, _("This filter is too long to save. Use fewer words."))
        return HttpResponseRedirect(wanted.url())
    mine = SavedFilter.objects.filter(user_id=request.user.pk or 0)
    name = " ".join(form.cleaned_data["name"].split())
    kept = mine.filter(name=name)
    if not kept.exists() and len(mine.values_list("pk")[:MOST_SAVED]) >= MOST_SAVED:
        messages.error(
            request,
            _("You already have %(most)d, the maximum. Remove one first.") % {"most": MOST_SAVED},
        )
        return HttpResponseRedirect(wanted.url())
    SavedFilter.objects.update_or_create(
        user_id=request.user.pk or 0, name=name, defaults={"query": wanted.to_query()}
    )
    messages.success(request, _("Saved as “%(name)s”.") % {"name": name})
    return HttpResponseRedirect(wanted.url())


@require_POST
def remove(request: HttpRequest, key: int) -> HttpResponse:
    """Remove one of one's own; another's is let be."""
    SavedFilter.objects.filter(user_id=request.user.pk or 0, pk=key).delete()
    return HttpResponseRedirect(QueueCriteria.from_query(request.POST.get("query", "")).url())


def _most_long() -> dict[str, Any]:
    return {"most": LONGEST_NAME}
