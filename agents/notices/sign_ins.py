"""Telling people that somebody signed in as them with a browser that was not used for it before.

It is told at once, in quiet hours too, in the ways that they have chosen for all notices.
"""

from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings as configured
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from agents.models import NoticeSettings, NoticeWay
from agents.notices.delivering import (
    PAUSES,
    NotDelivered,
    is_open,
    mail_or_raise,
    post_or_raise,
    push_or_raise,
)
from agents.notices.summary import plain_name
from inbox.background.jobs import Payload, RetryLater, enqueue
from inbox.models import PersonBrowser

TELL = "notices.sign_in"
# For so long it is tried.
NEWS = timedelta(hours=2)


def tell_sign_in(browser: PersonBrowser) -> None:
    """Have its person told, by a job for each way that they chose."""
    settings = NoticeSettings.objects.filter(user_id=browser.user_id).first()
    for way in NoticeWay.values if settings is not None else ():
        if settings is not None and is_open(way, settings):
            payload = {"browser_id": browser.pk, "way": way}
            enqueue(TELL, payload, key=f"{TELL}:{browser.pk}:{way}")


def tell(payload: Payload) -> None:
    """Tell it in one way; of a session that was ended meanwhile nothing is left to tell."""
    browser = PersonBrowser.objects.filter(pk=payload["browser_id"]).select_related("user").first()
    if browser is None:
        return
    settings = NoticeSettings.objects.filter(user_id=browser.user_id).first()
    if settings is None or not is_open(payload["way"], settings):
        return
    try:
        _tell(browser, payload["way"], settings)
    except NotDelivered as error:
        if not error.for_good and timezone.now() - browser.first_seen_at < NEWS:
            raise RetryLater(str(error), at=timezone.now() + timedelta(seconds=PAUSES[1])) from None


def _tell(browser: PersonBrowser, way: str, settings: NoticeSettings) -> None:
    key = f"sign-in-{browser.pk}-{int(browser.first_seen_at.timestamp())}"
    subject, text = _words(browser, settings)
    if way == NoticeWay.MAIL:
        mail_or_raise(settings, subject=subject, text=text, key=key)
    elif way == NoticeWay.PUSH:
        push_or_raise(settings, subject, _url())
    else:
        post_or_raise(settings, _as_json(browser, f"{subject}. {text}"), key)


def _words(browser: PersonBrowser, settings: NoticeSettings) -> tuple[str, str]:
    """Return the subject and the text, in the person's language."""
    with translation.override(settings.language):
        local = browser.first_seen_at.astimezone(ZoneInfo(settings.quiet_zone))
        subject = _("New browser signed in")
        text = _(
            "Someone signed in as %(name)s with a browser that had not been used before:\n"
            "%(device)s, address %(address)s, on %(at)s (%(zone)s).\n\nIf this was you, there is "
            "nothing to do. If not, end that session and change your password:\n%(url)s"
        ) % {
            "name": plain_name(browser.user.get_username()),
            "device": browser.device,
            "address": browser.address or "—",
            "at": date_format(local, "D, j M Y, H:i"),
            "zone": settings.quiet_zone,
            "url": _url(),
        }
    return subject, text + "\n"


def _as_json(browser: PersonBrowser, text: str) -> dict[str, Any]:
    return {
        "type": "sign_in",
        "timestamp": timezone.now().isoformat().replace("+00:00", "Z"),
        "text": " ".join(text.split()),
        "data": {"device": browser.device, "address": browser.address, "url": _url()},
    }


def _url() -> str:
    return configured.BASE_URL + reverse("sessions")
