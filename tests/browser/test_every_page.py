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
    "/admin/oversight/", "/admin/write/", "/admin/todos/", "/admin/events/new/", "/admin/files/",
    "/admin/agents/memory/", "/admin/agents/schedule/", "/admin/agents/contextentry/",
    "/admin/me/", "/admin/me/sessions/", "/admin/me/notices/", "/admin/me/away/",
}  # fmt: skip
# The colours that a view does not have by itself.
OTHER = {None: "dark", "dark": "light"}


@pytest.fixture
def demo(live_server):
    made = make_demo()
    run_due()
    let_agent_work(live_server.url, made.keys.token)
    let_agent_note(live_server.url, made.keys.token, Agent.objects.get().name)
    run_due()
    return made


def look_at(desk, scheme: str | None) -> list[str]:
    """Return what is wrong with the page that is open, which has this scheme of colours."""
    desk.page.wait_for_load_state()
    found = [*desk.complaints, *(["scrolls sideways"] if desk.overflows() else [])]
    found += find_barriers(desk.page)
    found += [f"{OTHER[scheme]}: {words}" for words in find_barriers(desk.page, OTHER[scheme])]
    desk.page.emulate_media(color_scheme=scheme)
    # Its own styles, which it tries colours with, are refused as all others.
    desk.complaints.clear()
    return found


@pytest.mark.parametrize("desk", VIEWS.values(), ids=VIEWS.keys(), indirect=True)
def test_no_page_has_a_barrier_or_is_wider_than_the_screen(demo, desk, request):
    scheme = request.node.callspec.params["desk"].get("color_scheme")
    desk.page.context.clear_cookies()
    desk.sign_in(demo.keys.username, demo.keys.password)
    seen, troubles = set(), []
    for place in crawl(desk, "/admin/"):
        seen.add(place)
        troubles += [f"{place}: {words}" for words in look_at(desk, scheme)]
    desk.open("/admin/")
    desk.press("Control+k")
    troubles += [f"the command palette: {words}" for words in look_at(desk, scheme)]
    assert not EXPECTED - seen
    assert not troubles, "\n".join(troubles)
