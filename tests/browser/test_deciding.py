"""Deciding in a real browser: the way through the queue, undo from the next page, two people."""

import pytest
from playwright.sync_api import expect

from agents.approval import lifecycle
from agents.models import DecisionMeasure
from agents.operations.presence import note_presence
from inbox.models import Account, Submission
from tests import factories
from tests.agents.admin.desk import propose

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
LONG = "Dear Ada,\n\n" + "\n\n".join(f"This is line {number}." for number in range(60))


@pytest.fixture
def two(inbox, actor):
    """Two letters that wait, the first to expire first."""
    return [
        propose(actor, factories.make_message(inbox, subject=f"Letter {number}").thread)
        for number in (1, 2)
    ]


def open_review(desk, approval):
    desk.open(f"/admin/review/{approval.public_id}/")


def test_what_was_just_approved_is_undone_from_the_next_page(two, desk):
    page = desk.page
    open_review(desk, two[0])
    expect(page.locator("#outlook")).to_contain_text("You can undo for")
    desk.press("Shift+A")
    expect(page.get_by_role("heading", name="Re: Letter 2")).to_be_visible()
    line = page.get_by_role("complementary", name="Your last decision")
    expect(line).to_contain_text("Approved. Re: Letter 1")
    expect(page.locator("#live")).to_contain_text("Approved.")
    desk.press("z")
    expect(page.get_by_role("heading", name="Re: Letter 1")).to_be_visible()
    expect(page.get_by_text("Undone before it was sent. It needs approval again.")).to_be_visible()
    assert sorted(Submission.objects.values_list("state", flat=True)) == [
        "canceled",
        "held",
        "held",
    ]


def test_a_decision_keeps_what_was_on_the_screen_and_for_how_long(inbox, actor, two, desk):
    """Where its end is far below, it was not; where all of it fits, it was."""
    long = propose(actor, factories.make_message(inbox, subject="Letter 3").thread, LONG)
    for approval in (two[0], long):
        open_review(desk, approval)
        # As long as an end has to be on the screen, and some more.
        desk.page.wait_for_timeout(700)
        desk.press("a")
        expect(desk.page.get_by_text("Approved.", exact=True)).to_be_visible()
    short, other = DecisionMeasure.objects.order_by("pk")
    assert (short.end, short.source, other.end, other.source) == ("seen", "seen", "unseen", "seen")
    assert 700 <= short.milliseconds < 20_000


def test_the_page_learns_that_somebody_else_decided_and_keeps_what_was_typed(two, desk, workspace):
    page = desk.page
    mara = factories.make_person_user(workspace, name="mara")
    open_review(desk, two[0])
    desk.press("f")
    desk.press("0")
    page.keyboard.type("Half a thought")
    note_presence(user_id=mara.pk, item=two[0])
    expect(page.get_by_text("mara is looking at this too.")).to_be_visible()
    lifecycle.reject(approval=two[0], by=mara, reason="Not this one.")
    expect(page.get_by_text("mara rejected it: Not this one.")).to_be_visible()
    assert page.get_by_role("button", name="Send back with this feedback").is_disabled()
    assert page.locator("#return_words").input_value() == "Half a thought"


def test_what_was_typed_is_kept_where_a_stale_page_is_refused(two, desk, reviewer):
    page = desk.page
    desk.expected = ("409",)
    page.route("**/state/", lambda route: route.abort())
    desk.expected = ("409", "ERR_FAILED")
    open_review(desk, two[0])
    desk.press("e")
    page.get_by_role("textbox", name="Message", exact=True).fill("Dear Ada,\n\nmy own words.")
    lifecycle.edit_and_approve(
        approval=two[0], by=reviewer, subject="Re: Letter 1", body="Dear Ada,\n\nMara's words.",
        to=["ada@customer.example"], cc=[], bcc=[],
    )  # fmt: skip
    desk.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("Nothing was decided.")
    expect(page.get_by_role("heading", name="What you had written")).to_be_visible()
    assert page.locator(".kept textarea").last.input_value() == "Dear Ada,\n\nmy own words."
    expect(page.locator("#difference ins", has_text="Mara's words")).to_be_visible()


def test_who_leaves_an_edit_that_is_not_sent_is_asked_first(two, desk):
    page, asked, desk.expected = desk.page, [], ("a dialog: ",)
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    open_review(desk, two[0])
    desk.press("e")
    words = page.locator("textarea[name=body]")
    words.fill("Dear Ada, on Thursday.")
    desk.press("Escape")
    desk.press("Escape")
    desk.press("j")
    expect(page.get_by_role("heading", name="Re: Letter 1")).to_be_visible()
    assert set(asked) == {"beforeunload"}
    assert words.input_value() == "Dear Ada, on Thursday."
    asked.clear()
    desk.press("e")
    page.locator(".edit-form button:not([formaction])").first.click()
    expect(page.get_by_text("Approved. Sending in")).to_be_visible()
    assert asked == []


def test_an_edit_shows_what_it_changes_while_it_is_written(two, desk):
    page = desk.page
    open_review(desk, two[0])
    desk.press("e")
    field = page.get_by_role("textbox", name="Message", exact=True)
    expect(field).to_be_focused()
    field.fill("Dear Ada,\n\nyou will have it on Thursday.")
    expect(page.locator("#edit-preview ins", has_text="Thursday")).to_be_visible()
    assert Submission.objects.filter(state="held").count() == 2


