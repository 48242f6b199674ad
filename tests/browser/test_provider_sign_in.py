"""A person connects an account by clicking: on our page, on the provider's, and back."""

import pytest
from playwright.sync_api import expect

from inbox.models import Account, Membership, Role
from tests.browser.conftest import signed_in
from tests.browser.crawling import find_barriers
from tests.inbox.admin.accounts.signing_in import set_up_openid
from tests.machines.authorization_server import authorization_server, enter_code

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

PHONE = {"viewport": {"width": 390, "height": 844}}
DARK = {"color_scheme": "dark"}
CONNECT = "/admin/inbox/account/add/"


@pytest.fixture
def provider(live_server, settings, inbox, reviewer):
    """A provider that knows this site, whose reviewer owns the workspace."""
    Membership.objects.update(role=Role.OWNER)
    with authorization_server() as server:
        set_up_openid(settings, server, base=live_server.url)
        yield server


@pytest.fixture
def desk(desk, provider):
    """The owner's desk, from which the provider may be reached."""
    desk.expected = (f"a request to {provider.url}", "favicon")
    return desk


def test_an_account_is_connected_by_clicking(provider, desk):
    page = desk.page
    desk.open(CONNECT)
    page.get_by_role("button", name="Sign in with Lantern ID").click()
    page.wait_for_url(f"{provider.url}/authorize?*")
    page.get_by_role("button", name="Allow").click()
    expect(page.get_by_text("Signed in with Lantern ID as")).to_be_visible()
    account = Account.objects.get(address="mira@lantern.example")
    assert page.url == f"{desk.url}/admin/inbox/account/{account.pk}/change/"
    # Its mail servers do not answer here, which the page says.
    expect(page.get_by_text("Reading: 127.0.0.1 refuses port").first).to_be_visible()
    page.get_by_text("Disconnect", exact=True).first.click()
    page.get_by_role("button", name="Disconnect").click()
    expect(page.get_by_text("Lantern ID has revoked the access")).to_be_visible()
    assert provider.grants[0].ended


def test_who_refuses_there_is_told_here(provider, desk):
    page = desk.page
    desk.open(CONNECT)
    page.get_by_role("button", name="Sign in with Lantern ID").click()
    page.get_by_role("button", name="Refuse").click()
    expect(page.get_by_text("You did not allow it at Lantern ID.")).to_be_visible()
    page.get_by_role("link", name="Back to where it began").click()
    page.wait_for_url(desk.url + CONNECT)
    desk.expected = (*desk.expected, "400 (Bad Request)")


def test_a_code_is_waited_for_and_leads_on(provider, settings, desk):
    page = desk.page
    # As a site without https: the live server itself is asked all the same.
    settings.BASE_URL = "http://chancery.example"
    settings.CSRF_TRUSTED_ORIGINS = [desk.url]
    desk.open(CONNECT)
    page.get_by_role("button", name="Sign in with Lantern ID").click()
    expect(page.get_by_role("heading", name="Enter this code")).to_be_visible()
    code = page.locator(".device-code").inner_text()
    assert enter_code(provider, code) == "allowed"
    page.get_by_role("link", name="Continue").click()
    expect(page.get_by_text("Signed in with Lantern ID as")).to_be_visible()


@pytest.mark.usefixtures("provider")
@pytest.mark.parametrize("how", [PHONE, DARK], ids=["phone", "dark"])
def test_the_pages_can_be_read_by_everybody(chromium, live_server, client, reviewer, how):
    with signed_in(chromium, live_server.url, how, client, reviewer) as desk:
        for place in (CONNECT, "/admin/inbox/account/sign-in/help/"):
            desk.open(place)
            assert find_barriers(desk.page) == []
            assert not desk.overflows()
