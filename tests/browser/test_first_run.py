"""From an empty installation to the first mail that a person let out, by the browser alone."""

import json
import re
import time
import urllib.request
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from agents.models import Agent, NoticeSettings, Receipt
from agents.operations.setup.codes import make_code
from inbox.background.jobs import run_due
from inbox.models import Account, Workspace
from tests.browser.conftest import Desk, watch
from tests.browser.crawling import find_barriers
from tests.sqlite3.base import put_empty_database
from tests.up import Up

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
PASSWORD = "wax, ribbon and a ring"
# What a person may need from `make run` to the first sealed send, in seconds.
AT_MOST = 180
VIEWS = {
    "wide and light": {"viewport": {"width": 1440, "height": 900}},
    "phone and dark": {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark",
                       "has_touch": True},
    "phone in German": {"viewport": {"width": 390, "height": 844}, "locale": "de-DE"},
    "without script": {"viewport": {"width": 390, "height": 844}, "java_script_enabled": False},
}  # fmt: skip


@pytest.fixture(params=VIEWS.values(), ids=VIEWS.keys())
def visitor(request, chromium, live_server, transactional_db):
    with watch(chromium, live_server.url, request.param) as desk:
        desk.has_script = request.param.get("java_script_enabled", True)
        yield desk


class Walk:
    """A way through the steps, each of which is looked at before it is left."""

    def __init__(self, desk: Desk, has_script: bool = True) -> None:
        self.desk, self.page, self.has_script = desk, desk.page, has_script
        self.seen: list[int] = []

    def look(self, number: int | None = None) -> None:
        """See that the page is sound, and that it says which step it is."""
        self.page.wait_for_load_state()
        if number is not None:
            where = self.page.locator(".set-up-where")
            expect(where).to_have_text(re.compile(rf"\b{number} (of|von) 7\b"))
            self.seen.append(number)
        if self.has_script:
            assert not self.desk.overflows(), self.page.url
            assert find_barriers(self.page) == [], self.page.url
            # The checker tries colours with styles of its own, which are refused.
            self.desk.complaints[:] = [it for it in self.desk.complaints if "style" not in it]

    def become_owner(self, place: str) -> None:
        self.desk.open("/")
        self.look(1)
        self.desk.open(place)
        self.look(1)
        self.page.locator("[name=username]").fill("ada")
        for name in ("password1", "password2"):
            self.page.locator(f"[name={name}]").fill(PASSWORD)
        self.go_on("form.state .button-primary")
        self.look(2)

    def go_on(self, button: str = ".moves .button-primary") -> None:
        with self.page.expect_navigation():
            self.page.locator(button).last.click()

    def finish(self) -> None:
        """Go from the first call to the end, without the second step."""
        self.go_on()
        self.look(6)
        self.go_on("form.state .button-primary")
        self.look(7)
        self.go_on(".moves .button:not(.button-primary)")
        self.look()
        assert sorted(set(self.seen)) == [1, 2, 3, 4, 5, 6, 7]


