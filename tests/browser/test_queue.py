"""The queue in a real browser: by keyboard, by mouse, on a phone, and while it is open."""

import re

import pytest
from playwright.sync_api import expect

from agents.models import Approval, SavedFilter
from inbox.models import Activity
from tests import factories
from tests.agents.admin.desk import make_activity, make_desk, propose
from tests.browser.crawling import find_barriers

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


@pytest.fixture
def made(inbox, actor):
    factories.make_person(inbox.workspace, sent_count=2)
    desk = make_desk(inbox, actor)
    for number in range(3):
        thread = factories.make_message(inbox, subject=f"Letter {number}").thread
        propose(actor, thread, f"Dear Ada,\n\nthis is letter {number}.\n\nBest regards")
    Approval.objects.update(checks_due=False, risk_flags=[])
    return desk


def read_all(page):
    """Stay at the end of each item for a moment, as a reader does."""
    for box in page.locator("[data-read]").all():
        box.evaluate("box => box.scrollIntoView({block: 'center'})")
        expect(box).to_be_checked()


def focused(page):
    return page.evaluate("document.activeElement.closest('[data-item]')?.id")


def test_one_goes_through_it_by_keyboard_and_comes_back_to_the_same_row(made, desk):
    page = desk.page
    desk.open("/admin/")
    for key in ("j", "j", "k", "j"):
        desk.press(key)
    left = focused(page)
    assert left == page.locator("[data-item]").nth(1).get_attribute("id")
    desk.press("Enter")
    page.wait_for_url("**/admin/review/**")
    page.locator("[data-key=Escape]").first.click()
    expect(page.locator(f"#{left} [data-item-link]")).to_be_focused()


def test_numbers_go_to_the_tabs_and_the_slash_searches(made, desk):
    page = desk.page
    desk.open("/admin/")
    desk.press("3")
    expect(page.locator(".tabs [aria-current]")).to_contain_text("Surfaced")
    desk.press("1")
    expect(page.locator(".tabs [aria-current]")).to_contain_text("Needs you")
    desk.press("/")
    page.keyboard.type("letter 2")
    desk.press("Enter")
    expect(page.locator("[data-item]")).to_have_count(1)
    assert page.url.endswith("/admin/?q=letter+2")
    desk.press("Escape")
    expect(page.locator("[data-item]")).to_have_count(6)


def test_letters_are_ticked_and_approved_together_by_keyboard(made, desk):
    page = desk.page
    desk.open("/admin/?tab=waiting")
    expect(page.get_by_role("button", name="Review together")).to_be_hidden()
    for key in ("j", "x", "j", "j", "Shift+X"):
        desk.press(key)
    expect(page.locator("[data-picked]")).to_have_text("3")
    desk.press("b")
    expect(page.get_by_role("heading", name="3 items together")).to_be_visible()
    expect(page.get_by_text("this is letter 0.")).to_be_visible()
    expect(page.get_by_text("this is letter 1.")).to_be_visible()
    desk.press("j")
    desk.press("x")
    read_all(page)
    expect(page.get_by_role("button", name="Approve 2 of 2 read")).to_be_enabled()
    desk.press("Shift+B")
    expect(page.get_by_text("2 items done.")).to_be_visible()
    assert Approval.objects.filter(state="approved").count() == 2
    desk.press("Escape")
    expect(page.locator("[data-item]")).to_have_count(2)
    expect(page.locator(".just")).to_contain_text("2 approved together.")
    desk.press("z")
    expect(page.get_by_text("It needs approval again.")).to_have_count(2)
    assert Approval.objects.filter(state="waiting").count() == 4


def test_what_was_never_on_the_screen_is_not_approved_with_the_rest(inbox, actor, desk):
    factories.make_person(inbox.workspace, sent_count=2)
    for number in range(25):
        thread = factories.make_message(inbox, subject=f"Letter {number}").thread
        lines = "\n\n".join(f"Line {line} of letter {number}." for line in range(60))
        propose(actor, thread, f"Dear Ada,\n\n{lines}\n\nBest regards")
    Approval.objects.update(checks_due=False, risk_flags=[])
    page = desk.page
    desk.open("/admin/?tab=waiting")
    for key in ("*", "a", "b"):
        desk.press(key)
    expect(page.get_by_role("heading", name="25 items together")).to_be_visible()
    approving = page.locator("[data-approves]")
    expect(approving).to_have_text(re.compile("Approve 0 of 25 read"))
    for key in ("Shift+A", "Shift+B", "a", "Enter"):
        desk.press(key)
    page.wait_for_timeout(600)
    assert not Approval.objects.exclude(state="waiting").exists()
    # Only the end of the last is on the screen; of the rest nothing was.
    desk.press("End")
    expect(approving).to_have_text(re.compile("Approve 0 of 25 read|Approve 1 of 25 read"))
    page.locator("[data-read]").nth(3).scroll_into_view_if_needed()
    page.evaluate("document.querySelectorAll('[data-read]')[3].scrollIntoView({block: 'center'})")
    expect(page.locator("[data-read]").nth(3)).to_be_checked()
    # What flies past was not read.
    page.evaluate(
        "document.querySelectorAll('[data-read]').forEach((box) => box.scrollIntoView({block: 'center'}))"
    )
    page.wait_for_timeout(700)
    assert page.locator("[data-read]:checked").count() <= 3
    read = page.locator("[data-read]:checked").count()
    desk.press("Shift+B")
    expect(page.locator(".just")).to_contain_text(f"{read} approved")
    assert Approval.objects.filter(state="approved").count() == read
    desk.press("z")
    expect(page.get_by_text("It needs approval again.")).to_have_count(read)
    assert not Approval.objects.filter(state="approved").exists()