@pytest.mark.parametrize("desk", [PHONE], indirect=True, ids=["phone"])
def test_on_a_phone_the_bar_covers_no_end_of_the_text_and_is_big_to_touch(inbox, actor, desk):
    page = desk.page
    approval = propose(actor, factories.make_message(inbox).thread, LONG)
    open_review(desk, approval)
    bar = page.locator(".decide")
    expect(bar.get_by_role("button").first).to_contain_text("Approve")
    page.locator(".sealed-line").first.scroll_into_view_if_needed()
    page.evaluate("document.querySelector('.evidence').scrollIntoView()")
    page.evaluate("scrollBy(0, -window.innerHeight / 3)")
    text = page.locator(".sealed-message").bounding_box()
    assert text["y"] + text["height"] <= bar.bounding_box()["y"] + 1
    for button in bar.locator("button:visible, summary:visible, a.button:visible").all():
        assert button.bounding_box()["height"] >= 44
    assert bar.bounding_box()["height"] <= 72
    assert page.locator(".bench").bounding_box()["y"] <= 150
    assert not desk.overflows()


GERMAN = {"locale": "de-DE", "viewport": {"width": 1280, "height": 800}}
# At most so many rows: fonts differ in width from machine to machine.
BARS = [
    ({}, 2), (PHONE, 2), (GERMAN, 2), ({"viewport": {"width": 1024, "height": 800}}, 2),
    ({**PHONE, "locale": "de-DE"}, 3), ({**GERMAN, "viewport": {"width": 1024, "height": 800}}, 3),
]  # fmt: skip
NAMES = ["desktop", "phone", "german", "narrow", "german phone", "narrow german"]


@pytest.mark.parametrize(("desk", "rows"), BARS, indirect=["desk"], ids=NAMES)
def test_the_actions_of_the_bar_stand_in_even_rows(two, desk, rows):
    open_review(desk, two[0])
    bar = desk.page.locator(".decide")
    shown = bar.locator("button:visible, summary:visible, a.button:visible")
    boxes = [one.bounding_box() for one in shown.all()]
    assert len(boxes) == 6
    tops = sorted({round(box["y"]) for box in boxes})
    assert len(tops) <= rows
    ends = [max(box["x"] + box["width"] for box in boxes if round(box["y"]) == y) for y in tops]
    assert max(ends) - min(ends) <= 2
    assert not desk.overflows()


# -- what a page does by itself, and what it does not --------------------------------------------
def in_a_second(approval):
    Account.objects.update(undo_seconds=1)
    return approval


def test_the_line_about_the_one_before_says_what_became_of_it(two, desk):
    page = desk.page
    open_review(desk, in_a_second(two[0]))
    desk.press("Shift+A")
    line = page.get_by_role("complementary", name="Your last decision")
    expect(line).to_contain_text("Approved. Re: Letter 1")
    Submission.objects.filter(approval=two[0]).update(state="sending")
    expect(line).to_contain_text("rhea approved it, and it is being sent.")
    Submission.objects.filter(approval=two[0]).update(state="failed")
    expect(line).to_contain_text("rhea approved it, but it could not be sent.")


def test_a_page_that_answered_a_form_goes_on_without_sending_it_again(two, desk, workspace):
    page = desk.page
    desk.expected = ("409", "ERR_FAILED")
    page.route("**/state/", lambda route: route.abort())
    open_review(desk, in_a_second(two[0]))
    mara = factories.make_person_user(workspace, name="mara")
    lifecycle.approve(approval=two[0], by=mara, sha256=two[0].sha256)
    desk.press("a")
    expect(page.get_by_role("alert")).to_contain_text("It is already approved")
    page.unroute("**/state/")
    for state in ("sending", "sent"):
        Submission.objects.filter(approval=two[0]).update(state=state)
    page.wait_for_url(f"**/review/{two[0].public_id}/")
    expect(page.get_by_role("heading", name="Sent.")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_the_one_before_can_be_undone_though_somebody_else_decided_this_one(two, desk, workspace):
    page = desk.page
    mara = factories.make_person_user(workspace, name="mara")
    open_review(desk, two[0])
    desk.press("Shift+A")
    expect(page.get_by_role("heading", name="Re: Letter 2")).to_be_visible()
    lifecycle.reject(approval=two[1], by=mara, reason="Not this one.")
    expect(page.get_by_text("mara rejected it: Not this one.")).to_be_visible()
    line = page.get_by_role("complementary", name="Your last decision")
    expect(line.get_by_role("button", name="Undo")).to_be_enabled()


def test_the_second_of_two_quick_presses_does_not_decide_the_next_one(two, desk):
    page = desk.page
    open_review(desk, two[1])
    page.evaluate("sessionStorage.setItem('chancery-decided-last', `a ${Date.now() + 5000}`)")
    desk.press("a")
    assert page.locator("html").get_attribute("aria-busy") is None
    page.wait_for_timeout(350)
    assert Submission.objects.filter(state="held").count() == 2
    desk.press("a")
    expect(page.get_by_role("heading", name="Approved.")).to_be_visible()


def test_under_the_list_of_keys_nothing_is_decided(two, desk):
    page = desk.page
    open_review(desk, two[0])
    desk.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    for key in ("a", "Shift+A", "j", "e"):
        desk.press(key)
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    assert Submission.objects.filter(state="held").count() == 2
    desk.press("Escape")
    desk.press("a")
    expect(page.get_by_role("heading", name="Approved.")).to_be_visible()


def test_escape_held_down_closes_one_thing_and_stays(two, desk):
    page = desk.page
    open_review(desk, two[0])
    desk.press("f")
    expect(page.locator("#return_words")).to_be_visible()
    for _ in range(4):
        page.keyboard.down("Escape")
    page.keyboard.up("Escape")
    expect(page.locator("#return_words")).to_be_hidden()
    assert f"/review/{two[0].public_id}/" in page.url
