"""A planted item in a real browser: looks like any other, and says what was wrong once decided."""

import pytest
from playwright.sync_api import expect

from agents.models import PlantedItem, PlantingSetting
from inbox.models import Membership, Role
from tests.agents.admin.desk import propose
from tests.agents.planted.making import make_letter, plant_item

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
PHONE = {"viewport": {"width": 390, "height": 844}}
EVERYWHERE = pytest.mark.parametrize(
    "desk", [{}, PHONE, {"color_scheme": "dark"}], ids=["desktop", "phone", "dark"], indirect=True
)


@EVERYWHERE
def test_rejecting_it_is_answered_with_what_was_wrong(desk, actor, inbox):
    propose(actor, make_letter(inbox, number=1).thread)
    approval = plant_item(actor, inbox, "another_weekday")
    page = desk.page
    desk.open(f"/admin/review/{approval.public_id}/")
    expect(page.get_by_text("planted")).to_have_count(0)
    desk.press("r")
    page.locator("#reject_words").fill("The day is wrong.")
    page.get_by_role("button", name="Reject").last.click()
    expect(page.get_by_text("Caught: that one was planted.", exact=True)).to_be_visible()
    page.get_by_role("link", name="See what was wrong").click()
    expect(page.get_by_text("A weekday that is not that date's")).to_be_visible()
    assert not desk.overflows()
    assert PlantedItem.objects.get().verdict == "caught"


@EVERYWHERE
def test_an_owner_turns_it_on(desk, actor, inbox):
    Membership.objects.update(role=Role.OWNER)
    page = desk.page
    desk.open("/admin/oversight/")
    page.get_by_role("link", name="Planted items").click()
    page.get_by_label("Mix planted items into the queue").check()
    page.get_by_label("At most a day").fill("2")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Planted items are on.")).to_be_visible()
    assert not desk.overflows()
    assert PlantingSetting.objects.get().most_a_day == 2
