"""Somebody is told of a sign-in with a browser that was not used for their name before."""

import pytest

from agents.events.webhook_signing import make_secret
from agents.models import NoticeSettings
from inbox.accounts.credentials import encrypt
from inbox.models import Job
from tests.project.sign_in.coming import CHROME, PHONE, come

pytestmark = pytest.mark.django_db


def wish(user, **fields) -> None:
    NoticeSettings.objects.create(
        user=user, by_mail=True, mail_address="rhea@lantern.example",
        mail_confirmed_at="2026-01-01T00:00Z", kinds=[], **fields,
    )  # fmt: skip


def test_a_sign_in_with_a_new_browser_is_told_by_mail_once(reviewer, sink, carry):
    wish(reviewer)
    own = come(CHROME, REMOTE_ADDR="203.0.113.7")
    carry()
    ((recipients, mail),) = sink.got
    assert recipients == ["rhea@lantern.example"]
    assert mail["Subject"] == "New browser signed in"
    text = mail.get_content()
    for word in ("rhea", "Chrome on Windows", "203.0.113.7", "/admin/me/sessions/"):
        assert word in text
    own.post("/admin/logout/")
    come(client=own)
    carry()
    assert len(sink.got) == 1


def test_nothing_of_what_a_browser_says_of_itself_gets_into_the_mail(reviewer, sink, carry):
    wish(reviewer, language="de")
    come("Buy now at evil.example Firefox/1")
    carry()
    ((_, mail),) = sink.got
    assert "evil" not in str(mail)
    assert "Firefox" in mail.get_content()


def test_it_is_posted_to_a_webhook_and_not_told_where_nothing_is_open(reviewer, hook, carry):
    NoticeSettings.objects.create(user=reviewer, by_mail=True, mail_address="x@lantern.example")
    come()
    assert not Job.objects.filter(kind="notices.sign_in").exists()
    NoticeSettings.objects.update(
        by_webhook=True, webhook_url=hook.url, webhook_secret=encrypt(make_secret())
    )
    come(PHONE)
    carry()
    (body,) = hook.bodies
    assert body["type"] == "sign_in"
    assert body["data"]["device"] == "Safari on iPhone"


def test_of_a_session_that_was_ended_before_nothing_is_told(reviewer, sink, carry):
    here = come()
    wish(reviewer)
    come(CHROME)
    here.post("/admin/me/sessions/end/")
    carry()
    assert sink.got == []
