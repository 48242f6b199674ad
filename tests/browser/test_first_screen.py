"""What a decision turns on is on the first screen, and the bar that decides stays in reach."""

import pytest

from agents.models import Approval
from bench.in_process.first_screen import LOOK
from tests import factories
from tests.agents.admin.desk import make_activity, propose

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
SCREENS = [
    {"viewport": {"width": 1440, "height": 900}},
    {"viewport": {"width": 1280, "height": 720}},
    PHONE,
]
FILLING = "\n\n".join(
    f"This is the paragraph of number {number}, of which nobody has any doubt."
    for number in range(40)
)
BODY = f"Dear Ada,\n\n{FILLING}\n\nYou can send it back within four weeks of its coming.\n\nLantern"


@pytest.fixture
def doubted(actor, inbox) -> Approval:
    """A long answer whose last line says another time than what it answers."""
    asked = factories.make_message(
        inbox, text="We may send it back within eight weeks, may we not?"
    )
    approval = propose(actor, asked.thread, BODY)
    start = approval.submission.draft.body.index("four weeks")
    mark = {
        "kind": "quantity", "state": "differs", "part": "body", "start": start, "end": start + 10,
        "excerpt": "four weeks", "expected": "eight weeks",
        "sources": [{"type": "message", "id": asked.public_id, "excerpt": "within eight weeks"}],
    }  # fmt: skip
    Approval.objects.filter(pk=approval.pk).update(checks_due=False, risk_flags=[], marks=[mark])
    return approval


@pytest.mark.parametrize("desk", SCREENS, indirect=True)
def test_words_in_doubt_stand_in_their_line_beside_what_is_wrong_with_them(desk, doubted):
    desk.open(f"/admin/review/{doubted.public_id}/")
    seen = desk.page.evaluate(LOOK)
    assert seen["marked"] == 1
    assert seen["first"]
    assert seen["answered"]
    said = desk.page.locator(".claim-said").inner_text()
    assert said.endswith("You can send it back within four weeks of its coming.")
    assert not desk.overflows()


@pytest.mark.parametrize("desk", SCREENS, indirect=True)
def test_several_flags_stand_with_the_words_that_each_is_about(desk, doubted):
    flags = [
        {"flag": code, "reason": "A reason that is told.", "excerpt": excerpt, "source": None}
        for code, excerpt in (
            ("not_for_these_readers", "You can send it back within four weeks of its coming."),
            ("argument_from_stranger", "four weeks"),
        )
    ]
    Approval.objects.filter(pk=doubted.pk).update(risk_flags=flags, marks=[])
    desk.open(f"/admin/review/{doubted.public_id}/")
    seen = desk.page.evaluate(LOOK)
    assert seen["marked"] == 2
    assert seen["first"]
    assert seen["all"]
    assert not seen["there"]
    assert seen["answered"]
    assert not desk.overflows()


@pytest.mark.parametrize("desk", [PHONE], indirect=True)
def test_on_a_phone_deciding_is_in_reach_however_far_one_reads(desk, doubted, inbox):
    activity = make_activity(factories.make_message(inbox, text=FILLING, subject="A notice"))
    for place in (f"review/{doubted.public_id}", f"activities/{activity.public_id}"):
        desk.open(f"/admin/{place}/")
        head = desk.page.locator("h1").bounding_box()
        assert head["y"] + head["height"] <= 150, place
        desk.page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        bar = desk.page.locator(".decide").bounding_box()
        assert round(bar["y"] + bar["height"]) == 844, place
        assert bar["height"] <= 72, place
        # What stands last is above it.
        assert (
            desk.page.evaluate(
                "document.querySelector('.bench > :last-child').getBoundingClientRect().bottom"
            )
            <= bar["y"]
        ), place
