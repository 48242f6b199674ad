"""The evidence beside a letter: marks that lead to each other, two versions, a drawn day."""

import pytest
from playwright.sync_api import expect

from agents.approval.lifecycle import edit_and_approve, undo
from agents.models import Approval
from tests import factories
from tests.agents.admin.desk import propose

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

SHARED = "the gate of the yard is open from eight until five"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.fixture
def approval(actor, inbox):
    asked = factories.make_message(inbox, text=f"Note: {SHARED}.", at=factories.NOON)
    approval = propose(actor, asked.thread, f"Dear Ada, {SHARED}.")
    flag = {"flag": "forbidden_phrase", "reason": "No.", "excerpt": "open from eight"}
    Approval.objects.update(checks_due=False, risk_flags=[{**flag, "source": asked.public_id}])
    return approval


@pytest.mark.parametrize("desk", [{}, PHONE, {"color_scheme": "dark"}], indirect=True)
def test_the_words_of_a_flag_lead_to_the_letter_and_the_message_and_back(desk, approval):
    desk.open(f"/admin/review/{approval.public_id}/")
    desk.page.locator("#flag-1 > summary").click()
    desk.page.get_by_role("link", name="show it in the message", exact=True).click()
    expect(desk.page.locator("#mark-1")).to_be_in_viewport()
    desk.page.locator("#mark-1").click()
    expect(desk.page.locator("#flag-1")).to_be_in_viewport()
    desk.page.get_by_role("link", name="show it in the message it comes from").click()
    expect(desk.page.locator("#source-1")).to_be_in_viewport()
    desk.page.locator("#source-passage-1").click()
    expect(desk.page.locator("#mark-passage-1")).to_be_in_viewport()
    assert not desk.overflows()


def test_two_versions_are_picked_without_a_script(desk, approval, reviewer):
    edited = edit_and_approve(
        approval=approval, by=reviewer, subject="Re: A question", body="Quite other words.",
        to=[{"email": "ada@customer.example"}], cc=[], bcc=[],
    )  # fmt: skip
    waiting = undo(approval=edited, by=reviewer)
    desk.open(f"/admin/review/{waiting.public_id}/")
    desk.page.locator("details:has(> #versions)").evaluate("one => { one.open = false; }")
    desk.press("d")
    desk.page.locator("#versions select[name=old]").select_option("2")
    desk.page.get_by_role("button", name="Compare").click()
    expect(desk.page.locator("#versions").get_by_text("No differences.")).to_be_visible()
    desk.page.locator("#versions select[name=old]").select_option("1")
    desk.page.get_by_role("button", name="Compare").click()
    expect(desk.page.locator("#versions .compare-inline ins").first).to_be_visible()