def test_a_key_of_its_own_says_of_the_item_with_the_focus_that_it_was_read(inbox, actor, desk):
    factories.make_person(inbox.workspace, sent_count=2)
    for number in range(3):
        thread = factories.make_message(inbox, subject=f"Letter {number}").thread
        lines = "\n\n".join(f"Line {line} of letter {number}." for line in range(60))
        propose(actor, thread, f"Dear Ada,\n\n{lines}\n\nBest regards")
    Approval.objects.update(checks_due=False, risk_flags=[])
    page = desk.page
    desk.open("/admin/?tab=waiting")
    for key in ("*", "a", "b"):
        desk.press(key)
    expect(page.get_by_role("heading", name="3 items together")).to_be_visible()
    boxes = page.locator("[data-read]")
    # Where none has the focus the key is for none.
    desk.press("y")
    expect(page.locator("[data-read]:checked")).to_have_count(0)
    for key in ("j", "j", "y"):
        desk.press(key)
    expect(boxes.nth(1)).to_be_checked()
    expect(page.locator("[data-read]:checked")).to_have_count(1)
    desk.press("Shift+B")
    expect(page.get_by_text("2 have not been read to the end yet:")).to_be_visible()
    page.locator(".batch-unread a").first.click()
    assert focused(page) == page.locator("[data-item]").first.get_attribute("id")
    assert Approval.objects.filter(state="approved").count() == 1


def test_the_mail_that_a_letter_answers_stands_beside_it_and_below_it_on_a_phone(made, desk):
    page = desk.page
    desk.open(f"/admin/queue/batch/?item={made['approval'].public_id}")
    letter, mail = (
        page.locator(".sealed-message").bounding_box(),
        page.locator(".batch-answered").bounding_box(),
    )
    assert mail["x"] >= letter["x"] + letter["width"]
    page.set_viewport_size(PHONE["viewport"])
    letter, mail = (
        page.locator(".sealed-message").bounding_box(),
        page.locator(".batch-answered").bounding_box(),
    )
    assert mail["y"] >= letter["y"] + letter["height"]
    box = page.locator("[data-read]").bounding_box()
    assert box["y"] >= mail["y"] + mail["height"]
    assert not desk.overflows()


def test_an_item_is_looked_at_and_decided_from_the_list(made, desk):
    page, dialog = desk.page, desk.page.locator("[data-peek-dialog]")
    desk.open("/admin/?tab=waiting")
    # Where no row has the focus the space bar scrolls, as ever.
    desk.press("Space")
    expect(dialog).to_be_hidden()
    desk.press("j")
    first = focused(page)
    desk.press("Space")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_role("heading", level=2)).to_have_text("Re: A question")
    expect(dialog.locator(".batch-answered")).to_be_visible()
    for key in ("j", "j"):
        desk.press(key)
        page.wait_for_timeout(200)
    expect(dialog.get_by_role("heading", level=2)).to_have_text("Re: Letter 1")
    desk.press("Space")
    expect(dialog).to_be_hidden()
    assert focused(page) == page.locator("[data-item]").nth(2).get_attribute("id") != first
    desk.press("Space")
    expect(dialog.get_by_role("button", name="Approve")).to_be_enabled()
    desk.press("a")
    expect(page.locator(".just")).to_contain_text("Re: Letter 1")
    expect(page.locator("[data-item]")).to_have_count(3)
    assert focused(page) == page.locator("[data-item]").nth(2).get_attribute("id")
    desk.press("z")
    page.wait_for_url("**/review/**")
    assert not Approval.objects.filter(state="approved").exists()


