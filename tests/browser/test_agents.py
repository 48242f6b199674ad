"""An agent's page, its brake and the receipts in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from agents.models import Agent, Approval
from inbox.models import Membership, Role
from tests import factories
from tests.agents.admin.desk import make_desk, propose

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

PHONE = {"viewport": {"width": 390, "height": 844}}


@pytest.fixture
def made(inbox, actor):
    return make_desk(inbox, actor)


def test_an_agent_is_paused_and_let_act_again_by_one_key_each(made, desk, agent):
    page = desk.page
    desk.open(f"/admin/agents/agent/{agent.pk}/change/")
    desk.press("p")
    expect(page.get_by_text("It is paused.")).to_be_visible()
    desk.press("z")
    expect(page.get_by_text("It can act within its scopes.")).to_be_visible()
    assert Agent.objects.get().status == "active"


def test_all_that_an_agent_proposed_is_stopped_by_keyboard(made, desk, agent, actor, inbox):
    propose(actor, factories.make_message(inbox, subject="Another thing").thread)
    page = desk.page
    desk.open(f"/admin/agents/agent/{agent.pk}/change/")
    desk.press("Shift+S")
    expect(page.get_by_role("heading", name="Stop everything Clerk proposed?")).to_be_visible()
    expect(page.get_by_role("link", name="Re: Another thing")).to_be_visible()
    desk.press("Escape")
    expect(page.get_by_role("heading", name="Clerk")).to_be_visible()
    assert Approval.objects.filter(state="waiting").count() == 2
    desk.press("Shift+S")
    page.wait_for_url("**/stop/")
    desk.press("Shift+S")
    expect(page.get_by_text("Clerk is stopped: 2 proposals rejected.")).to_be_visible()
    assert not Approval.objects.filter(state="waiting").exists()


def test_receipts_are_walked_by_keyboard(made, desk):
    page = desk.page
    desk.open("/admin/agents/receipt/")
    desk.press("j")
    desk.press("Enter")
    expect(page.get_by_role("heading", name="Position in the chain")).to_be_visible()
    expect(page.get_by_text("holds", exact=True)).to_be_visible()
    desk.press("Escape")
    page.wait_for_url(re.compile("/admin/agents/receipt/$"))
    desk.press("/")
    page.keyboard.type("send_reply")
    desk.press("Enter")
    expect(page.locator(".receipt-line")).to_have_count(1)


@pytest.mark.parametrize(
    "desk", [PHONE, {"color_scheme": "dark"}], ids=["phone", "dark"], indirect=True
)
def test_no_page_of_agents_scrolls_sideways(made, desk, agent):
    Membership.objects.update(role=Role.OWNER)
    Agent.objects.update(description="W" * 2000)
    receipt = made["approval"].receipt_id
    for place in (
        f"agent/{agent.pk}/change/", f"agent/{agent.pk}/stop/", f"agent/{agent.pk}/settings/",
        "agent/", "agent/add/", "receipt/", f"receipt/{receipt}/change/", "webhookendpoint/",
        "webhookendpoint/add/", "memory/", "schedule/", "contextentry/", "agentmessage/",
    ):  # fmt: skip
        desk.open(f"/admin/agents/{place}")
        assert not desk.overflows(), place
