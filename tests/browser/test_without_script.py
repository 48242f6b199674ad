"""The same by forms alone, in a browser that runs no script."""

import pytest
from playwright.sync_api import expect

from agents.models import Approval
from inbox.models import Activity, Submission
from tests import factories
from tests.agents.admin.desk import BODY, make_activity, propose

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
NO_SCRIPT = pytest.mark.parametrize(
    "desk", [{"java_script_enabled": False}], indirect=True, ids=["no script"]
)


@pytest.fixture
def letters(inbox, actor):
    factories.make_person(inbox.workspace, sent_count=2)
    threads = [factories.make_message(inbox, subject=f"Letter {it}").thread for it in range(4)]
    # Each says something else: what is the same is decided on its own page.
    found = [propose(actor, one, f"{BODY} ({one.subject})") for one in threads]
    Approval.objects.update(checks_due=False, risk_flags=[])
    return found


def states():
    return sorted(Submission.objects.values_list("state", flat=True))


@NO_SCRIPT
def test_letters_are_edited_approved_undone_sent_back_and_put_off(letters, desk):
    page = desk.page
    desk.open("/admin/?tab=waiting")
    page.get_by_role("link", name="Re: Letter 0").click()
    page.locator(".edit > summary").click()
    page.locator(".message-input").fill("Dear Ada,\n\nyou have it on Thursday.")
    page.get_by_role("button", name="Show what I changed").click()
    expect(page.locator("#edit-preview ins", has_text="Thursday")).to_be_visible()
    page.get_by_role("button", name="Approve this version").click()
    expect(page.get_by_role("heading", name="Approved.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone before it was sent.")).to_be_visible()
    page.get_by_role("button", name="Approve and open the next").click()
    expect(page.get_by_role("complementary", name="Your last decision")).to_contain_text(
        "Approved."
    )
    page.locator("summary", has_text="Send back").click()
    page.get_by_role("button", name="Shorter").click()
    page.locator("summary", has_text="Snooze").click()
    page.get_by_role("button", name="In three hours").click()
    page.locator("summary", has_text="Reject").click()
    page.get_by_label("Or in your words").last.fill("Not to them.")
    page.get_by_role("button", name="Reject with this reason").click()
    expect(page.locator(".just")).to_contain_text("Rejected.")
    assert states() == ["canceled", "canceled", "held", "pending", "rejected", "voided"]
    assert Approval.objects.filter(state="waiting", snoozed_until=None).count() == 0


@NO_SCRIPT
def test_what_is_ticked_is_reviewed_and_decided_together(letters, inbox, desk):
    make_activity(factories.make_message(inbox, subject="A notice"))
    # What is refused is answered so.
    desk.expected = ("400 (Bad Request)",)
    page = desk.page
    desk.open("/admin/")
    for box in page.locator("[data-select]").all():
        box.check()
    page.get_by_role("button", name="Review together").click()
    expect(page.get_by_role("heading", name="5 items together")).to_be_visible()
    page.get_by_role("button", name="Approve selected and read").click()
    expect(page.get_by_text("Select what you have read to the end")).to_be_visible()
    for box in page.get_by_role("checkbox", name="Read to the end").all()[:3]:
        box.check()
    page.get_by_role("button", name="Approve selected and read").click()
    expect(page.get_by_text("3 items done.")).to_be_visible()
    page.get_by_role("button", name="Undo all 3").click()
    expect(page.get_by_text("3 items done.")).to_be_visible()
    page.get_by_role("link", name="Queue", exact=False).first.click()
    for box in page.locator("[data-select]").all():
        box.check()
    page.get_by_role("button", name="Review together").click()
    for box in page.get_by_role("checkbox", name="Read to the end").all():
        box.check()
    page.get_by_role("button", name="Approve selected and read").click()
    expect(page.get_by_text("4 items done.")).to_be_visible()
    page.get_by_role("button", name="Dismiss the incoming item").click()
    expect(page.get_by_text("1 item done.")).to_be_visible()
    assert states() == ["canceled"] * 3 + ["pending"] * 4
    assert Activity.objects.get().status == "archived"
