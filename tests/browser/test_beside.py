"""The message beside what it answers: what is on the first screen, and what a key away."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from agents.dispatching.dispatch import call
from agents.models import Approval
from calendar_app.models import Calendar, Event
from tests import factories
from tests.agents.admin.desk import propose

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

WIDE = {"viewport": {"width": 1440, "height": 900}}
LAPTOP = {"viewport": {"width": 1280, "height": 720}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
SIDES = (("x", "width"), ("y", "height"))
ASKED = "The invoice INV-2041 is over 348 EUR. Could you pay it by Friday?\n\nAda Byron"
HOUR = timedelta(hours=1)
WRONG = "Dear Ada,\n\nwe pay 384 EUR for INV-2041.\n\nLantern"
SWIPE = """([from, to]) => {
  const bench = document.querySelector(".bench");
  const at = (x) => [new Touch({ identifier: 1, target: bench, clientX: x, clientY: 400 })];
  bench.dispatchEvent(new TouchEvent("touchstart", { touches: at(from), changedTouches: at(from) }));
  bench.dispatchEvent(new TouchEvent("touchend", { touches: [], changedTouches: at(to) }));
}"""
screens = pytest.mark.parametrize("desk", [WIDE, LAPTOP], indirect=True, ids=["wide", "laptop"])
phone = pytest.mark.parametrize("desk", [PHONE], indirect=True, ids=["phone"])


@pytest.fixture
def approval(inbox, actor) -> Approval:
    """An answer with a wrong amount, in a thread that had begun before."""
    thread = factories.make_message(inbox, text="A word before.\n\nAda").thread
    factories.make_message(inbox, thread=thread, text=ASKED)
    return propose(actor, thread, WRONG)


def open_review(desk, approval: Approval) -> None:
    desk.open(f"/admin/review/{approval.public_id}/")
    desk.page.wait_for_load_state("load")


def is_seen(desk, words) -> bool:
    """Whether all of an element is on the screen, and not behind the bar."""
    box, bar = words.bounding_box(), desk.page.locator(".decide").bounding_box()
    ends, bar_ends = ({at: one[at] + one[size] for at, size in SIDES} for one in (box, bar))
    is_behind = all(box[at] < bar_ends[at] and bar[at] < ends[at] for at, _ in SIDES)
    return box["y"] >= 0 and ends["y"] <= desk.page.viewport_size["height"] and not is_behind


@screens
def test_an_answer_and_what_it_answers_are_on_the_first_screen(approval, desk):
    open_review(desk, approval)
    assert is_seen(desk, desk.page.locator(".sealed-message .mark-claim"))
    assert is_seen(desk, desk.page.locator("#thread .mark-claim"))
    assert desk.page.locator("#thread .message").first.inner_text().count("348 EUR") == 1
    expect(desk.page.get_by_text("1 more message in the thread")).to_be_visible()
    assert not desk.overflows()


@phone
def test_on_a_phone_two_lines_of_it_stand_above_and_a_key_or_a_swipe_leads_there(approval, desk):
    page = desk.page
    open_review(desk, approval)
    peek, bench = page.locator(".source-peek"), page.locator(".bench")
    expect(peek).to_contain_text("The invoice INV-2041 is over 348 EUR.")
    assert bench.bounding_box()["y"] <= 150
    assert is_seen(desk, page.locator(".sealed-message .mark-claim"))
    desk.press("o")
    expect(page.locator("#thread")).to_be_focused()
    assert is_seen(desk, page.locator("#thread .mark-claim"))
    desk.press("o")
    expect(peek).to_be_focused()
    assert page.evaluate("scrollY") == 0
    page.evaluate(SWIPE, [300, 120])
    expect(page.locator("#thread")).to_be_focused()
    assert not desk.overflows()


@screens
def test_a_key_goes_from_mark_to_mark_and_shows_what_each_rests_on(approval, desk):
    page = desk.page
    open_review(desk, approval)
    wrong = page.locator(".sealed-message .mark-claim")
    for _ in range(6):
        desk.press("m")
        if "is-shown" in wrong.get_attribute("class"):
            break
    expect(wrong).to_be_focused()
    expect(page.locator("#thread .mark-claim.is-shown")).to_have_text("348 EUR")
    expect(page.locator("[data-mark-tip]")).to_contain_text("instead of 348 EUR")


@screens
def test_what_a_button_opens_moves_no_button(approval, desk):
    open_review(desk, approval)
    shown = desk.page.locator(
        ".decide-row > form > button, .decide-row summary, .decide-row a.button"
    )
    before = [one.bounding_box() for one in shown.all()]
    assert len(before) == 6
    for key in ("f", "r", "s"):
        desk.press(key)
        expect(desk.page.locator(".decide details[open]")).to_have_count(1)
        assert [one.bounding_box() for one in shown.all()] == before
        desk.press("Escape")
        expect(desk.page.locator(".decide details[open]")).to_have_count(0)


def test_an_edit_stands_in_the_place_of_the_message(approval, desk):
    page = desk.page
    open_review(desk, approval)
    place = page.locator("#sealed-message").bounding_box()
    desk.press("e")
    expect(page.locator("#sealed-message")).to_be_hidden()
    begins = page.locator("#edit").bounding_box()["y"] + page.evaluate("scrollY")
    assert begins == pytest.approx(place["y"], abs=2)
    expect(page.locator("#thread .message").first).to_be_visible()
    desk.press("Escape")
    expect(page.locator("#sealed-message")).to_be_visible()


@screens
def test_a_new_message_stands_beside_the_last_letters_with_whom_it_goes_to(inbox, actor, desk):
    factories.make_message(inbox, text=ASKED)
    given = {
        "account_id": inbox.account.public_id, "to": "ada@customer.example", "confirm": True,
        "subject": "A word of ours", "body": "Dear Ada,\n\nwe moved.\n\nLantern",
    }  # fmt: skip
    open_review(desk, call("email_send", given, actor).approval)
    letters = desk.page.locator(".correspondence")
    expect(letters).to_contain_text("Could you pay it by Friday?")
    assert is_seen(desk, letters.locator(".letter-text").first)


def test_why_it_waits_is_one_line_until_it_is_opened(approval, desk):
    open_review(desk, approval)
    line = desk.page.locator(".why-it-waits")
    assert line.bounding_box()["height"] <= 32
    line.locator("summary").click()
    expect(line.get_by_text("what the call was and why it was held")).to_be_visible()


@pytest.mark.parametrize("desk", [WIDE], indirect=True, ids=["wide"])
def test_the_day_that_a_message_names_is_beside_it(inbox, actor, desk):
    thread = factories.make_message(inbox, text=ASKED).thread
    noon = timezone.now().replace(hour=12, minute=0, second=0, microsecond=0) + timedelta(days=9)
    calendar = Calendar.objects.create(
        workspace=inbox.workspace, account=inbox.account, name="Main", is_default=True
    )
    Event.objects.create(
        workspace=inbox.workspace, calendar=calendar, uid="a", summary="The stand-up",
        dtstart=noon, dtend=noon + HOUR, last_end=noon + HOUR, status="confirmed",
    )  # fmt: skip
    open_review(
        desk, propose(actor, thread, f"Dear Ada,\n\nsee you on {noon:%d %B %Y}.\n\nLantern")
    )
    day = desk.page.locator(".named-day")
    expect(day).to_contain_text(f"{noon:%A}")
    expect(day).to_contain_text("The stand-up")
    assert day.bounding_box()["x"] > desk.page.locator("#thread").bounding_box()["x"] + 100