def test_a_reason_and_a_time_are_chosen_by_digits_in_the_look(made, desk):
    page, dialog = desk.page, desk.page.locator("[data-peek-dialog]")
    desk.open("/admin/?tab=waiting")
    for key in ("j", "Space"):
        desk.press(key)
    expect(dialog).to_be_visible()
    # What is folded is pressed by no key.
    desk.press("1")
    page.wait_for_timeout(300)
    assert not Approval.objects.filter(state="rejected").exists()
    for key in ("r", "2"):
        desk.press(key)
    expect(page.locator(".just")).to_contain_text("Rejected.")
    assert Approval.objects.get(state="rejected").note == "I will take care of it myself."
    desk.press("Space")
    expect(dialog.get_by_text("Snooze")).to_be_visible()
    for key in ("s", "1"):
        desk.press(key)
    expect(page.locator(".just")).to_contain_text("Snoozed")
    assert Approval.objects.exclude(snoozed_until=None).count() == 1


def test_nothing_is_approved_from_the_list_before_its_end_was_on_the_screen(inbox, actor, desk):
    factories.make_person(inbox.workspace, sent_count=2)
    lines = "\n\n".join(f"Line {line}." for line in range(80))
    propose(actor, factories.make_message(inbox).thread, f"Dear Ada,\n\n{lines}")
    Approval.objects.update(checks_due=False, risk_flags=[])
    page, dialog = desk.page, desk.page.locator("[data-peek-dialog]")
    desk.open("/admin/?tab=waiting")
    for key in ("j", "Space"):
        desk.press(key)
    expect(dialog.get_by_text("Read it to the end first.")).to_be_visible()
    page.wait_for_timeout(700)
    desk.press("a")
    page.wait_for_timeout(300)
    assert Approval.objects.get().state == "waiting"
    desk.press("End")
    expect(dialog.get_by_role("button", name="Approve")).to_be_enabled()
    desk.press("a")
    expect(page.locator(".just")).to_contain_text("Approved")
    assert Approval.objects.get().state == "approved"


@pytest.mark.parametrize(
    "desk", [{}, PHONE, {"color_scheme": "dark"}], ids=["desktop", "phone", "dark"], indirect=True
)
def test_the_look_and_the_batch_have_no_barriers(made, desk, inbox, actor):
    message = factories.make_message(inbox, subject="One matter", anomalies=["hidden_text"])
    make_activity(message, urgency="high")
    propose(actor, message.thread)
    page = desk.page
    desk.open("/admin/")
    assert not desk.overflows()
    assert find_barriers(page) == []
    page.locator("[data-peek]").first.evaluate("button => button.click()")
    expect(page.locator("[data-peek-dialog]")).to_be_visible()
    assert find_barriers(page) == []
    assert not desk.overflows()
    names = "&".join(f"item={one.public_id}" for one in Approval.objects.all())
    desk.open(f"/admin/queue/batch/?{names}")
    assert find_barriers(page) == []
    assert not desk.overflows()


def test_an_end_under_the_bar_of_buttons_was_not_read(inbox, actor, desk):
    factories.make_person(inbox.workspace, sent_count=2)
    lines = "\n\n".join(f"Line {line}." for line in range(60))
    letter = propose(actor, factories.make_message(inbox).thread, f"Dear Ada,\n\n{lines}")
    Approval.objects.update(checks_due=False, risk_flags=[])
    page = desk.page
    desk.open(f"/admin/queue/batch/?item={letter.public_id}")
    box = page.locator("[data-read]")
    bar = page.locator(".batch-actions").bounding_box()
    box.evaluate("(box, y) => window.scrollBy(0, box.getBoundingClientRect().top - y)", bar["y"])
    page.wait_for_timeout(700)
    assert page.locator(".batch-actions").bounding_box()["y"] <= box.bounding_box()["y"] + 20
    expect(box).not_to_be_checked()
    expect(page.locator("[data-approves]")).to_be_disabled()
    page.mouse.wheel(0, 400)
    expect(box).to_be_checked()
    # What one unticks stays so.
    box.uncheck()
    page.mouse.wheel(0, -900)
    page.mouse.wheel(0, 900)
    page.wait_for_timeout(700)
    expect(box).not_to_be_checked()


def test_a_flagged_one_is_not_approved_with_the_others(made, desk):
    flag = {"flag": "external_link", "reason": "It links.", "excerpt": "", "source": None}
    Approval.objects.filter(pk=made["approval"].pk).update(checks_due=False, risk_flags=[flag])
    page = desk.page
    desk.open("/admin/?tab=waiting")
    desk.press("*")
    desk.press("a")
    page.get_by_role("button", name="Review together").click()
    expect(
        page.get_by_text("1 was left out. Open it on its own page to see why and decide.")
    ).to_be_visible()
    read_all(page)
    page.locator("[data-item]:not(.batch-flagged) [data-select]").first.uncheck()
    expect(page.get_by_role("button", name="Approve 2 of 2 read")).to_be_visible()
    page.locator("[data-item]:not(.batch-flagged) [data-select]").first.check()
    page.get_by_role("button", name="Approve 3 of 3 read").click()
    expect(page.get_by_text("3 items done.")).to_be_visible()
    expect(page.get_by_text("Left out; decide it on its own page: it is flagged.")).to_be_visible()
    made["approval"].refresh_from_db()
    assert made["approval"].state == "waiting"


