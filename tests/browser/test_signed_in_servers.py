"""Somebody's calendars are connected by signing in at Google, by the pages alone, on a phone too."""

import os

import pytest
from playwright.sync_api import expect

from inbox.models import Membership, RemoteSource, Role
from tests.browser.crawling import find_barriers
from tests.inbox.admin.accounts.signing_in import register
from tests.inbox.syncing.collections.sources import sync
from tests.machines.authorization_server import CLIENT, SECRET, authorization_server
from tests.machines.google.everything import google_server
from tests.machines.google.server import SCOPES

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def provider(live_server, settings):
    """A Google that knows this site."""
    with authorization_server() as server, google_server() as google:
        register(settings, server, live_server.url)
        server.scopes = {*SCOPES}
        settings.GOOGLE_ISSUER, settings.GOOGLE_API = server.issuer, google.url
        settings.GOOGLE_CLIENT_ID, settings.GOOGLE_CLIENT_SECRET = CLIENT, SECRET
        google.issuer = server
        yield server


@pytest.mark.parametrize(
    "desk",
    [{}, {"color_scheme": "dark"}, {"viewport": {"width": 390, "height": 844}}],
    ids=["desktop", "dark", "phone"],
    indirect=True,
)
def test_an_owner_signs_in_and_chooses_what_is_kept_in_step(
    provider, inbox, reviewer, desk, request
):
    Membership.objects.filter(user=reviewer).update(role=Role.OWNER)
    page, name = desk.page, request.node.callspec.id
    desk.expected = (f"a request to {provider.url}", "favicon")

    def look(what):
        assert find_barriers(page) == []
        assert not desk.overflows()
        if folder := os.environ.get("PICTURES"):
            page.screenshot(path=f"{folder}/{what}-{name}.png", full_page=True)

    desk.open(f"/admin/accounts/{inbox.account_id}/servers/add/")
    look("ways-in")
    page.get_by_label("to-dos").first.uncheck()
    page.get_by_role("button", name="Sign in with Google").click()
    page.get_by_role("button", name="Allow").click()
    expect(page.get_by_role("heading", name="Google (mira@lantern.example)")).to_be_visible()
    expect(page.get_by_text("Choose what to sync").first).to_be_visible()
    source = sync(RemoteSource.objects.get())
    assert source.failures == 0, (source.words, source.reply)
    page.reload()
    page.locator("summary", has_text="Sign-in").click()
    assert not page.get_by_label("to-dos").is_checked()
    look("signed-in")
    page.get_by_text("Disconnect", exact=True).first.click()
    page.get_by_role("button", name="Disconnect").click()
    expect(page.get_by_text("Google has revoked the access")).to_be_visible()
    assert provider.grants[0].ended
