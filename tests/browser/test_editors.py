"""The editors of policies, taxonomies and schemas in a real browser."""

import pytest
from playwright.sync_api import expect

from inbox.models import ExtractionSchema, Membership, ReplyPolicy, Role, Taxonomy
from inbox.operations.activities.understanding import ensure_defaults, save_version
from tests import factories

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

PHONE = {"viewport": {"width": 390, "height": 844}}


@pytest.fixture
def policy(workspace, inbox, reviewer):
    Membership.objects.update(role=Role.OWNER)
    factories.make_message(inbox, direction="outbound", text="It is guaranteed to arrive.")
    return save_version(ReplyPolicy, workspace=workspace, name="House", content="tone: formal\n")


def place(policy):
    return f"/admin/inbox/replypolicy/{policy.pk}/change/"


def test_a_policy_is_tried_while_it_is_written_and_then_saved(policy, desk):
    page = desk.page
    desk.open(place(policy))
    field = page.get_by_role("textbox", name="YAML")
    field.fill("tone: shrill\n")
    expect(page.locator("[data-state]")).to_contain_text("Line 1 tone:")
    field.fill("tone: formal\nforbidden_phrases:\n  - {phrase: guaranteed, block: true}\n")
    expect(page.get_by_text("Valid.")).to_be_visible()
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_text("Would have stopped 1 of one message")).to_be_visible()
    expect(page.locator("mark", has_text="guaranteed")).to_be_visible()
    assert ReplyPolicy.objects.get().version == 1
    page.get_by_role("button", name="Save as a new version").click()
    expect(page.get_by_text("Saved House as version 2.")).to_be_visible()
    assert ReplyPolicy.objects.get().version == 2


def test_the_keyboard_indents_and_always_leaves_the_field(policy, desk):
    page = desk.page
    desk.open(place(policy))
    field = page.get_by_role("textbox", name="YAML")
    field.fill("")
    page.keyboard.type("approval:")
    desk.press("Enter")
    desk.press("Tab")
    page.keyboard.type("required_when: always")
    expect(field).to_have_value("approval:\n  required_when: always")
    desk.press("Escape")
    expect(field).not_to_be_focused()
    desk.press("t")
    expect(page.get_by_text("Nothing was saved or changed.")).to_be_visible()


@pytest.mark.parametrize(
    "desk", [PHONE, {"color_scheme": "dark"}], ids=["phone", "dark"], indirect=True
)
def test_no_editor_scrolls_sideways(policy, desk, workspace):
    ensure_defaults(workspace)
    for row in (policy, Taxonomy.objects.first(), ExtractionSchema.objects.first()):
        model, key = row._meta.model_name, row.pk
        desk.open(f"/admin/inbox/{model}/")
        assert not desk.overflows(), model
        desk.open(f"/admin/inbox/{model}/{key}/change/")
        desk.page.get_by_role("button", name="Try it").click()
        expect(desk.page.locator(".trial")).to_be_visible()
        assert not desk.overflows(), model
        desk.open(f"/admin/inbox/{model}/{key}/versions/")
        assert not desk.overflows(), model
