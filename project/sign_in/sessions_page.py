"""The page on which people see where they are signed in, and end what is not theirs."""

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from project.sign_in.browsers import end_sessions, open_browsers


@never_cache
@require_safe
def sessions(request: HttpRequest) -> HttpResponse:
    """Show them, this one marked."""
    here = request.session.session_key
    browsers = open_browsers(_person(request))
    context = {
        **admin.site.each_context(request),
        "title": _("Where you are signed in"),
        "here": [row for row in browsers if row.session_key == here],
        "others": [row for row in browsers if row.session_key != here],
    }
    return TemplateResponse(request, "chancery/sign_in/sessions.html", context)


@require_POST
def end_session(request: HttpRequest, row_id: int) -> HttpResponse:
    """End one of the person's own sessions, but not this one: that is what signing out is for."""
    person, here = _person(request), request.session.session_key
    rows = [row for row in open_browsers(person) if row.pk == row_id and row.session_key != here]
    if not end_sessions(person, rows):
        raise Http404
    messages.success(request, _("Signed out: %(device)s.") % {"device": rows[0].device})
    return HttpResponseRedirect(reverse("sessions"))


@require_POST
def end_others(request: HttpRequest) -> HttpResponse:
    """End all of the person's sessions but this one."""
    person, here = _person(request), request.session.session_key
    others = [row for row in open_browsers(person) if row.session_key != here]
    count = end_sessions(person, others)
    words = ngettext("%(count)d session ended.", "%(count)d sessions ended.", count)
    messages.success(request, words % {"count": count})
    return HttpResponseRedirect(reverse("sessions"))


def _person(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user
