"""Where somebody is signed in: listed, ended, over when idle, and told where the browser is new."""

import time

import pytest
from django.contrib.sessions.models import Session
from django.test import Client

from inbox.formats.user_agents import read_user_agent
from inbox.models import PersonBrowser
from tests import factories
from tests.cases import in_one_test
from tests.project.sign_in.coming import CHROME, FIREFOX, LOGIN, PHONE, come

pytestmark = pytest.mark.django_db
PLACE = "/admin/me/sessions/"


def fail(client: Client, times: int = 10, **more) -> None:
    for number in range(times):
        client.post(LOGIN, {"username": "rhea", "password": f"no{number}"}, **more)


def is_in(client: Client) -> bool:
    return client.get("/admin/me/").status_code == 200


def text_of(client: Client) -> str:
    return client.get(PLACE).content.decode()


@in_one_test(
    ("text", "browser", "system"),
    [
        (FIREFOX, "Firefox", "Linux"),
        (CHROME, "Chrome", "Windows"),
        # Which name others too.
        (CHROME + " Edg/140.0", "Edge", "Windows"),
        (PHONE, "Safari", "iPhone"),
        ("", "", ""),
        ("<script>alert(1)</script>", "", ""),
        ("x" * 5000 + " Firefox/1", "", ""),
    ],
)
def test_of_what_a_browser_says_of_itself_only_names_that_we_know_are_kept(text, browser, system):
    device = read_user_agent(text)
    assert (device.browser, device.system) == (browser, system)


def test_one_s_sessions_are_listed_with_this_one_marked(reviewer):
    here = come(FIREFOX, REMOTE_ADDR="203.0.113.7")
    come(PHONE, REMOTE_ADDR="198.51.100.4")
    other = factories.make_person_user(factories.make_workspace(), name="otto")
    Client(headers={"User-Agent": CHROME}).force_login(other)
    text = text_of(here)
    mine, others = text.split('id="sessions-others"')
    assert "Firefox on Linux" in mine
    assert "203.0.113.7" in mine
    assert "this one" in mine
    assert "Safari on iPhone" in others
    assert "198.51.100.4" in others
    assert "Windows" not in text


def test_a_hostile_user_agent_is_an_unknown_browser_and_nothing_else(reviewer):
    here = come()
    come('"><script>alert(1)</script>\u202e')
    text = text_of(here)
    assert "Unknown browser" in text
    assert "alert(1)" not in text


def test_one_session_is_ended_and_its_browser_forgotten(reviewer):
    here, there, elsewhere = come(), come(CHROME), come(PHONE)
    row = PersonBrowser.objects.get(software="Chrome")
    assert here.post(f"{PLACE}{row.pk}/end/").status_code == 302
    assert [is_in(each) for each in (here, there, elsewhere)] == [True, False, True]
    assert [row.software for row in here.get(PLACE).context["others"]] == ["Safari"]
    assert not PersonBrowser.objects.filter(pk=row.pk).exists()


def test_all_other_sessions_are_ended_at_once(reviewer):
    here, there, elsewhere = come(), come(CHROME), come(PHONE)
    here.post(f"{PLACE}end/")
    assert [is_in(each) for each in (here, there, elsewhere)] == [True, False, False]
    assert here.get(PLACE).context["others"] == []


def test_nobody_ends_a_session_of_somebody_else_or_by_a_link(reviewer, workspace):
    factories.make_person_user(workspace, name="mallory")
    there = come()
    row = PersonBrowser.objects.get()
    mallory = Client()
    mallory.post(LOGIN, {"username": "mallory", "password": "sealing-wax"})
    assert mallory.post(f"{PLACE}{row.pk}/end/").status_code == 404
    assert there.get(f"{PLACE}{row.pk}/end/").status_code == 405
    assert there.post(f"{PLACE}{row.pk}/end/").status_code == 404
    assert is_in(there)


def test_what_a_new_password_ended_is_listed_no_more(reviewer):
    here, there = come(), come(CHROME)
    here.post("/admin/me/sign-out/", {"password": "sealing-wax"})
    assert not is_in(there)
    page = here.get(PLACE)
    assert [row.software for row in page.context["here"]] == ["Firefox"]
    assert page.context["others"] == []


