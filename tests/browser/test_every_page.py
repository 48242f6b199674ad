"""Every page, as links lead to it: no barrier, no complaint, nothing wider than the screen."""

import pytest

from agents.operations.setup.demo import make_demo
from inbox.background.jobs import run_due
from tests.browser.crawling import crawl, find_barriers, let_agent_work

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
