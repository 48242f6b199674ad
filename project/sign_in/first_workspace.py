"""The first page of an installation: whoever operates it names a workspace, and owns it."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from inbox.admin.refusals import words_of
from inbox.errors import DomainError
from inbox.models import Membership, Workspace
from inbox.operations.accounts.workspaces import create_workspace, free_slug
from inbox.viewer import viewer_of
from project.admin_site import PLACES

# Where somebody without a workspace finds nothing that they could do: all that the top of a page
# leads to but Everything, and what is added first.
_WANTING = (
    *(view for _name, _key, view, _others in PLACES if view != "everything"),
    "admin:inbox_account_add", "admin:agents_agent_add", "members-everywhere",
)  # fmt: skip


class WorkspaceForm(forms.Form):
    """What people will know it by."""

    name = forms.CharField(
        label=_("Its name"),
        max_length=200,
        error_messages={"required": _("A workspace needs a name.")},
        widget=forms.TextInput(attrs={"autocomplete": "organization", "autofocus": True}),
    )


def wants_workspace(request: HttpRequest) -> bool:
    """Return True if a superuser without a workspace asks for a page that needs one."""
    user = request.user
    if not (user.is_active and user.is_superuser and request.method in {"GET", "HEAD"}):
        return False
    if request.path not in {reverse(name) for name in _WANTING}:
        return False
    return not Membership.objects.filter(user_id=user.pk).exists()


def first_workspace(request: HttpRequest) -> HttpResponse:
    """Ask a superuser who is in no workspace for the name of one, and make it theirs."""
    if not request.user.is_superuser:
        raise PermissionDenied
    if viewer_of(request).roles:
        return HttpResponseRedirect(reverse("queue"))
    form = WorkspaceForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and _make(request, form):
        return HttpResponseRedirect(reverse("admin:inbox_account_add"))
    context: dict[str, Any] = {
        **admin.site.each_context(request),
        "title": _("A workspace to begin with"),
        "form": form,
        "has_others": Workspace.objects.exists(),
    }
    status = 400 if form.errors else 200
    return TemplateResponse(
        request, "chancery/sign_in/first_workspace.html", context, status=status
    )


def _make(request: HttpRequest, form: WorkspaceForm) -> bool:
    """Make it, unless the same person did so meanwhile in another window."""
    name = form.cleaned_data["name"]
    try:
        with transaction.atomic():
            person = User.objects.select_for_update().get(pk=request.user.pk or 0)
            if Membership.objects.filter(user=person).exists():
                return True
            create_workspace(
                name=name, slug=free_slug(name), owner=person, by=viewer_of(request).actor
            )
    except DomainError as error:
        form.add_error("name", words_of(error))
        return False
    words = _("%(name)s is yours to set up. Begin with the account that its mail comes to.")
    messages.success(request, words % {"name": name})
    return True
