"""The command palette: what a page does, and where one can go, by its name."""

import pytest
from playwright.sync_api import expect

from tests import factories
from tests.agents.admin.desk import propose
from tests.browser.crawling import find_barriers

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

PHONE = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}


@pytest.mark.parametrize("desk", [{}, PHONE], indirect=True, ids=["wide", "phone and dark"])
def test_a_command_or_a_page_is_found_by_its_name_and_done_by_enter(inbox, actor, desk):
    page = desk.page
    approval = propose(actor, factories.make_message(inbox, subject="Offer").thread)
    desk.open(f"/admin/review/{approval.public_id}/")
    palette, field = (
        page.get_by_role("dialog", name="Command palette"),
        page.get_by_role("combobox"),
    )
    desk.press("Control+k")
    expect(field).to_be_focused()
    expect(palette.get_by_role("option", name="Approve and open the next")).to_be_visible()
    page.keyboard.type("send back")
    expect(palette.get_by_role("option", selected=True)).to_contain_text("Send back with feedback")
    # What is found stands before the searches for it.
    assert "Search the queue" in palette.get_by_role("option").nth(1).inner_text()
    assert find_barriers(page) == []
    assert not desk.overflows()
    page.keyboard.press("Enter")
    expect(palette).to_be_hidden()
    expect(page.get_by_text("What should Clerk change?")).to_be_visible()
    page.keyboard.press("Escape")
    desk.press("Control+k")
    page.keyboard.type("offer & <b>")
    page.keyboard.press("ArrowDown")
    expect(palette.get_by_role("option", selected=True)).to_have_text(
        "Search threads for “offer & <b>”"
    )
    page.keyboard.press("Enter")
    page.wait_for_url("**/admin/inbox/thread/?q=offer%20%26%20%3Cb%3E")
    # A key of the page under it is not pressed, and Escape gives the page back.
    desk.press("Control+k")
    page.keyboard.type("people")
    page.keyboard.press("Escape")
    expect(palette).to_be_hidden()
    desk.press("Control+k")
    palette.get_by_role("option", name="go to People").click()
    page.wait_for_url("**/admin/inbox/person/")
