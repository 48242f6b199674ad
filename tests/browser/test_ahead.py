"""The next item is read ahead: a key shows it at once, and all of the page works there as ever."""

import re

import pytest
from playwright.sync_api import expect

from agents.approval import lifecycle
from agents.models import Approval, ApprovalState
from inbox.models import Activity, Submission
from tests import factories
from tests.agents.admin.desk import make_activity, propose

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def letters(inbox, actor, agent):
    """Three letters that wait, in the order in which the queue has them."""
    return [
        propose(actor, factories.make_message(inbox, subject=f"Letter {number}").thread)
        for number in (1, 2, 3)
    ]


@pytest.fixture
def reading(letters, desk):
    """Return a function that waits until the next item was read, and marks the page that is open."""
    desk.open(f"/admin/review/{letters[0].public_id}/")

    def wait():
        desk.page.evaluate("window.isThis = true")
        desk.page.locator("a[rel=next][data-is-ahead]").wait_for()

    return wait


def shows(desk, subject):
    expect(desk.page.get_by_role("heading", name=f"Re: {subject}", exact=True)).to_be_visible()


def is_same_page(desk):
    return desk.page.evaluate("window.isThis === true")


def test_the_next_item_comes_without_a_page_and_works_as_one(letters, reading, desk):
    page = desk.page
    reading()
    desk.press("j")
    shows(desk, "Letter 2")
    assert is_same_page(desk)
    assert page.title().startswith("Re: Letter 2")
    assert letters[1].public_id in page.url
    # Its presence is told, and what is decided elsewhere closes it.
    desk.press("f")
    desk.press("0")
    expect(page.locator("#return_words")).to_be_focused()
    page.keyboard.type("Half a thought")
    page.keyboard.press("Escape")
    desk.press("e")
    page.get_by_role("textbox", name="Message", exact=True).fill("Dear Ada,\n\nuntil Thursday.")
    expect(page.locator("#edit-preview ins", has_text="Thursday")).to_be_visible()
    lifecycle.reject(approval=letters[1], by=_mara(letters), reason="Not this one.")
    expect(page.get_by_text("mara rejected it: Not this one.")).to_be_visible()
    desk.expected = ("a dialog: ",)
    page.on("dialog", lambda dialog: dialog.accept())
    # The way into the edit was a step of its own.
    page.evaluate("window.history.go(-2)")
    shows(desk, "Letter 1")
    assert not is_same_page(desk)


def _mara(letters):
    return factories.make_person_user(letters[0].workspace, name="mara")


def test_a_decision_shows_the_next_at_once_with_what_was_decided_and_its_undo(
    letters, reading, desk
):
    page = desk.page
    reading()
    desk.press("Shift+A")
    shows(desk, "Letter 2")
    assert is_same_page(desk)
    line = page.get_by_role("complementary", name="Your last decision")
    expect(line).to_contain_text("Approved. Re: Letter 1 sends in")
    expect(page.locator("#live")).to_contain_text("Approved.")
    assert Submission.objects.get(approval=letters[0]).state == "pending"
    reading()
    desk.press("f")
    page.keyboard.press("1")
    shows(desk, "Letter 3")
    assert is_same_page(desk)
    expect(line).to_contain_text("Sent back to Clerk. Re: Letter 2")
    assert Approval.objects.get(pk=letters[1].pk).state == ApprovalState.RETURNED
    page.go_back()
    shows(desk, "Letter 2")
    # The address of that page names what was decided before it.
    desk.press("z")
    shows(desk, "Letter 1")
    expect(page.get_by_text("Undone before it was sent. It needs approval again.")).to_be_visible()
    assert Submission.objects.get(approval=letters[0]).state == "canceled"


def test_what_is_refused_is_shown_by_a_page_of_its_own_and_nothing_is_skipped(
    letters, reading, desk
):
    page, desk.expected = desk.page, ("409", "ERR_FAILED")
    page.route("**/state/", lambda route: route.abort())
    reading()
    lifecycle.reject(approval=letters[0], by=_mara(letters), reason="Not this one.")
    # What was typed goes along, so nobody is asked whether to leave it.
    desk.press("f")
    desk.press("0")
    page.keyboard.type("Ask for Friday")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Nothing was decided.")
    expect(page.get_by_text("Ask for Friday")).to_be_visible()
    assert not is_same_page(desk)
    assert Approval.objects.get(pk=letters[0].pk).state == ApprovalState.REJECTED


def test_where_another_item_came_in_between_it_is_the_one_that_is_shown(letters, reading, desk):
    reading()
    lifecycle.reject(approval=letters[1], by=_mara(letters), reason="Not this one.")
    desk.press("Shift+A")
    shows(desk, "Letter 3")
    assert not is_same_page(desk)
    expect(desk.page.get_by_text("Approved.", exact=True)).to_be_visible()


def test_an_edit_that_is_not_sent_is_not_left_unasked(letters, reading, desk):
    page, asked, desk.expected = desk.page, [], ("a dialog: ",)
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    reading()
    desk.press("e")
    page.locator("textarea[name=body]").fill("Dear Ada, on Thursday.")
    desk.press("Escape")
    desk.press("Escape")
    desk.press("j")
    shows(desk, "Letter 1")
    assert set(asked) == {"beforeunload"}
    assert page.locator("textarea[name=body]").input_value() == "Dear Ada, on Thursday."


def test_what_came_in_is_done_and_the_next_shown_at_once_with_a_way_back(inbox, desk):
    page = desk.page
    notices = [
        make_activity(factories.make_message(inbox, subject=f"Notice {number}"))
        for number in (1, 2, 3)
    ]
    desk.open("/admin/")
    desk.press("j")
    desk.press("Enter")
    expect(page.locator(".decide")).to_be_visible()
    shown = page.url.partition("?")[0]
    page.evaluate("window.isThis = true")
    page.locator("a[rel=next][data-is-ahead]").wait_for()
    desk.press("a")
    page.wait_for_url(lambda url: not url.startswith(shown))
    assert is_same_page(desk)
    assert sorted(one.status for one in Activity.objects.all()).count("processed") == 1
    (done,) = (one for one in notices if one.public_id in shown)
    expect(page.locator(".messagelist")).to_have_text(re.compile(f"Done: {done.title}"))
    page.locator("a[rel=next][data-is-ahead]").wait_for()
    # It was said once: the page after it does not say it again.
    desk.press("j")
    page.wait_for_timeout(100)
    expect(page.locator(".messagelist")).to_have_count(0)
    page.go_back()
    desk.press("k")
    desk.press("a")
    expect(page.locator(".messagelist")).to_contain_text("Done:")
    desk.press("z")
    expect(page.locator(".messagelist")).to_contain_text("Undone.")
    assert sorted(one.status for one in Activity.objects.all()).count("processed") == 1


def test_where_what_was_read_ahead_is_too_old_the_page_itself_says_what_was_done(inbox, desk):
    page = desk.page
    for number in (1, 2, 3):
        make_activity(factories.make_message(inbox, subject=f"Notice {number}"))
    desk.open("/admin/")
    desk.press("j")
    desk.press("Enter")
    expect(page.locator(".decide")).to_be_visible()
    page.evaluate("window.isThis = true")
    page.locator("a[rel=next][data-is-ahead]").wait_for()
    page.evaluate("() => { const now = Date.now; Date.now = () => now() + 300_000; }")
    desk.press("a")
    expect(page.locator(".messagelist")).to_contain_text("Done:")
    assert not is_same_page(desk)
