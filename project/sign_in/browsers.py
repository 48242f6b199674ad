"""The browsers in which people have signed in: known by a signed cookie, and their sessions."""

import secrets
from collections.abc import Iterable
from datetime import timedelta

from allauth.core.internal.httpkit import get_client_ip
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, User
from django.contrib.sessions.models import Session
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from inbox.formats.user_agents import read_user_agent
from inbox.models import PersonBrowser

COOKIE = "browser"
# As long as browsers keep a cookie.
KEPT = timedelta(days=400)
_SALT = "chancery.browser"
_NAMED = "_chancery_browser"
# Of one person no more are kept.
MOST = 100


def name_of(request: HttpRequest) -> str:
    """Return the name that the browser was given, or nothing: one it made up itself does not do."""
    given = getattr(request, _NAMED, "")
    if given:
        return str(given)
    try:
        return str(signing.loads(request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=KEPT))
    except signing.BadSignature:
        return ""


def keep_name(request: HttpRequest, response: HttpResponse) -> None:
    """Have the browser keep the name that it was given while this was answered."""
    if hasattr(request, _NAMED):
        response.set_cookie(
            COOKIE, signing.dumps(getattr(request, _NAMED), salt=_SALT), max_age=KEPT,
            path="/admin/", secure=settings.SESSION_COOKIE_SECURE, httponly=True, samesite="Lax",
        )  # fmt: skip


def is_known(request: HttpRequest, username: str) -> bool:
    """Return True if somebody of this name has signed in with this browser before."""
    name = name_of(request)
    rows = PersonBrowser.objects.filter(name=name, user__username__iexact=username.strip())
    return bool(name) and rows.exists()


def note_browser(request: HttpRequest, user: AbstractBaseUser) -> tuple[PersonBrowser, bool]:
    """Keep that somebody is signed in with this browser; return it, and whether it is a new one.

    A session that they had in it before is over: its cookie was replaced.
    """
    if request.session.session_key is None:
        request.session.create()
    key, now, name = request.session.session_key, timezone.now(), name_of(request)
    seen = {**_seen(request), "session_key": key, "last_seen_at": now}
    row = PersonBrowser.objects.filter(user_id=user.pk, name=name).first() if name else None
    is_new = row is None
    if row is None:
        name = name or secrets.token_urlsafe(32)
        row = PersonBrowser.objects.create(user_id=user.pk, name=name, first_seen_at=now, **seen)
        _forget_old(user)
    else:
        if row.session_key and row.session_key != key:
            Session.objects.filter(pk=row.session_key).delete()
        PersonBrowser.objects.filter(pk=row.pk).update(**seen)
    setattr(request, _NAMED, name)
    return row, is_new


def note_sign_of_life(request: HttpRequest, row_id: int) -> None:
    """Keep when, and from where, a session was last used."""
    seen = {**_seen(request), "last_seen_at": timezone.now()}
    PersonBrowser.objects.filter(pk=row_id).update(**seen)


def follow_session(request: HttpRequest, row_id: int) -> None:
    """Note the key that a session has now, such as after its person changed the password."""
    key = request.session.session_key or ""
    PersonBrowser.objects.filter(pk=row_id).update(session_key=key)


def open_browsers(user: User) -> list[PersonBrowser]:
    """Return the browsers in which somebody is signed in now, the last used first."""
    rows = PersonBrowser.objects.filter(user=user).exclude(session_key="")
    rows = rows.order_by("-last_seen_at", "-pk")
    kept = Session.objects.filter(expire_date__gt=timezone.now())
    sessions = kept.in_bulk([row.session_key for row in rows])
    return [
        row
        for row in rows
        if row.session_key in sessions and _is_theirs(sessions[row.session_key], user)
    ]


def end_sessions(user: User, browsers: Iterable[PersonBrowser]) -> int:
    """End the sessions in these browsers, which count as strangers from then on."""
    rows = [row for row in browsers if row.user_id == user.pk]
    Session.objects.filter(pk__in=[row.session_key for row in rows]).delete()
    PersonBrowser.objects.filter(pk__in=[row.pk for row in rows]).delete()
    return len(rows)


def _seen(request: HttpRequest) -> dict[str, str]:
    device = read_user_agent(request.META.get("HTTP_USER_AGENT", ""))
    address = get_client_ip(request) or ""
    return {"software": device.browser, "system": device.system, "address": address[:45]}


def _forget_old(user: AbstractBaseUser) -> None:
    """Forget what was not used for long, and of very many browsers the oldest."""
    rows = PersonBrowser.objects.filter(user_id=user.pk).order_by("-last_seen_at", "-pk")
    newest = list(rows.values_list("pk", flat=True)[MOST : MOST + 1])
    old = rows.filter(last_seen_at__lt=timezone.now() - KEPT)
    if newest or old.exists():
        kept = list(rows.filter(last_seen_at__gte=timezone.now() - KEPT)[:MOST])
        rows.exclude(pk__in=[row.pk for row in kept]).delete()


def _is_theirs(session: Session, user: User) -> bool:
    """Return True if a session still opens something: a changed password ends those before it."""
    data = session.get_decoded()
    proof = str(data.get("_auth_user_hash", ""))
    is_theirs = str(data.get("_auth_user_id")) == str(user.pk)
    return is_theirs and constant_time_compare(proof, user.get_session_auth_hash())
