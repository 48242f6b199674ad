"""Oversight in a real browser: charts that fit, tables on demand, and a sample judged by keyboard."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from agents.models import SampleCheck
from tests import factories
from tests.agents.admin.desk import make_activity

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
PHONE = {"viewport": {"width": 390, "height": 844}}


@pytest.fixture
def silent(inbox):
    at = timezone.now() - timedelta(hours=30)
    message = factories.make_message(inbox, at=at, subject="News of the week")
    return make_activity(message, "processed", autonomy_tier=1, reasoning="A newsletter.")


@pytest.mark.parametrize(
    "desk", [{}, PHONE, {"color_scheme": "dark"}], ids=["desktop", "phone", "dark"], indirect=True
)
def test_charts_fit_and_have_their_numbers_as_a_table(silent, desk):
    desk.open("/admin/oversight/?days=7")
    panel = desk.page.get_by_role("region", name="Incoming items").first
    expect(panel.get_by_role("img")).to_have_count(1)
    letters = panel.locator("svg:visible .chart-label").first.bounding_box()
    assert letters["height"] >= 9
    panel.get_by_text("As a table").click()
    expect(panel.get_by_role("columnheader", name="handled silently")).to_be_visible()
    assert not desk.overflows()


def test_a_silent_item_is_judged_by_keyboard(silent, desk):
    page = desk.page
    desk.open("/admin/")
    desk.press("g")
    desk.press("o")
    page.wait_for_url("**/oversight/")
    desk.press("j")
    expect(page.get_by_role("link", name="News of the week")).to_be_focused()
    desk.press("Tab")
    desk.press("Enter")
    expect(page.locator(".sample-said-right")).to_be_visible()
    assert SampleCheck.objects.get().verdict == "right"
