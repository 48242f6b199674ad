"""The page on which a person sets their notices, and its actions."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from agents.admin.notices.forms import NoticesForm, initial_of
from agents.models import NoticeDelivery
from agents.notices import mail_channel
from agents.notices.preferences import change_settings, confirm_address, send_code, settings_of
from agents.push.vapid import public_key
from inbox.admin.refusals import words_of
from inbox.errors import DomainError
from inbox.models import Workspace
from inbox.viewer import viewer_of, zone_of

SHOWN = 10


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def notices(request: HttpRequest) -> HttpResponse:
    """Show the settings; save them."""
    user = _user(request)
    workspaces = Workspace.objects.visible_to(viewer_of(request).actor).order_by("name", "pk")
    offered: dict[str, Any] = {"workspaces": workspaces, "has_mail": mail_channel.is_there(user.pk)}
    if request.method != "POST":
        initial = initial_of(settings_of(user), str(zone_of(request)))
        return _show(request, NoticesForm(initial=initial, **offered))
    form = NoticesForm(request.POST, **offered)
    if not form.is_valid():
        return _show(request, form, status=400)
    try:
        _settings, secret = change_settings(user=user, wishes=form.wishes)
    except DomainError as error:
        form.add_error(error.field if error.field in form.fields else None, words_of(error))
        return _show(request, form, status=400)
    if secret:
        return _show(request, NoticesForm(request.POST, **offered), secret=secret)
    messages.success(request, _("Saved."))
    return HttpResponseRedirect(reverse("notices"))


@require_POST
def confirm(request: HttpRequest) -> HttpResponse:
    """Take the code that was mailed."""
    try:
        confirm_address(settings=settings_of(_user(request)), code=request.POST.get("code", ""))
    except DomainError as error:
        messages.error(request, words_of(error))
    else:
        messages.success(request, _("The address is confirmed."))
    return HttpResponseRedirect(reverse("notices") + "#mail")


@require_POST
def code(request: HttpRequest) -> HttpResponse:
    """Send another code."""
    settings = settings_of(_user(request))
    if settings.pk is not None and settings.mail_address:
        try:
            send_code(settings=settings)
        except DomainError as error:
            messages.error(request, words_of(error))
        else:
            messages.success(request, _("A code is on its way."))
    return HttpResponseRedirect(reverse("notices") + "#mail")


def _show(
    request: HttpRequest, form: NoticesForm, *, status: int = 200, secret: str = ""
) -> HttpResponse:
    user = _user(request)
    settings = settings_of(user)
    told: Any = NoticeDelivery.objects.filter(bundle__settings_id=settings.pk)
    context = {
        **admin.site.each_context(request),
        "title": _("Notifications"),
        "form": form,
        "settings": settings,
        "has_mail": form.has_mail,
        "secret_text": secret,
        "push_key": public_key(),
        "pushed": user.push_subscriptions.order_by("-created_at", "-pk"),
        "told": told.select_related("bundle").order_by("-pk")[:SHOWN],
    }
    return TemplateResponse(request, "chancery/notices/settings.html", context, status=status)


def _user(request: HttpRequest) -> User:
    user: Any = request.user
    found: User = user
    return found
