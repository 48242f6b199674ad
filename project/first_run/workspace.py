"""The workspace to begin with: one's own by its name, or the demo."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from agents.operations.setup.demo import begin_demo
from agents.operations.setup.demo_names import SLUG
from inbox.admin.refusals import words_of
from inbox.errors import DomainError
from inbox.models import Membership, Workspace
from inbox.operations.accounts.workspaces import create_workspace, free_slug
from inbox.viewer import viewer_of
from project.first_run.set_up import read_set_up
from project.first_run.showing import show_step


class WorkspaceForm(forms.Form):
    """What people will know it by."""

    name = forms.CharField(
        label=_("Name"),
        max_length=200,
        error_messages={"required": _("A workspace needs a name.")},
        widget=forms.TextInput(attrs={"autocomplete": "organization"}),
    )


def workspace(request: HttpRequest) -> HttpResponse:
    """Ask a superuser for the name of a workspace, or whether it is to be the demo."""
    set_up = read_set_up(request)
    if not request.user.is_superuser and set_up.workspace is None:
        raise PermissionDenied
    # Whoever looked at the demo makes their own when they have seen enough.
    may_make = request.user.is_superuser and (set_up.workspace is None or set_up.is_demo)
    form = WorkspaceForm(request.POST if "demo" not in request.POST else None)
    if not form.is_bound or request.method != "POST":
        form = WorkspaceForm()
    if request.method == "POST" and may_make and _takes(request, form):
        return HttpResponseRedirect(reverse("start-mail"))
    if request.method == "POST" and not may_make:
        return HttpResponseRedirect(reverse("start-mail"))
    more = {
        "title": _("Your first workspace"),
        "form": form,
        "may_make": may_make,
        "may_demo": may_make and not Workspace.objects.filter(slug=SLUG).exists(),
        "has_others": may_make and Workspace.objects.exclude(slug=SLUG).exists(),
    }
    return show_step(request, "workspace", set_up, more, is_refused=bool(form.errors))


def _takes(request: HttpRequest, form: WorkspaceForm) -> bool:
    """Make what was asked for, unless the same person did so meanwhile in another window."""
    is_demo = "demo" in request.POST
    if not is_demo and not form.is_valid():
        return False
    try:
        with transaction.atomic():
            person = User.objects.select_for_update().get(pk=request.user.pk or 0)
            owned = Membership.objects.filter(user=person)
            if owned.exists() if is_demo else owned.exclude(workspace__slug=SLUG).exists():
                return True
            _make(request, person, "" if is_demo else form.cleaned_data["name"])
    except DomainError as error:
        form.add_error("name" if form.is_bound else None, words_of(error))
        return False
    return True


def _make(request: HttpRequest, person: User, name: str) -> None:
    """Make a workspace of this name, or the demo where it is empty."""
    by: Any = viewer_of(request).actor
    if not name:
        begin_demo(owner=person, by=by)
        return
    create_workspace(name=name, slug=free_slug(name), owner=person, by=by)
    messages.success(request, _("%(name)s is yours. Set it up now.") % {"name": name})
