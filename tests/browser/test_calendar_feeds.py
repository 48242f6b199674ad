"""Calendars shared by an address, in a real browser: made, copied, revoked; on a phone, in the dark."""

import pytest
from playwright.sync_api import expect

from calendar_app.models import Calendar
from inbox.models import Membership, Role
from tests.browser.crawling import find_barriers

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize(
    "desk",
    [{}, {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}],
    ids=["desktop", "phone in the dark"],
    indirect=True,
)
def test_an_address_is_made_shown_once_and_revoked(inbox, reviewer, desk):
    Membership.objects.filter(user=reviewer).update(role=Role.OWNER)
    Calendar.objects.create(
        workspace=inbox.workspace, account=inbox.account, name="Main", is_default=True
    )
    page = desk.page
    desk.open("/admin/calendar/")
    page.get_by_role("link", name="Share by address").click()
    page.get_by_label("Full:").check()
    page.get_by_label("For whom").fill("The printers")
    assert find_barriers(page) == []
    desk.complaints.clear()
    page.get_by_role("button", name="Create").click()
    shown = page.get_by_role("region", name="The address")
    expect(shown).to_contain_text("/calendars/")
    expect(page.get_by_role("button", name="Copy")).to_be_visible()
    assert not desk.overflows()
    page.get_by_role("link", name="Done, I copied it").click()
    expect(page.get_by_text("never read")).to_be_visible()
    assert not desk.overflows()
    page.get_by_role("button", name="Revoke The printers").click()
    expect(page.get_by_text("No calendar is shared by an address.")).to_be_visible()
    assert not desk.overflows()
