"""The other steps: what one is told of, the second step at sign-in, and all of them at a glance."""

from typing import Any

from allauth.mfa.utils import is_mfa_enabled
from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from agents.admin.notices.forms import initial_of
from agents.notices import mail_channel
from agents.notices.preferences import NoticePreferences, change_settings, settings_of
from agents.operations.first_call import look_for_call
from agents.operations.setup.codes import is_unowned
from inbox.admin.refusals import words_of
from inbox.errors import DomainError
from inbox.viewer import viewer_of, zone_of
from project.first_run.owner import make_owner
from project.first_run.set_up import read_set_up
from project.first_run.showing import show_step
from project.first_run.steps import progress_at


class TellMeForm(forms.Form):
    """Whether a person is told that something waits, and how."""

    by_browser = forms.BooleanField(
        label=_("In the browser, while a page is open"), required=False, initial=True
    )
    by_mail = forms.BooleanField(label=_("By email"), required=False)
    mail_address = forms.EmailField(label=_("Address"), max_length=254, required=False)

    def clean(self) -> dict[str, Any]:
        """Refuse mail to nowhere."""
        given = super().clean() or {}
        if given.get("by_mail") and "mail_address" in given and not given["mail_address"]:
            self.add_error("mail_address", _("Enter the email address for notifications."))
        return given


@never_cache
def start(request: HttpRequest) -> HttpResponse:
    """Make the first person where there is none; show all steps to whoever sets up."""
    if is_unowned():
        return make_owner(request)
    if not admin.site.has_permission(request):
        return redirect_to_login(request.get_full_path())
    if not (viewer_of(request).managed or request.user.is_superuser):
        raise PermissionDenied
    set_up = read_set_up(request)
    progress = progress_at("owner", set_up.done)
    seen = look_for_call(viewer_of(request).actor, set_up.agent) if set_up.agent else None
    context = {
        **admin.site.each_context(request),
        "title": _("Setup"),
        "steps": progress.steps,
        "first_open": next((step for step in progress.steps if not step.is_done), None),
        "waiting": seen.waiting if seen else 0,
        "is_ready": {"workspace", "agent"} <= set_up.done,
    }
    return TemplateResponse(request, "chancery/start/overview.html", context)


def notices(request: HttpRequest) -> HttpResponse:
    """Ask whether and how somebody is told that something waits."""
    set_up = read_set_up(request)
    user = request.user
    if set_up.workspace is None or not isinstance(user, User):
        return HttpResponseRedirect(reverse("start-workspace"))
    kept = settings_of(user)
    shown = initial_of(kept, str(zone_of(request)))
    begin = {name: shown[name] for name in TellMeForm.base_fields}
    begin["by_browser"] = kept.by_browser if kept.pk else True
    form = TellMeForm(request.POST if request.method == "POST" else None, initial=begin)
    if request.method == "POST" and form.is_valid() and _save(request, user, shown, form):
        return HttpResponseRedirect(reverse("start-second"))
    more = {
        "title": _("Get notified when something needs approval"),
        "form": form,
        "has_mail": mail_channel.is_there(user.pk or 0),
    }
    return show_step(request, "notices", set_up, more, is_refused=bool(form.errors))


def _save(request: HttpRequest, user: User, shown: dict[str, Any], form: TellMeForm) -> bool:
    """Keep what was chosen, and all else as it is or would be."""
    given = {**shown, "workspaces": shown.get("workspaces", ()), **form.cleaned_data}
    wishes = NoticePreferences(**{name: given[name] for name in NoticePreferences.__slots__})
    try:
        settings, _secret = change_settings(user=user, wishes=wishes)
    except DomainError as error:
        form.add_error(error.field if error.field in form.fields else None, words_of(error))
        return False
    if settings.mail_address and not settings.mail_confirmed_at:
        words = _(
            "A code was sent to %(address)s. Enter it under Notifications, in the menu at the top."
        )
        messages.success(request, words % {"address": settings.mail_address})
    return True


@require_safe
def second(request: HttpRequest) -> HttpResponse:
    """Lead to the second step at sign-in, or say that it is there."""
    set_up = read_set_up(request)
    if set_up.workspace is None:
        return HttpResponseRedirect(reverse("start-workspace"))
    more = {"title": _("A second step at sign-in"), "is_on": is_mfa_enabled(request.user)}
    return show_step(request, "second", set_up, more)
