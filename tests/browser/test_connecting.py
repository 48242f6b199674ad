"""A program is let in by a person in a real browser, and goes on where it waits."""

import http.server
import threading
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.cache import cache
from django.test import Client as Web
from playwright.sync_api import expect

from agents.models import Agent, Connection
from inbox.models import Membership, Role
from tests import factories
from tests.browser.conftest import signed_in, watch
from tests.browser.crawling import find_barriers
from tests.project.oauth.clients import Client

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

PHONE = {"viewport": {"width": 390, "height": 844}}
DARK = {"color_scheme": "dark"}


@pytest.fixture
def waiting():
    """A program on this machine that waits for the browser; yields its address and what came."""
    came = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            came.append(parse_qs(urlsplit(self.path).query))
            self.send_response(200)
            self.send_header("Content-Type", "text/plain")
            self.end_headers()
            self.wfile.write(b"You can close this page.")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/callback", came
    server.shutdown()
    server.server_close()


@pytest.fixture
def program(live_server, waiting, inbox, reviewer):
    """One that has registered itself, at a server whose reviewer owns the workspace."""
    cache.clear()
    Membership.objects.update(role=Role.OWNER)
    client = Client(live_server.url, redirect=waiting[0])
    client.register()
    return client


@pytest.fixture
def desk(desk, waiting):
    """The owner's desk, which may be led to the program."""
    desk.expected = (f"a request to {waiting[0]}",)
    return desk


def place_of(program):
    address = urlsplit(program.address())
    return f"{address.path}?{address.query}"


def test_a_program_is_let_in_and_has_its_answer(program, desk, waiting):
    page = desk.page
    desk.open(place_of(program))
    expect(page.get_by_role("heading", name="Connect Scout")).to_be_visible()
    expect(page.get_by_text("not verified")).to_be_visible()
    expect(page.get_by_label("office@lantern.example")).to_be_checked()
    # Scope by scope is for whoever asks for it, and a name for a new agent.
    expect(page.locator(".field-scopes")).to_be_hidden()
    page.get_by_label("Name").fill("Scout at home")
    page.get_by_role("button", name="Allow", exact=True).click()
    page.wait_for_url(f"{waiting[0]}?*")
    assert program.exchange(waiting[1][0]["code"][0]).status_code == 200
    assert Connection.objects.get().agent == Agent.objects.get(name="Scout at home")


def test_a_no_reaches_the_program_too(program, desk, waiting):
    desk.open(place_of(program))
    desk.page.get_by_role("button", name="Do not allow").click()
    desk.page.wait_for_url(f"{waiting[0]}?*")
    assert waiting[1][0]["error"] == ["access_denied"]
    assert not Agent.objects.exists()


def test_who_is_not_signed_in_comes_back_to_the_page(program, chromium, live_server):
    with watch(chromium, live_server.url, {}) as desk:
        desk.open(place_of(program))
        desk.page.locator("[autocomplete=username]").fill("rhea")
        desk.page.locator("[type=password]").fill("sealing-wax")
        desk.press("Enter")
        desk.page.wait_for_url("**/admin/connect/**")
        expect(desk.page.get_by_role("heading", name="Connect Scout")).to_be_visible()


def test_an_agent_that_is_there_hides_what_a_new_one_is_asked_for(program, desk, agent):
    page = desk.page
    desk.open(place_of(program))
    expect(page.get_by_label("Name")).to_be_visible()
    page.get_by_label("Clerk").check()
    expect(page.get_by_label("Name")).to_be_hidden()
    page.get_by_label("Custom").check()
    expect(page.get_by_label("Read and search mail in its accounts")).to_be_checked()


@pytest.mark.parametrize("desk", [{}, PHONE, DARK], ids=["desktop", "phone", "dark"], indirect=True)
def test_every_page_of_it_can_be_read_by_everybody(program, desk, agent, live_server, reviewer):
    """On a screen, a telephone and in the dark: nothing for axe to find, nothing beyond the edge."""
    long = Client(live_server.url, redirect=program.redirect)
    long.register(client_name="W" * 500)
    wrong = Client(live_server.url, redirect=program.redirect)
    wrong.id, wrong.resource = program.id, "https://" + "w" * 300 + ".example/mcp"
    desk.expected = (*desk.expected, "400")
    for one in (program, long, wrong):
        desk.open(place_of(one))
        assert not desk.overflows()
        assert find_barriers(desk.page) == []
    reviewer.memberships.create(workspace=factories.make_workspace("walnut"), role=Role.OWNER)
    desk.open(place_of(program))
    expect(desk.page.get_by_role("link", name="Walnut")).to_be_visible()
    assert find_barriers(desk.page) == []


def test_without_a_script_it_is_the_same_page(
    program, chromium, live_server, client: Web, reviewer
):
    how = {"java_script_enabled": False}
    with signed_in(chromium, live_server.url, how, client, reviewer) as desk:
        desk.open(place_of(program))
        assert desk.page.get_by_role("button", name="Allow", exact=True).is_visible()
