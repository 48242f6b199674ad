"""The people of a workspace: members look, owners change. Nothing is done by GET."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from allauth.core.internal import ratelimit
from allauth.mfa.models import Authenticator
from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Case, Exists, OuterRef, Value, When
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_POST, require_safe

from agents.models import Absence
from agents.operations.members import (
    add_member,
    add_new_person,
    change_role,
    remove_member,
    reset_password,
)
from inbox.admin.finding import first_or_404, let_manage, person_of
from inbox.admin.fresh_login import ask_again, is_fresh, went_back
from inbox.admin.refusals import words_of
from inbox.errors import DomainError
from inbox.models import Membership, Role, StartPassword, Workspace
from inbox.reasons import phrase
from inbox.viewer import Viewer, viewer_of

# So many are shown; a workspace is a team.
MOST = 500


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody with a place: `has_factor`: a second step guards them; `is_new`: never chose one."""

    membership: Membership
    has_factor: bool
    is_new: bool
    is_self: bool
    absence: Absence | None = None


def read_members(viewer: Viewer, workspace_id: int) -> list[Member]:
    """Return the members, owners first, each with how they sign in."""
    factors = Authenticator.objects.filter(
        user_id=OuterRef("user_id"),
        type__in=[Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN],
    )
    starts = StartPassword.objects.filter(user_id=OuterRef("user_id"))
    rank = Case(*(When(role=role, then=Value(at)) for at, role in enumerate(Role.values)))
    rows = (
        Membership.objects.visible_to(viewer.actor.within(workspace_id))
        .select_related("user")
        .annotate(has_factor=Exists(factors), is_new=Exists(starts), rank=rank)
        .order_by("rank", "user__username")[:MOST]
    )
    away = Absence.objects.visible_to(viewer.actor.within(workspace_id))
    away = away.filter(until__gt=timezone.now()).select_related("delegate")
    absences = {one.user_id: one for one in away}
    return [
        Member(
            row, row.has_factor, row.is_new, row.user_id == viewer.actor.id,
            absences.get(row.user_id),
        )
        for row in rows
    ]  # fmt: skip


ROLES = (
    (
        Role.OWNER,
        _("owner"),
        _("Can decide and change settings: accounts, agents, policies and people."),
    ),
    (
        Role.REVIEWER,
        _("reviewer"),
        _("Can read everything, approve, edit, reject and organize. Cannot change settings."),
    ),
    (Role.VIEWER, _("viewer"), _("Can read everything and change nothing.")),
)


class AddForm(forms.Form):
    """Somebody who is to belong here."""

    username = forms.CharField(
        label=_("User name"),
        max_length=150,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )
    role = forms.ChoiceField(
        label=_("Role"), choices=[row[:2] for row in ROLES], initial=Role.REVIEWER
    )


@require_safe
def everywhere(request: HttpRequest) -> HttpResponse:
    """Lead to the people of the first workspace."""
    viewer = viewer_of(request)
    if not viewer.roles:
        raise PermissionDenied
    first = (viewer.managed or list(viewer.roles))[0]
    return HttpResponseRedirect(reverse("members", args=[first]))


@require_safe
def members(request: HttpRequest, workspace_id: int) -> HttpResponse:
    """Show who belongs to it."""
    return _show(request, _workspace(request, workspace_id))


@require_POST
def add(request: HttpRequest, workspace_id: int) -> HttpResponse:
    """Add somebody who is known here, or, with `new`, somebody new."""
    workspace = _managed(request, workspace_id)
    form = AddForm(request.POST)
    if not form.is_valid():
        return _show(request, workspace, add_form=form, status=400)
    if not is_fresh(request):
        return _asked(request, workspace, add_form=form)
    try:
        membership, password = _add(request, workspace, form.cleaned_data)
    except DomainError as error:
        form.add_error(error.field if error.field in form.fields else None, words_of(error))
        return _show(request, workspace, add_form=form, status=400)
    if password:
        return _show(request, workspace, made=membership.user, password=password)
    messages.success(request, _("Added."))
    return HttpResponseRedirect(reverse("members", args=[workspace.pk]))


