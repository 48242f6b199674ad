"""Every page, as links lead to it: no barrier, no complaint, nothing wider than the screen."""

import pytest

from agents.models import Agent
from agents.operations.setup.demo import make_demo
from inbox.background.jobs import run_due
from tests.browser.crawling import crawl, find_barriers, let_agent_note, let_agent_work

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

COLOURS = ("color-contrast", "link-in-text-block")
VIEWS = {
    "wide and light": {"viewport": {"width": 1440, "height": 900}},
    "phone and dark": {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
}
# Pages that a workspace with an agent at work has; a crawl that misses one went astray.
EXPECTED = {
    "/admin/", "/admin/all/", "/admin/inbox/thread/", "/admin/inbox/person/", "/admin/agents/agent/",
    "/admin/agents/receipt/", "/admin/inbox/replypolicy/", "/admin/inbox/account/",
}  # fmt: skip
# Pages on which people do something themselves; their colours are looked at light and dark.
BY_HAND = tuple(
    f"/admin/{place}"
    for place in (
        "write/", "calendar/?view=week", "calendar/?view=day", "calendar/feeds/", "todos/", "events/new/", "files/",
        "oversight/", "agents/memory/", "agents/schedule/", "agents/contextentry/",
        "inbox/job/", "me/", "me/sessions/", "me/notices/", "me/away/",
    )
)  # fmt: skip
IS_DARK = "matchMedia('(prefers-color-scheme: dark)').matches"


@pytest.fixture
def furnished(live_server):
    """The demo after its agent's work, and what the agent keeps, shares and plans."""
    made = make_demo()
    run_due()
    let_agent_work(live_server.url, made.keys.token)
    let_agent_note(live_server.url, made.keys.token, Agent.objects.get().name)
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


def look_at_colours(desk, scheme: str) -> list[str]:
    """Return what is wrong with the colours of the page that is open, and leave it light or dark."""
    desk.page.emulate_media(color_scheme=scheme)
    found = [f"{scheme}: {words}" for words in find_barriers(desk.page, rules=COLOURS)]
    desk.complaints.clear()
    return found


@pytest.mark.parametrize("desk", VIEWS.values(), ids=VIEWS.keys(), indirect=True)
def test_no_page_has_a_barrier_of_any_kind_or_is_wider_than_the_screen(furnished, desk):
    # Colours that still change are no colours of the page.
    desk.page.emulate_media(reduced_motion="reduce")
    desk.page.context.clear_cookies()
    desk.sign_in(furnished.keys.username, furnished.keys.password)
    own, other = ("dark", "light") if desk.page.evaluate(IS_DARK) else ("light", "dark")
    seen, troubles = set(), []
    for place in crawl(desk, "/admin/", *BY_HAND):
        seen.add(place)
        troubles += [f"{place}: {words}" for words in look_at(desk)]
        if place in BY_HAND:
            troubles += [f"{place}: {words}" for words in look_at_colours(desk, other)]
            desk.page.emulate_media(color_scheme=own)
    desk.open("/admin/")
    desk.press("Control+k")
    troubles += [f"the command palette: {words}" for words in look_at(desk)]
    assert seen >= EXPECTED
    assert not troubles, "\n".join(troubles)
