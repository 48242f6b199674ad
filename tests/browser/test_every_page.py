"""Every page, as links lead to it: no barrier, no complaint, nothing wider than the screen."""

import pytest

from agents.models import Agent
from agents.operations.setup.demo import make_demo
from inbox.background.jobs import run_due
from tests.browser.crawling import crawl, find_barriers, let_agent_note, let_agent_work

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

VIEWS = {
    "wide and light": {"viewport": {"width": 1440, "height": 900}},
    "phone and dark": {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
}
# Pages that a workspace with an agent at work has; a crawl that misses one went astray.
EXPECTED = {
    "/admin/", "/admin/all/", "/admin/inbox/thread/", "/admin/inbox/person/", "/admin/agents/agent/",
    "/admin/agents/receipt/", "/admin/inbox/replypolicy/", "/admin/inbox/account/",
}  # fmt: skip
# Pages on which people do something themselves.
BY_HAND = (
    "write/", "calendar/?view=week", "calendar/?view=day", "todos/", "events/new/", "files/",
    "oversight/", "agents/memory/", "agents/schedule/", "agents/contextentry/",
    "inbox/job/", "me/", "me/sessions/", "me/notices/", "me/away/",
)  # fmt: skip


@pytest.fixture
def furnished(live_server):
    """The demo, and what its agent keeps, shares and plans."""
    made = make_demo()
    run_due()
    let_agent_note(live_server.url, made.keys.token, Agent.objects.get().name)
    return made


@pytest.fixture
def demo(live_server):
    made = make_demo()
    run_due()
    let_agent_work(live_server.url, made.keys.token)
    run_due()
    return made


def look_at(desk) -> list[str]:
    """Return what is wrong with the page that is open."""
    desk.page.wait_for_load_state()
    found = [*desk.complaints, *(["scrolls sideways"] if desk.overflows() else [])]
    found += find_barriers(desk.page)
    # Its own styles, which it tries colours with, are refused as all others.
    desk.complaints.clear()
    return found


@pytest.mark.parametrize("desk", VIEWS.values(), ids=VIEWS.keys(), indirect=True)
def test_no_page_has_a_barrier_or_is_wider_than_the_screen(demo, desk):
    desk.page.context.clear_cookies()
    desk.sign_in(demo.keys.username, demo.keys.password)
    seen, troubles = set(), []
    for place in crawl(desk, "/admin/"):
        seen.add(place)
        troubles += [f"{place}: {words}" for words in look_at(desk)]
    assert seen >= EXPECTED
    assert not troubles, "\n".join(troubles)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("desk", [VIEWS["phone and dark"]], ids=["phone"], indirect=True)
def test_pages_of_what_people_do_have_no_barrier_of_any_kind(furnished, desk, scheme):
    # Colours that still change are no colours of the page.
    desk.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    desk.page.context.clear_cookies()
    desk.sign_in(furnished.keys.username, furnished.keys.password)
    troubles = []
    for place in BY_HAND:
        desk.open(f"/admin/{place}")
        troubles += [f"{place}: {words}" for words in everything_wrong(desk)]
    desk.open("/admin/")
    desk.press("Control+k")
    troubles += [f"the command palette: {words}" for words in everything_wrong(desk)]
    assert not troubles, "\n".join(troubles)


def everything_wrong(desk) -> list[str]:
    """Return what axe finds at all, and whether the page is too wide."""
    desk.page.wait_for_load_state()
    found = ["scrolls sideways"] if desk.overflows() else []
    found += find_barriers(desk.page, all_of_them=True)
    desk.complaints.clear()
    return found
