"""An owner connects mail by Google's own interface, told beside the buttons what that means."""

import os

import pytest
from playwright.sync_api import expect

from inbox.models import Account, Membership, RemoteSource, Role
from tests.browser.crawling import find_barriers
from tests.inbox.admin.accounts.signing_in import register
from tests.machines.authorization_server import CLIENT, SECRET, authorization_server
from tests.machines.google.everything import google_server
from tests.machines.google.server import SCOPE

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def provider(live_server, settings):
    """A Google that knows this site."""
    with authorization_server() as server, google_server() as google:
        register(settings, server, live_server.url)
        server.scopes = {f"{SCOPE}gmail.modify"}
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
def test_the_two_ways_stand_beside_each_other(provider, inbox, reviewer, desk, request):
    Membership.objects.filter(user=reviewer).update(role=Role.OWNER)
    page, name = desk.page, request.node.callspec.id
    desk.expected = (f"a request to {provider.url}", "favicon")

    def look(what):
        assert find_barriers(page) == []
        assert not desk.overflows()
        if folder := os.environ.get("PICTURES"):
            page.screenshot(path=f"{folder}/{what}-{name}.png", full_page=True)

    desk.open("/admin/inbox/account/add/")
    expect(page.get_by_text("exactly what was approved, to the byte")).to_be_visible()
    look("two-ways")
    page.get_by_role("button", name="Use Google’s own interface").click()
    page.get_by_role("button", name="Allow").click()
    expect(page.get_by_role("heading", name="mira@lantern.example")).to_be_visible()
    expect(page.get_by_text("mail, by the provider's own interface")).to_be_visible()
    look("by-interface")
    account = Account.objects.get(address="mira@lantern.example")
    assert account.provider == "gmail"
    # A server on the same sign-in is named where the account is disconnected.
    names = ("oauth_client_id", "oauth_provider")
    kept = {key: account.settings[key] for key in names}
    RemoteSource.objects.create(
        workspace=account.workspace, account=account, provider="google", name="Google Calendar",
        settings={**kept, "auth": "oauth", "username": account.address},
    )  # fmt: skip
    page.reload()
    page.get_by_text("Disconnect", exact=True).first.click()
    expect(page.get_by_label("Also disconnect what uses the same sign-in")).not_to_be_checked()
    look("disconnecting")
