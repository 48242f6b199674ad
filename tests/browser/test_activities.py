"""Activities in a real browser: decided by keyboard, undone, corrected, a draft asked for."""

import pytest
from playwright.sync_api import expect

from agents.models import AgentMessage
from inbox.models import Activity, Correction
from tests import factories
from tests.agents.admin.desk import make_activity
from tests.factories import activities_from_messages, make_message
from tests.inbox.operations.activities.test_corrections import ASKS, PROVEN

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


@pytest.fixture
def there(inbox, agent) -> list[Activity]:
    keys = [
        make_message(inbox, text=ASKS, subject=f"Question {n}", at=factories.NOON, **PROVEN).pk
        for n in range(3)
    ]
    return activities_from_messages(keys)


def status(activity: Activity) -> str:
    return Activity.objects.get(pk=activity.pk).status


def place(activity: Activity) -> str:
    return f"/admin/activities/{activity.public_id}/"


def test_items_are_decided_one_key_each_and_the_last_is_taken_back(there, desk):
    desk.open(place(there[0]))
    page = desk.page
    for key, title in (("a", "Question 1"), ("r", "Question 2")):
        desk.press(key)
        expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()
    assert [status(one) for one in there] == ["processed", "archived", "needs_review"]
    desk.press("z")
    expect(page.get_by_text("Undone.")).to_be_visible()
    expect(page.get_by_role("heading", name="Question 1", level=1)).to_be_visible()
    assert status(there[1]) == "needs_review"


def test_one_goes_through_the_queue_and_back(there, desk):
    desk.open(place(there[0]))
    page = desk.page
    desk.press("j")
    expect(page.get_by_role("heading", name="Question 1", level=1)).to_be_visible()
    desk.press("k")
    expect(page.get_by_role("heading", name="Question 0", level=1)).to_be_visible()
    desk.press("Escape")
    page.wait_for_url(f"{desk.url}/admin/")


def test_a_draft_is_asked_for_by_three_keys(there, desk):
    desk.open(place(there[0]))
    page = desk.page
    desk.press("w")
    desk.press("1")
    desk.press("Enter")
    expect(page.get_by_text("It has not read your request yet.")).to_be_visible()
    assert "Agree to what they ask" in AgentMessage.objects.get().text


def test_it_is_put_off_by_two_keys(there, desk):
    desk.open(place(there[0]))
    page = desk.page
    desk.press("s")
    desk.press("3")
    expect(page.get_by_text("Snoozed: Question 0")).to_be_visible()
    assert Activity.objects.get(pk=there[0].pk).snoozed_until is not None


def test_the_rules_are_corrected_by_keyboard_and_it_is_seen(there, desk, inbox):
    desk.open(place(there[0]))
    page = desk.page
    desk.press("c")
    expect(page.get_by_text("3 open now").first).to_be_visible()
    for key in ("4", "s", "o", "Enter"):
        desk.press(key)
    expect(page.get_by_text("3 open items were reclassified")).to_be_visible()
    assert [status(one) for one in there] == ["archived"] * 3
    [later] = activities_from_messages([make_message(inbox, text=ASKS, **PROVEN).pk])
    desk.open(place(later))
    expect(page.locator("#why > .notice-good")).to_contain_text("Because of a correction by rhea")
    page.locator("#why").get_by_role("link", name="sender ada@customer.example").click()
    expect(page.get_by_role("button", name="Revoke")).to_be_visible()
    desk.press("r")
    expect(page.get_by_text("Revoked. Later mail is classified as before.")).to_be_visible()
    assert Correction.objects.get().revoked_at is not None


def test_the_words_that_decided_are_marked_and_lead_there(there, desk):
    desk.open(place(there[0]))
    page = desk.page
    # The question is marked; what the rules saw in it, once it is asked for.
    words = page.locator("mark.mark-sign.mark-telling").first
    colour = "one => getComputedStyle(one).backgroundColor"
    before = words.evaluate(colour)
    bar = page.locator(".activity-actions")
    assert bar.evaluate("one => one.scrollWidth <= one.clientWidth + 1")
    desk.press("v")
    expect(page.get_by_role("checkbox", name="Highlight in the message")).to_be_checked()
    assert words.evaluate(colour) != before
    desk.press("v")
    assert words.evaluate(colour) == before
    page.locator("#why .sign-decided a.ref").first.click()
    expect(page.locator(".message-text a.ref:target")).to_be_visible()


@pytest.mark.parametrize("desk", [PHONE], ids=["phone"], indirect=True)
def test_by_touch_on_a_phone(there, desk):
    desk.open(place(there[0]))
    page = desk.page
    page.get_by_role("button", name="Done").tap()
    expect(page.get_by_role("heading", name="Question 1", level=1)).to_be_visible()
    page.get_by_role("button", name="Undo").tap()
    expect(page.get_by_text("Undone.")).to_be_visible()
    page.get_by_role("link", name="Reclassify").tap()
    expect(page.get_by_role("heading", name="Reclassify")).to_be_visible()
    for address in (place(there[1]), f"{place(there[1])}reclassify/", "/admin/corrections/"):
        desk.open(address)
        assert not desk.overflows(), address


def test_hostile_words_stay_words(inbox, desk):
    hostile = '<script>alert(1)</script>"><img src=x onerror=alert(2)> by Friday please'
    message = make_message(inbox, subject=hostile, text=hostile, sender_name=hostile)
    made = make_activity(message, suggested_actions=[hostile], reasoning=hostile)
    page = desk.page
    desk.open(place(made))
    desk.press("r")
    expect(page.get_by_text("Dismissed: <script>alert(1)</script>")).to_be_visible()
    desk.open(f"{place(made)}reclassify/")
    assert page.locator("img").count() == 0
