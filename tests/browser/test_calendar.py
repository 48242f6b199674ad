"""The calendar in a real browser: by keys, and on a phone."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from calendar_app.models import Calendar, Event

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def event(inbox) -> Event:
    calendar = Calendar.objects.create(
        workspace=inbox.workspace, account=inbox.account, name="Main", is_default=True
    )
    now = timezone.now()
    end = now + timedelta(minutes=10)
    return Event.objects.create(
        workspace=inbox.workspace, calendar=calendar, uid="a", summary="The stand-up",
        dtstart=now, dtend=end, last_end=end, status="confirmed",
    )  # fmt: skip


@pytest.mark.parametrize(
    "desk",
    [{}, {"viewport": {"width": 390, "height": 844}}],
    ids=["desktop", "phone"],
    indirect=True,
)
def test_weeks_are_turned_and_today_is_found_by_keys(event, desk):
    page = desk.page
    desk.open("/admin/calendar/")
    expect(page.get_by_role("link", name="The stand-up").first).to_be_visible()
    desk.press("j")
    page.wait_for_url("**day=**")
    expect(page.get_by_text("No events in this period.")).to_be_visible()
    desk.press("t")
    page.get_by_role("link", name="The stand-up").first.click()
    expect(page.get_by_role("heading", name="The stand-up")).to_be_visible()
    assert not desk.overflows()
    page.wait_for_load_state()
    desk.press("Escape")
    page.wait_for_url("**/admin/calendar/?view=week**")
