"""Sessions of people: seen, ended where nobody came for long, and told where the browser is new."""

import time
from collections.abc import Callable

from django.conf import settings
from django.contrib.auth import SESSION_KEY, logout
from django.contrib.auth.models import AbstractBaseUser
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from agents.notices.sign_ins import tell_sign_in
from inbox.models import PersonBrowser
from project.sign_in.browsers import follow_session, keep_name, note_browser, note_sign_of_life

_ROW, _SEEN = "browser_row", "seen_at"
# A session is written no more often than this, in seconds.
_EVERY = 300


class SessionsMiddleware:
    """Ends sessions that nobody used for long, and keeps account of the others."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """See to the session, before the page and after it."""
        if not _is_signed_in(request):
            response = self.get_response(request)
        elif _is_idle(request):
            logout(request)
            response = self.get_response(request)
        else:
            _see(request)
            response = self._follow(request)
        keep_name(request, response)
        return response

    def _follow(self, request: HttpRequest) -> HttpResponse:
        """Answer; a session that got another key meanwhile is noted by that."""
        key = request.session.session_key
        response = self.get_response(request)
        row_id = request.session.get(_ROW)
        if row_id and request.session.session_key != key:
            follow_session(request, row_id)
        return response


@receiver(user_logged_in, dispatch_uid="project.sign_in.sessions")
def note_sign_in(request: HttpRequest, user: AbstractBaseUser, **_: object) -> None:
    """Keep the browser, and tell its person where they never signed in with it before."""
    row, is_new = note_browser(request, user)
    request.session[_ROW], request.session[_SEEN] = row.pk, time.time()
    if is_new:
        tell_sign_in(row)


@receiver(user_logged_out, dispatch_uid="project.sign_in.sessions")
def note_sign_out(request: HttpRequest, **_: object) -> None:
    """Keep the browser as one that is known, with no session."""
    row_id = request.session.get(_ROW)
    if row_id:
        PersonBrowser.objects.filter(pk=row_id).update(session_key="")


def _is_signed_in(request: HttpRequest) -> bool:
    has_cookie = settings.SESSION_COOKIE_NAME in request.COOKIES
    return has_cookie and SESSION_KEY in request.session


def _is_idle(request: HttpRequest) -> bool:
    """Return True if nobody has used the session for as long as the settings say."""
    seen_at = request.session.get(_SEEN)
    allowed = 60 * settings.IDLE_MINUTES
    return bool(allowed) and isinstance(seen_at, float) and time.time() - seen_at > allowed


def _see(request: HttpRequest) -> None:
    """Note a sign of life, every few minutes; a page that asks for news by itself is none."""
    if request.path == reverse("notices-state") or not request.user.is_authenticated:
        return
    row_id, seen_at = request.session.get(_ROW), request.session.get(_SEEN)
    if row_id is None:
        # Of a time before browsers were kept.
        row, _ = note_browser(request, request.user)
        row_id, seen_at = row.pk, None
        request.session[_ROW] = row_id
    every = min(_EVERY, 6 * settings.IDLE_MINUTES or _EVERY)
    if not isinstance(seen_at, float) or time.time() - seen_at >= every:
        request.session[_SEEN] = time.time()
        note_sign_of_life(request, row_id)
