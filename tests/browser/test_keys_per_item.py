"""Twenty items decided by the keyboard alone, from the queue on; the keys that were sent are counted."""

import re
from collections import Counter

import pytest
from playwright.sync_api import expect

from agents.models import Approval
from inbox.models import Activity, ActivityStatus
from tests import factories
from tests.agents.admin.desk import BODY, make_activity, propose

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

ITEMS = 20
MOST_KEYS_AN_ITEM = 3
COUNT = """
sessionStorage.keys ??= "0";
addEventListener("keydown", () => { sessionStorage.keys = String(Number(sessionStorage.keys) + 1); }, true);
"""
# What is pressed at a letter, in turn, and what the approval then is.
AT_LETTERS = (
    ("y", "approved"), ("r 1", "rejected"), ("Shift+A", "approved"), ("f 2", "returned"),
    ("y", "approved"), ("r 3", "rejected"), ("y", "approved"),
)  # fmt: skip


@pytest.fixture
def full_desk(inbox, actor):
    """Fourteen letters, of which some are flagged, and six activities."""
    for number in range(14):
        asked = factories.make_message(
            inbox, subject=f"Letter {number}", sender=f"p{number}@customer.example"
        )
        propose(actor, asked.thread, f"{BODY} {number}")
    for approval in Approval.objects.order_by("pk")[:10]:
        Approval.objects.filter(pk=approval.pk).update(checks_due=False, risk_flags=[])
    flag = {"flag": "new_recipient", "reason": "Never written to.", "excerpt": "", "source": None}
    flagged = Approval.objects.order_by("-pk").values_list("pk", flat=True)[:4]
    Approval.objects.filter(pk__in=list(flagged)).update(checks_due=False, risk_flags=[flag])
    for number in range(6):
        message = factories.make_message(
            inbox, subject=f"Notice {number}", sender=f"n{number}@other.example"
        )
        make_activity(message)


def test_twenty_items_take_at_most_three_keys_each(full_desk, desk):
    page = desk.page
    page.add_init_script(COUNT)
    desk.open("/admin/")
    pressed = 0

    def press(keys: str) -> None:
        nonlocal pressed
        for key in keys.split():
            desk.press(key)
            # Shift is a key of its own.
            pressed += 2 if "+" in key else 1

    press("j Enter")
    expect(page.locator(".decide")).to_be_visible()
    wanted: dict[str, str] = {}
    for number in range(ITEMS):
        here = page.url
        found = re.search(r"/(review|activities)/(\w+)/", here)
        assert found, f"item {number}: {here}"
        kind, public_id = found.groups()
        assert public_id not in wanted
        keys, state = (
            AT_LETTERS[number % len(AT_LETTERS)] if kind == "review" else ("r", "archived")
        )
        wanted[public_id] = state
        press(keys)
        page.wait_for_url(lambda url, here=here: url != here)
        # Within a blink the same key again is the second half of a double press.
        page.wait_for_timeout(300)
    decided = {one.public_id: one.state for one in Approval.objects.all()}
    decided |= {one.public_id: str(ActivityStatus(one.status)) for one in Activity.objects.all()}
    assert {key: decided[key] for key in wanted} == wanted
    assert Counter(wanted.values()).keys() >= {"approved", "rejected", "returned"}
    counted = int(page.evaluate("sessionStorage.keys"))
    assert counted == pressed
    assert counted <= MOST_KEYS_AN_ITEM * ITEMS
