"""Signing in with two steps, and being asked again, in a real browser."""

import pytest
from allauth.mfa.totp.internal import auth as totp
from playwright.sync_api import expect

from agents.models import Approval
from inbox.models import Membership, Role
from tests import factories
from tests.agents.admin.desk import make_desk

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
PHONE = {"viewport": {"width": 390, "height": 844}}


def shown(secret: str) -> str:
    _before, now, _after = totp.yield_hotp_counters_from_time()
    return totp.format_hotp_value(totp.hotp_value(secret, now))


def test_two_steps_are_set_up_and_then_asked_for(desk):
    page = desk.page
    desk.open("/admin/me/")
    page.get_by_role("link", name="Set up", exact=True).click()
    expect(page.locator("img.qr")).to_be_visible()
    page.get_by_text("Cannot scan it").click()
    secret = page.locator(".secret code").inner_text().replace(" ", "").replace("\n", "")
    page.get_by_label("Code").fill(shown(secret))
    desk.press("Enter")
    expect(page.locator(".codes li")).to_have_count(10)
    recovery = page.locator(".codes li").first.inner_text().replace(" ", "")
    page.locator(".menu > summary").click()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("User name").fill("rhea")
    page.get_by_label("Password").fill("sealing-wax")
    desk.press("Enter")
    page.get_by_label("Code").fill("000000")
    desk.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("is not valid")
    page.get_by_label("Code").fill(recovery)
    desk.press("Enter")
    page.wait_for_url(f"{desk.url}/admin/")


@pytest.mark.parametrize("desk", [{}, PHONE], ids=["desktop", "phone"], indirect=True)
def test_a_flagged_letter_is_approved_after_the_password(inbox, actor, desk, settings):
    settings.FRESH_MINUTES = 0
    flag = {"flag": "new_recipient", "reason": "Nobody wrote there before.", "excerpt": "Ada"}
    approval = make_desk(inbox, actor)["approval"]
    Approval.objects.filter(pk=approval.pk).update(checks_due=False, risk_flags=[flag])
    page = desk.page
    desk.open(f"/admin/review/{approval.public_id}/")
    page.locator(".decide button.button-primary").first.click()
    expect(page.get_by_role("heading", name="Confirm your identity")).to_be_visible()
    assert not desk.overflows()
    page.get_by_label("Password").fill("wrong")
    desk.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Nothing was changed")
    page.get_by_label("Password").fill("sealing-wax")
    desk.press("Enter")
    expect(page.get_by_text("Approved. Sending in")).to_be_visible()
    approval.refresh_from_db()
    assert approval.state == "approved"


@pytest.mark.parametrize("desk", [{}, PHONE], ids=["desktop", "phone"], indirect=True)
def test_an_owner_with_two_steps_makes_somebody_a_new_password(desk, workspace, reviewer, settings):
    settings.FRESH_MINUTES = 0
    Membership.objects.update(role=Role.OWNER)
    factories.make_person_user(workspace, Role.VIEWER, "nora")
    secret = totp.generate_totp_secret()
    totp.TOTP.activate(reviewer, secret)
    page = desk.page
    desk.open(f"/admin/members/{workspace.pk}/")
    page.locator("summary", has_text="New password").click()
    assert page.locator(".member-who").last.bounding_box()["width"] > 150
    assert not desk.overflows()
    page.get_by_role("button", name="Reset the password of nora").click()
    page.get_by_label("Password").fill("sealing-wax")
    page.get_by_label("Code").fill(shown(secret))
    desk.press("Enter")
    expect(page.locator(".made")).to_contain_text("nora can sign in once with this password")
    assert not desk.overflows()


@pytest.mark.parametrize(
    "desk", [PHONE, {"color_scheme": "dark"}], ids=["phone", "dark"], indirect=True
)
def test_no_page_of_one_s_own_scrolls_sideways_or_complains(desk, workspace):
    Membership.objects.update(role=Role.OWNER)
    for place in (
        "me/", "me/app/", "password_change/", f"members/{workspace.pk}/", "calendar/",
        "calendar/?view=month", "calendar/?view=agenda",
    ):  # fmt: skip
        desk.open(f"/admin/{place}")
        assert not desk.overflows(), place