def test_what_is_ticked_is_unticked_by_escape_before_a_filter_is_cleared(made, desk):
    page = desk.page
    desk.open("/admin/?kind=approval")
    for key in ("j", "x", "Escape"):
        desk.press(key)
    expect(page.get_by_role("button", name="Review together")).to_be_hidden()
    assert page.url.endswith("?kind=approval")
    desk.press("Escape")
    page.wait_for_url("**/admin/")


def test_a_filter_is_chosen_saved_used_and_removed_by_mouse(made, desk):
    page = desk.page
    desk.open("/admin/")
    page.get_by_text("Filter", exact=False).first.click()
    page.get_by_label("Kind").select_option("activity")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("[data-item]")).to_have_count(2)
    page.get_by_text("Save this filter").click()
    page.get_by_role("textbox", name="Name").fill("Incoming items")
    page.get_by_role("button", name="Save").click()
    desk.open("/admin/?tab=done")
    page.get_by_role("link", name="Incoming items").click()
    expect(page.locator("[data-item]")).to_have_count(2)
    page.get_by_role("button", name="Remove the filter Incoming items").click()
    expect(page.get_by_role("link", name="Incoming items")).to_have_count(0)
    assert not SavedFilter.objects.exists()


def test_what_is_new_is_announced_and_no_row_moves(made, desk, inbox):
    page = desk.page
    page.add_init_script(
        "const wait = window.setTimeout; window.setTimeout = (f, ms) => wait(f, ms > 5000 ? 200 : ms);"
    )
    desk.open("/admin/")
    first = page.locator("[data-item]").first.get_attribute("id")
    desk.press("j")
    make_activity(factories.make_message(inbox, subject="Burning"), urgency="high")
    expect(page.get_by_role("status").get_by_role("link", name="1 new: show")).to_be_visible()
    assert page.locator("[data-item]").first.get_attribute("id") == first == focused(page)
    page.get_by_role("link", name="1 new: show").click()
    expect(page.locator("[data-item]").first).to_contain_text("Burning")


def test_a_batch_is_put_off_until_the_readers_morning(made, desk):
    page = desk.page
    desk.open("/admin/?tab=surfaced")
    desk.press("*")
    desk.press("a")
    desk.press("b")
    page.get_by_text("Snooze all").click()
    page.get_by_role("button", name="In three hours").click()
    expect(page.get_by_text("2 items done.")).to_be_visible()
    assert Activity.objects.exclude(snoozed_until=None).count() == 2
    desk.open("/admin/?tab=surfaced")
    expect(page.get_by_text("Nothing needs attention.")).to_be_visible()
    assert {cookie["name"] for cookie in page.context.cookies()} >= {"tz"}


@pytest.mark.parametrize(
    "desk", [PHONE, {"color_scheme": "dark"}], ids=["phone", "dark"], indirect=True
)
def test_no_page_of_the_queue_scrolls_sideways(made, desk, inbox):
    long = "W" * 3000
    message = factories.make_message(
        inbox, subject=long, sender_name=long, anomalies=["hidden_text", "misleading_link"]
    )
    one = make_activity(message, reasoning=long, option_framing=long, urgency="high")
    letter = made["approval"].public_id
    for place in (
        "", "?tab=done", "?q=nothing+at+all", f"?q={long[:100]}&flag=any&kind=activity",
        f"queue/batch/?item={one.public_id}&item={letter}",
    ):  # fmt: skip
        desk.open(f"/admin/{place}")
        assert not desk.overflows(), place


@pytest.mark.parametrize("desk", [PHONE], ids=["phone"], indirect=True)
def test_rows_are_ticked_by_touch_and_take_three_lines_at_most(made, desk):
    page = desk.page
    desk.open("/admin/")
    row = page.locator("[data-item]").first
    box = row.locator(".row-tick").bounding_box()
    assert min(box["width"], box["height"]) >= 44
    assert row.bounding_box()["height"] < 96
    row.locator(".row-tick").tap()
    expect(page.get_by_role("button", name="Review together")).to_be_in_viewport()
    page.get_by_role("button", name="Review together").tap()
    expect(page.get_by_role("heading", name="1 item together")).to_be_visible()
