"""The pages for what cannot be shown, and the frame around all others."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import translation
from django.utils.formats import date_format

from inbox.templatetags.chancery import when
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(reviewer: User) -> Client:
    client = Client(enforce_csrf_checks=True)
    client.force_login(reviewer)
    return client


def is_ours(text: str) -> bool:
    return "chancery/styles/frame.css" in text and "<style" not in text and " style=" not in text


def test_what_is_not_there_is_said_plainly(browser):
    response = browser.get("/admin/threads/thr_nothing/")
    assert response.status_code == 404
    assert is_ours(response.content.decode())
    assert "not yours to see" in response.content.decode()


def test_a_form_without_its_token_is_explained(browser, inbox):
    response = browser.post("/admin/logout/")
    assert response.status_code == 403
    assert is_ours(response.content.decode())
    assert "Nothing was done." in response.content.decode()


def test_what_is_for_others_to_decide_is_said_plainly(workspace, client):
    client.force_login(factories.make_person_user(workspace, "viewer"))
    response = client.get("/admin/inbox/account/add/")
    assert response.status_code == 403
    assert is_ours(response.content.decode())


@pytest.mark.parametrize(
    ("place", "current"),
    [
        ("/admin/", "Queue"),
        ("/admin/inbox/thread/", "Threads"),
        ("/admin/inbox/job/", "Everything"),
        ("/admin/all/", "Everything"),
        ("/admin/agents/agent/", "Agents"),
        ("/admin/inbox/account/", "Accounts"),
    ],
)
def test_the_top_of_the_page_says_where_one_is(browser, place, current):
    places = browser.get(place).context["places"]
    assert [one["name"] for one in places if one["current"]] == [current]


def test_the_browser_s_language_does_not_mix_languages(browser):
    """Django's own words are in the language of ours: German, and English for all others."""
    german = browser.get("/admin/inbox/thread/", headers={"accept-language": "de"}).content.decode()
    assert '<html lang="de"' in german
    assert "Suchen" in german
    assert "Search" not in german
    french = browser.get("/admin/inbox/thread/", headers={"accept-language": "fr"}).content.decode()
    assert '<html lang="en"' in french
    assert "Search" in french
    assert "Rechercher" not in french


def test_forms_that_browsers_post_carry_their_origin(browser):
    """Under `no-referrer` they would carry `Origin: null`, and every form would be refused."""
    assert browser.get("/admin/")["Referrer-Policy"] == "same-origin"


def test_a_time_is_written_with_its_zone_where_no_script_runs():
    assert (
        date_format(datetime(2026, 3, 2, 16, 5, tzinfo=UTC), "DATETIME_FORMAT")
        == "2 Mar 2026, 16:05 UTC"
    )
    with translation.override("de"):
        assert when(datetime(2026, 3, 2, 16, 5, tzinfo=UTC)).endswith(
            ">2. Mär 2026, 16:05 UTC</time>"
        )