def call(url: str, token: str, tool: str) -> None:
    asked = urllib.request.Request(
        f"{url}/api/tools/{tool}", b"{}",
        {"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )  # fmt: skip
    json.load(urllib.request.urlopen(asked))


def test_an_empty_installation_is_set_up_with_ones_own_mail(visitor, live_server):
    walk, page = Walk(visitor, visitor.has_script), visitor.page
    walk.become_owner(f"/admin/start/?code={make_code()}")
    page.locator("[name=name]").fill("Lantern & Sons")
    walk.go_on("form.state .button-primary")
    walk.look(3)
    page.locator("[name=address]").fill("office@lantern.example")
    page.locator("[name=preset]").select_option("local")
    walk.go_on("button[value=look]")
    walk.look(3)
    walk.go_on()
    walk.look(4)
    page.locator("[value=office]").check()
    walk.go_on("form.state .button-primary")
    walk.look(5)
    token = page.locator("#token-text").inner_text()
    expect(page.locator("#first-call .done-mark")).to_have_count(0)
    call(live_server.url, token, "look_around")
    if not walk.has_script:
        visitor.open("/admin/start/call/")
    # By itself where scripts run.
    expect(page.locator("#first-call .done-mark")).to_be_visible()
    walk.finish()
    ada, lantern = User.objects.get(), Workspace.objects.get()
    assert (lantern.name, Account.objects.get().workspace) == ("Lantern & Sons", lantern)
    agent = Agent.objects.get()
    assert agent.created_by == ada
    assert agent.grants.get().account == Account.objects.get()
    assert NoticeSettings.objects.get(user=ada).by_browser
    assert Receipt.objects.filter(actor=f"agent:{agent.pk}").exists()
    visitor.open("/admin/")
    walk.look()


@pytest.mark.parametrize("visitor", [{}], indirect=True, ids=["wide"])
def test_it_can_be_left_and_gone_back_in_and_what_is_skipped_stays_open(visitor):
    walk, page = Walk(visitor), visitor.page
    walk.become_owner(f"/admin/start/?code={make_code()}")
    # Left: any place that needs a workspace leads back.
    visitor.open("/admin/inbox/thread/")
    walk.look(2)
    page.locator("[name=name]").fill("Lantern")
    walk.go_on("form.state .button-primary")
    for number in (4, 5, 6, 7):
        if number == 5:
            walk.go_on("form.state .button-primary")
        else:
            walk.go_on("[rel=next]" if number != 6 else ".moves .button-primary")
        walk.look(number)
    walk.go_on("[rel=prev]")
    walk.look(6)
    visitor.open("/admin/start/")
    walk.look()
    expect(page.locator(".all-steps .is-done")).to_have_count(3)
    visitor.open("/admin/start/mail/")
    walk.look(3)


@pytest.mark.parametrize("visitor", [{}], indirect=True, ids=["wide"])
def test_what_is_to_be_copied_is(visitor):
    visitor.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    walk, page = Walk(visitor), visitor.page
    walk.become_owner(f"/admin/start/?code={make_code()}")
    page.locator("[name=demo]").click()
    run_due()
    expect(page.locator("#filling .done-mark")).to_be_visible()
    walk.look(3)
    walk.go_on()
    walk.go_on("form.state .button-primary")
    token = page.locator("#token-text").inner_text()
    for place in ("#token-text", "#ready-claude-code"):
        page.locator(f'[data-copies="{place[1:]}"]').click()
        expect(page.locator("#live")).not_to_be_empty()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied == page.locator(place).inner_text()
        assert token in copied
    # Where a page may not use the clipboard, as over plain http, it is copied by hand.
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.locator('[data-copies="mcp-address"]').click()
    assert page.evaluate("getSelection().toString()") == f"{visitor.url}/mcp"


@pytest.fixture
def up(tmp_path):
    put_empty_database(tmp_path)
    started = Up(tmp_path)
    yield started
    started.stop()


@pytest.mark.parametrize(
    "how", [VIEWS["wide and light"], VIEWS["phone and dark"]], ids=["wide", "phone"]
)
def test_the_demo_leads_to_a_first_sealed_send_without_a_second_terminal(
    up, tmp_path, chromium, how
):
    began = time.monotonic()
    url = up.wait_until_ready()
    while not (found := re.search(r"\n  http\S+(/admin/start/\?code=\S+)", up.output)):
        time.sleep(0.02)
    with watch(chromium, url, how) as desk:
        walk, page = Walk(desk), desk.page
        walk.become_owner(found[1])
        walk.go_on("[name=demo]")
        walk.look(3)
        expect(page.locator("#filling .done-mark")).to_be_visible()
        walk.go_on()
        walk.look(4)
        walk.go_on("form.state .button-primary")
        walk.look(5)
        page.locator("[name=work]").click()
        waiting = page.locator("#first-call a[href*=waiting]")
        expect(waiting).to_be_visible()
        # The page stays, with the token on it.
        expect(page.locator("#token-text")).to_be_visible()
        walk.look(5)
        walk.finish()
        desk.open("/admin/?tab=waiting")
        walk.look()
        page.get_by_role("link", name="Re: Five workshops looking for a diary").click()
        page.get_by_role("button", name="Approve", exact=True).click()
        expect(page.get_by_role("heading", name="✓ Sent.")).to_be_visible()
    [delivered] = Path(tmp_path, "mail").rglob("new/*")
    assert b"priya@wheelhouse.example" in delivered.read_bytes()
    assert time.monotonic() - began < AT_MOST
