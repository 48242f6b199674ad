"""Subscribing a browser to pushes, and taking it back."""

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from agents.push.subscriptions import subscribe, unsubscribe
from inbox.admin.refusals import words_of
from inbox.errors import DomainError


@require_POST
def add(request: HttpRequest) -> HttpResponse:
    """Keep the subscription that a page of ours sends for its browser."""
    given = {name: request.POST.get(name, "") for name in ("endpoint", "key", "auth")}
    try:
        subscribe(
            user=_person(request), user_agent=request.META.get("HTTP_USER_AGENT", ""), **given
        )
    except DomainError as error:
        return JsonResponse({"error": words_of(error)}, status=400)
    return JsonResponse({"subscribed": True})


@require_POST
def remove(request: HttpRequest, row_id: int) -> HttpResponse:
    """Forget one of the person's own browsers."""
    if not unsubscribe(user=_person(request), subscription_id=row_id):
        raise Http404
    messages.success(request, _("This browser is no longer notified."))
    return HttpResponseRedirect(reverse("notices") + "#push")


def _person(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user
