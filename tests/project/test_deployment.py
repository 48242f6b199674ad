"""What a set-up with an https:// address promises to browsers."""

import os
import subprocess
from datetime import UTC, datetime

import pytest
from django.test import Client
from django.utils import timezone

from agents.models import NoticeSettings
from tests import factories
from tests.fork_server import run

PRODUCTION = {
    "CHANCERY_BASE_URL": "https://chancery.example.org",
    "CHANCERY_HOSTS": "chancery.example.org",
}


def manage(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    ours = {"DJANGO_SETTINGS_MODULE": "project.settings"}
    return run(["manage.py", *arguments], env=os.environ | ours | environment)


def test_django_finds_nothing_to_warn_of_under_an_https_address():
    done = manage("check", "--deploy", "--fail-level", "WARNING", **PRODUCTION)
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


def test_a_fixed_hour_as_default_is_no_warning_when_the_clock_shows_that_hour(monkeypatch):
    field = NoticeSettings._meta.get_field("quiet_to")
    then = datetime.combine(timezone.now().date(), field.default, tzinfo=UTC)
    monkeypatch.setattr(timezone, "now", lambda: then)
    found = field.check()
    assert found
    assert all(message.is_silenced() for message in found)


@pytest.fixture
def tls(settings):
    """The settings that an https:// address brings."""
    settings.SECURE_SSL_REDIRECT, settings.SECURE_HSTS_SECONDS = True, 31536000


def test_who_comes_by_http_is_sent_on(tls):
    answer = Client().get("/admin/login/")
    assert (answer.status_code, answer["Location"]) == (301, "https://testserver/admin/login/")


@pytest.mark.django_db
def test_browsers_are_told_to_keep_to_tls(tls):
    answer = Client().get("/admin/login/", secure=True)
    assert answer["Strict-Transport-Security"] == "max-age=31536000"


def settings_of(name: str, **environment: str) -> str:
    done = manage(
        "shell",
        "--no-imports",
        "-c",
        f"from django.conf import settings; print(settings.{name})",
        **environment,
    )
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("environment", "redirects"),
    [(PRODUCTION, "True"), (PRODUCTION | {"CHANCERY_HTTPS_REDIRECT": "0"}, "False"), ({}, "False")],
)
def test_the_way_to_https_can_be_left_to_the_proxy(environment, redirects):
    assert settings_of("SECURE_SSL_REDIRECT", **environment) == redirects


@pytest.mark.django_db
def test_no_page_may_be_framed_but_mail_by_our_own(reviewer, inbox):
    client = Client()
    client.force_login(reviewer)
    page = client.get("/admin/")
    assert page["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in page["Content-Security-Policy"]
    message = factories.make_message(inbox, html="<p>Hello</p>")
    frame = client.get(f"/admin/messages/{message.public_id}/html/")
    assert frame.status_code == 200
    assert frame["X-Frame-Options"] == "SAMEORIGIN"
    assert "frame-ancestors 'self'" in frame["Content-Security-Policy"]
