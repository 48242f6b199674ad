"""Passkeys in a real browser, with an authenticator of its own: made, used in each way, removed."""

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from tests.browser.crawling import find_barriers

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
KEY = {
    "protocol": "ctap2", "transport": "internal", "hasResidentKey": True,
    "hasUserVerification": True, "isUserVerified": True, "automaticPresenceSimulation": True,
}  # fmt: skip


@pytest.fixture
def authenticator(desk):
    """An authenticator of the browser, whose finger is always there."""
    session = desk.page.context.new_cdp_session(desk.page)
    session.send("WebAuthn.enable")
    session.send("WebAuthn.addVirtualAuthenticator", {"options": KEY})


def make_stale() -> None:
    """Have it be long since anybody showed who they are."""
    for row in Session.objects.all():
        store = SessionStore(row.session_key)
        store["signed_in_freshly_at"] = 1.0
        store.save()


def add(desk, name: str = "My phone") -> None:
    desk.open("/admin/me/")
    desk.page.get_by_role("link", name="Add a passkey").click()
    expect(desk.page.get_by_text("This needs a browser")).to_be_hidden()
    desk.page.get_by_label("Name").fill(name)
    assert not desk.overflows()
    assert find_barriers(desk.page) == []
    desk.complaints.clear()
    desk.page.get_by_role("button", name="Add a passkey").click()
    expect(desk.page.locator(".codes li")).to_have_count(10)


def sign_out(desk) -> None:
    desk.page.locator(".menu > summary").click()
    desk.page.get_by_role("button", name="Sign out").click()


def test_a_passkey_is_added_opens_the_account_and_is_removed(desk, authenticator, reviewer):
    page = desk.page
    add(desk)
    sign_out(desk)
    desk.open("/admin/login/?next=/admin/me/")
    assert find_barriers(page) == []
    desk.complaints.clear()
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.wait_for_url(f"{desk.url}/admin/me/")
    expect(page.get_by_text("My phone").first).to_be_visible()
    page.get_by_role("link", name="Remove My phone").click()
    page.get_by_role("button", name="Remove").click()
    page.wait_for_url(f"{desk.url}/admin/me/")
    assert not Authenticator.objects.filter(user=reviewer).exists()
    sign_out(desk)
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.locator("[role=alert]:visible")).to_contain_text(
        "Try again, or sign in with your name and password"
    )


@pytest.mark.parametrize("desk", [{"locale": "de-DE"}], ids=["german"], indirect=True)
def test_a_passkey_is_the_second_step_and_the_answer_to_being_asked_again(
    desk, authenticator, settings
):
    page = desk.page
    desk.open("/admin/me/passkeys/add/")
    page.get_by_role("button", name="Passkey hinzufügen").click()
    expect(page.locator(".codes li")).to_have_count(10)
    page.locator(".menu > summary").click()
    page.get_by_role("button", name="Abmelden").click()
    page.locator("[autocomplete=username]").fill("rhea")
    page.locator("[type=password]").fill("sealing-wax")
    desk.press("Enter")
    page.get_by_role("button", name="Passkey verwenden").click()
    page.wait_for_url(f"{desk.url}/admin/")
    settings.FRESH_MINUTES = 0
    desk.open("/admin/me/codes/new/")
    expect(page.get_by_label("Passwort")).to_be_visible()
    settings.FRESH_MINUTES = 15
    make_stale()
    page.get_by_role("button", name="Passkey verwenden").click()
    expect(page.get_by_role("heading", name="Neue Wiederherstellungscodes")).to_be_visible()