def test_signing_in_anew_ends_the_session_before_in_the_same_browser(reviewer):
    here = come()
    key = here.cookies["sessionid"].value
    del here.cookies["sessionid"]
    come(client=here)
    assert not Session.objects.filter(pk=key).exists()
    assert PersonBrowser.objects.count() == 1


def test_a_session_from_before_the_list_was_kept_is_taken_into_it(reviewer):
    here = come()
    PersonBrowser.objects.all().delete()
    session = here.session
    del session["browser_row"], session["seen_at"]
    session.save()
    assert [row.software for row in here.get(PLACE).context["here"]] == ["Firefox"]


def rest(client: Client, minutes: float) -> None:
    session = client.session
    session["seen_at"] = time.time() - 60 * minutes
    session.save()


def test_a_session_that_nobody_uses_ends(reviewer, settings):
    settings.IDLE_MINUTES = 30
    here = come()
    rest(here, 29)
    assert is_in(here)
    rest(here, 31)
    assert here.get("/admin/me/")["Location"].startswith(LOGIN)
    assert not Session.objects.exists()
    come(client=here)
    settings.IDLE_MINUTES = 0
    rest(here, 100_000)
    assert is_in(here)


def test_a_page_that_asks_for_news_by_itself_keeps_no_session_alive(reviewer, settings):
    settings.IDLE_MINUTES = 30
    here = come()
    rest(here, 20)
    before = here.session["seen_at"]
    assert here.get("/admin/me/notices/state/").status_code == 200
    assert here.session["seen_at"] == before
    assert is_in(here)
    assert here.session["seen_at"] > before


# -- a locked name does not lock its owner out ------------------------------------------------


def test_failures_elsewhere_keep_nobody_out_of_their_name(reviewer):
    fail(Client(), REMOTE_ADDR="203.0.113.9")
    come(REMOTE_ADDR="198.51.100.4")


def test_of_ipv6_a_whole_network_is_one_place(reviewer):
    for number in range(10):
        fail(Client(), 1, REMOTE_ADDR=f"2001:db8::{number}")
    refused = Client().post(
        LOGIN, {"username": "rhea", "password": "sealing-wax"}, REMOTE_ADDR="2001:db8::ffff"
    )
    assert "Wait 15 minutes, then try again" in refused.content.decode()
    come(REMOTE_ADDR="2001:db8:0:1::1")


def test_from_very_many_addresses_a_name_is_closed_but_not_to_its_owner_s_browser(reviewer):
    own = come()
    own.post("/admin/logout/")
    for number in range(100):
        fail(Client(), 1, REMOTE_ADDR=f"10.0.{number}.1")
    stranger = Client().post(LOGIN, {"username": "rhea", "password": "sealing-wax"})
    assert "Wait 15 minutes, then try again" in stranger.content.decode()
    come(client=own)


def test_in_a_browser_that_is_known_tries_are_counted_too(reviewer):
    own = come()
    own.post("/admin/logout/")
    fail(own)
    refused = own.post(LOGIN, {"username": "rhea", "password": "sealing-wax"})
    assert "Wait 15 minutes, then try again" in refused.content.decode()
    come(PHONE)


def test_a_browser_known_for_one_name_is_a_stranger_to_others(reviewer, workspace):
    factories.make_person_user(workspace, name="mallory")
    mallory = Client()
    mallory.post(LOGIN, {"username": "mallory", "password": "sealing-wax"})
    mallory.post("/admin/logout/")
    fail(mallory)
    # The same address with no cookie has no further tries.
    refused = Client().post(LOGIN, {"username": "rhea", "password": "sealing-wax"})
    assert "Wait 15 minutes, then try again" in refused.content.decode()


def test_a_cookie_that_somebody_made_up_makes_no_browser_known(reviewer):
    come()
    stranger = Client()
    stranger.cookies["browser"] = PersonBrowser.objects.get().name
    fail(Client())
    refused = stranger.post(LOGIN, {"username": "rhea", "password": "sealing-wax"})
    assert "Wait 15 minutes, then try again" in refused.content.decode()