def _add(
    request: HttpRequest, workspace: Workspace, given: dict[str, str]
) -> tuple[Membership, str]:
    """Add them, and return the place and a password to begin with, if they are new.

    A refusal tells whether somebody has a name, so they are counted, and too many end it.
    """
    person = person_of(request)
    tried = ratelimit.consume(request, app="allauth.account", action="member_refused", user=person)
    if tried is None:
        raise DomainError(
            "conflict", phrase(gettext_noop("Too many failed sign-ins. Try again in an hour."))
        )
    if "new" in request.POST:
        added = add_new_person(**given, workspace=workspace, by=person)
    else:
        added = add_member(**given, workspace=workspace, by=person), ""
    tried.rollback()
    return added


@require_POST
def change(request: HttpRequest, workspace_id: int, pk: int) -> HttpResponse:
    """Give somebody another role."""
    role = request.POST.get("role", "")
    return _change_member(
        request,
        workspace_id,
        pk,
        lambda found: change_role(membership=found, role=role, by=person_of(request)),
    )


@require_POST
def remove(request: HttpRequest, workspace_id: int, pk: int) -> HttpResponse:
    """Take somebody out."""
    return _change_member(
        request,
        workspace_id,
        pk,
        lambda found: remove_member(membership=found, by=person_of(request)),
    )


@require_POST
def reset(request: HttpRequest, workspace_id: int, pk: int) -> HttpResponse:
    """Make a new password for somebody who forgot theirs, and show it this once."""
    return _change_member(
        request,
        workspace_id,
        pk,
        lambda found: reset_password(membership=found, by=person_of(request)),
    )


def _change_member(
    request: HttpRequest, workspace_id: int, pk: int, change: Callable[[Membership], object]
) -> HttpResponse:
    workspace = _managed(request, workspace_id)
    rows = Membership.objects.visible_to(viewer_of(request).actor.within(workspace_id))
    found = rows.filter(pk=pk).first()
    if found is None:
        raise Http404("They are no member.")
    if not is_fresh(request):
        return _asked(request, workspace)
    try:
        password = change(found)
    except DomainError as error:
        return _show(request, workspace, refusal=words_of(error), status=409)
    if isinstance(password, str):
        return _show(request, workspace, made=found.user, password=password)
    messages.success(request, _("Done."))
    if found.user_id == viewer_of(request).actor.id:
        return HttpResponseRedirect(reverse("me"))
    return HttpResponseRedirect(reverse("members", args=[workspace.pk]))


def _asked(request: HttpRequest, workspace: Workspace, **extra: Any) -> HttpResponse:
    if went_back(request):
        return _show(request, workspace, **extra)
    return ask_again(request, _("This changes who may do what."))


def _show(
    request: HttpRequest, workspace: Workspace, *, status: int = 200, **extra: Any
) -> HttpResponse:
    viewer = viewer_of(request)
    context = {
        **admin.site.each_context(request),
        "title": _("Members"),
        "workspace": workspace,
        "others": [(key, name) for key, name in viewer.names.items() if key != workspace.pk],
        "members": read_members(viewer, workspace.pk),
        "manages": viewer.may_manage(workspace.pk),
        "roles": ROLES,
        "add_form": AddForm(),
        **extra,
    }
    response = TemplateResponse(request, "chancery/sign_in/members.html", context, status=status)
    if "password" in extra:
        response["Cache-Control"] = "no-store"
    return response


def _workspace(request: HttpRequest, workspace_id: int) -> Workspace:
    rows = Workspace.objects.visible_to(viewer_of(request).actor)
    return first_or_404(rows.filter(pk=workspace_id), "workspace")


def _managed(request: HttpRequest, workspace_id: int) -> Workspace:
    workspace = _workspace(request, workspace_id)
    let_manage(request, workspace.pk)
    return workspace
