"""What a page costs somebody who comes for the first time, and who comes again."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest
from django.templatetags.static import static
from playwright.sync_api import Page, expect

from inbox.models import Membership, Role
from tests import factories
from tests.agents.admin.desk import make_desk

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

MOST_REQUESTS = 8
MOST_BYTES = 120_000
BUNDLES = ("chancery/pages.css", "chancery/pages.js")
VIEWS = {
    "light": {"viewport": {"width": 1280, "height": 800}},
    "phone and dark": {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
}


@dataclass
class Traffic:
    """What a browser asked for over the network, by request: its address and bytes received."""

    asked: dict[str, str] = field(default_factory=dict)
    cached: set[str] = field(default_factory=set)
    received: dict[str, int] = field(default_factory=dict)

    def watch(self, page: Page) -> None:
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.requestWillBeSent", self._on_request)
        session.on("Network.requestServedFromCache", lambda it: self.cached.add(it["requestId"]))
        session.on("Network.responseReceived", self._on_response)
        session.on("Network.loadingFinished", self._on_end)

    def _on_request(self, event) -> None:
        if not event["request"]["url"].startswith("data:"):
            self.asked[event["requestId"]] = urlsplit(event["request"]["url"]).path

    def _on_response(self, event) -> None:
        if event["response"]["fromDiskCache"]:
            self.cached.add(event["requestId"])

    def _on_end(self, event) -> None:
        self.received[event["requestId"]] = event["encodedDataLength"]

    def clear(self) -> None:
        for kept in (self.asked, self.cached, self.received):
            kept.clear()

    @property
    def over_network(self) -> set[str]:
        """Where it asked; once, where a page asks again and again how something stands."""
        return {place for key, place in self.asked.items() if key not in self.cached}

    @property
    def size(self) -> int:
        return sum(size for key, size in self.received.items() if key not in self.cached)


@pytest.fixture
def visitor(desk, chromium) -> Iterator[tuple[Page, Traffic]]:
    """The reviewer in a browser that was never here."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    context.add_cookies(desk.page.context.cookies())
    page, traffic = context.new_page(), Traffic()
    traffic.watch(page)
    yield page, traffic
    context.close()


def visit(page: Page, address: str) -> None:
    """Open a page, and stay until it has asked for all that it asks for at once."""
    # A while after all others it asks for the first time what is new.
    with page.expect_response("**/notices/state/**"):
        page.goto(address)
    page.wait_for_load_state("networkidle")


@pytest.mark.parametrize("name", ["queue", "review"])
def test_a_first_visit_takes_few_requests_and_few_bytes(name, inbox, actor, desk, visitor):
    made = make_desk(inbox, actor)
    places = {"queue": "/admin/", "review": f"/admin/review/{made['approval'].public_id}/"}
    page, traffic = visitor
    visit(page, desk.url + places[name])
    assert {static(bundle) for bundle in BUNDLES} <= traffic.over_network
    # The next item, which is loaded ahead, is the next page's, and weighs here all the same.
    ahead = page.locator("a[rel=next]").evaluate_all("links => links.map((one) => one.pathname)")
    asked = traffic.over_network - set(ahead)
    assert len(asked) <= MOST_REQUESTS, asked
    assert 20_000 < traffic.size <= MOST_BYTES


def test_a_second_visit_takes_the_bundles_from_the_cache(inbox, actor, desk, visitor):
    make_desk(inbox, actor)
    page, traffic = visitor
    visit(page, f"{desk.url}/admin/")
    traffic.clear()
    visit(page, f"{desk.url}/admin/inbox/thread/")
    again = [place for place in traffic.asked.values() if place in map(static, BUNDLES)]
    assert sorted(again) == sorted(map(static, BUNDLES))
    assert not set(again) & traffic.over_network


def test_a_list_and_a_form_do_without_jquery_and_without_a_complaint(inbox, actor, agent, desk):
    Membership.objects.update(role=Role.OWNER)
    make_desk(inbox, actor)
    for place in (
        "inbox/thread/", "inbox/person/", "agents/schedule/", "inbox/job/", "agents/webhookendpoint/add/",
        f"agents/agent/{agent.pk}/settings/", f"inbox/workspace/{inbox.workspace_id}/change/",
    ):  # fmt: skip
        desk.open(f"/admin/{place}")
        desk.page.wait_for_load_state("load")
        assert desk.page.evaluate("!window.jQuery && !window.django?.jQuery")
        assert not desk.overflows(), place


@pytest.mark.parametrize("desk", VIEWS.values(), ids=VIEWS.keys(), indirect=True)
def test_a_page_of_an_error_has_the_header_and_leads_on(inbox, desk, monkeypatch):
    desk.expected = ("404 (Not Found)", "403 (Forbidden)", "500 (Internal Server Error)")
    thread = f"/admin/threads/{factories.make_message(inbox).thread.public_id}/"
    monkeypatch.setattr("inbox.admin.messages.views.read_thread", None)
    page = desk.page
    for place, words in (
        ("/admin/threads/thr_nothing/", "Page not found"),
        ("/admin/inbox/account/add/", "You don't have permission"),
        (thread, "Something went wrong"),
    ):
        desk.open(place)
        expect(page.get_by_role("heading", name=words)).to_be_visible()
        expect(page.get_by_role("navigation", name="Main navigation")).to_be_visible()
        assert not desk.overflows(), place
        page.get_by_role("main").get_by_role("link", name="Back to the queue").click()
        page.wait_for_url("**/admin/")
    page.context.clear_cookies()
    desk.open("/nothing")
    expect(page.get_by_role("navigation", name="Main navigation")).to_have_count(0)
    page.get_by_role("link", name="Sign in").click()
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
