"""The pages for what cannot be shown, and the frame around all others."""

import re
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection
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
    return "chancery/pages." in text and "<style" not in text and " style=" not in text


def leads_on(response) -> list[str]:
    """Return where the links of a page lead, the header's first."""
    return re.findall(r'<a [^>]*href="([^"#]+)"', response.content.decode())


def error_pages(client: Client, inbox, monkeypatch):
    """Ask for a page of each kind of error; return them by what they are."""
    thread = f"/admin/threads/{factories.make_message(inbox).thread.public_id}/"
    found = {
        "not there": client.get("/admin/threads/thr_nothing/"),
        "nowhere": client.get("/nothing"),
        "too old": client.post("/admin/logout/"),
        "for others": client.get("/admin/inbox/account/add/"),
    }
    monkeypatch.setattr("inbox.admin.messages.views.read_thread", None)
    client.raise_request_exception = False
    return {**found, "failed": client.get(thread)}


STATUS = {"not there": 404, "nowhere": 404, "too old": 403, "for others": 403, "failed": 500}


def test_what_is_not_there_is_said_plainly(browser):
    response = browser.get("/admin/threads/thr_nothing/")
    assert response.status_code == 404
    assert is_ours(response.content.decode())
    assert "It does not exist, or you don" in response.content.decode()


def test_a_form_without_its_token_is_explained(browser, inbox):
    response = browser.post("/admin/logout/")
    assert response.status_code == 403
    assert is_ours(response.content.decode())
    assert "Nothing was changed." in response.content.decode()


def test_what_is_for_others_to_decide_is_said_plainly(workspace, client):
    client.force_login(factories.make_person_user(workspace, "viewer"))
    response = client.get("/admin/inbox/account/add/")
    assert response.status_code == 403
    assert is_ours(response.content.decode())


def test_a_page_of_an_error_has_the_header_and_a_way_on(browser, inbox, monkeypatch):
    pages = error_pages(browser, inbox, monkeypatch)
    assert {name: page.status_code for name, page in pages.items()} == STATUS
    for name, page in pages.items():
        text = page.content.decode()
        assert is_ours(text), name
        assert {"/admin/", "/admin/inbox/thread/", "/admin/me/"} <= set(leads_on(page)), name
        assert 'action="/admin/logout/"' in text, name
        # The last one leads on from here, below the words.
        assert leads_on(page)[-1] == "/admin/", name


def test_a_stranger_is_told_the_same_of_all_addresses_and_may_sign_in(inbox, reviewer):
    thread = f"/admin/threads/{factories.make_message(inbox).thread.public_id}/"
    client = Client(enforce_csrf_checks=True)
    pages = [client.get("/nothing"), client.get("/admin/nothing/x/"), client.post("/admin/login/")]
    assert [page.status_code for page in pages] == [404, 302, 403]
    for page in (pages[0], pages[2]):
        assert leads_on(page) == ["/admin/", "/admin/login/"]
        assert not re.search("rhea|places|log out|Threads", page.content.decode())
    # What is there leads to signing in as what is not.
    answers = [client.get(place) for place in (thread, "/admin/threads/thr_nothing/")]
    assert [answer.status_code for answer in answers] == [302, 302]


def test_a_page_of_an_error_says_the_same_of_what_others_have_and_what_nobody_has(browser, inbox):
    others = factories.make_message(factories.make_inbox(factories.make_workspace("Elsewhere")))
    pages = [
        re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", browser.get(place).content.decode())
        for place in (
            f"/admin/threads/{others.thread.public_id}/", "/admin/threads/thr_nothing/"
        )
    ]  # fmt: skip
    assert pages[0] == pages[1]


def test_where_the_database_fails_there_is_a_page_all_the_same(browser, inbox):
    def fail(execute, sql, params, many, context):
        raise OperationalError("it is gone")

    browser.raise_request_exception = False
    with connection.execute_wrapper(fail):
        page = browser.get("/admin/")
    assert page.status_code == 500
    assert is_ours(page.content.decode())
    assert "This is our fault, and it has been logged" in page.content.decode()
    assert leads_on(page) == ["/admin/", "/admin/"]


def test_what_waits_to_be_told_is_kept_for_the_next_page(client, reviewer):
    """A browser asks by itself for an icon that is not there, before the page that says it."""
    client.force_login(reviewer)
    assert client.post("/admin/queue/filters/", {"name": ""}).status_code == 302
    missing = client.get("/favicon.ico")
    assert missing.status_code == 404
    assert "Enter a name" not in missing.content.decode()
    assert "Enter a name" in client.get("/admin/").content.decode()


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
