"""Many flags: the letter begins on the first screen whatever is flagged, and nothing is lost."""

import os

import pytest
from playwright.sync_api import expect

from agents.models import Approval
from inbox.flags import FLAGS, as_json, collect, found
from inbox.operations.drafts.writing import create_draft
from tests import factories
from tests.agents.admin.desk import propose

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
SECRET = "the vault opens with seven turns to the left and nine back"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
SCREENS = [
    {"viewport": {"width": 1440, "height": 900}}, {"viewport": {"width": 1280, "height": 720}},
    PHONE, {**PHONE, "color_scheme": "dark", "locale": "de-DE"},
]  # fmt: skip


@pytest.fixture
def crowded(actor, inbox) -> Approval:
    """A letter to 55 new addresses, with text that nobody sees and words from elsewhere."""
    factories.make_message(inbox, sender="bob@partner.example", text=SECRET)
    asked = factories.make_message(inbox, anomalies=["hidden_text"])
    draft = create_draft(
        actor=actor, inbox=inbox, identity=inbox.account.identities.get(), thread=asked.thread,
        to=[f"guest{number}@party.example" for number in range(55)],
        subject="Re: A question", body=f"Dear all,\n\nyou know that {SECRET}.\n\nLantern",
    )  # fmt: skip
    draft.cited.set([asked])
    return propose(actor, asked.thread, draft.public_id)


@pytest.fixture
def flagged_for_all(crowded) -> Approval:
    """The same with every flag there is, each for a long reason."""
    raised = list(every_sentence())
    links = [found("external_link", "host", host=f"h{n}.example") for n in range(300)]
    Approval.objects.update(checks_due=False, risk_flags=as_json(collect([*raised, *links])))
    return crowded


def every_sentence():
    for code, kind in FLAGS.items():
        for reason, sentence in kind.reasons.items():
            names = [part.partition(")")[0] for part in sentence.split("%(")[1:]]
            yield found(code, reason, excerpt="long " * 90, **dict.fromkeys(names, "words " * 40))


def starts_at(desk) -> float:
    """Where the words of the letter's frame begin, below the top of the page."""
    return desk.page.locator("#sealed-message").bounding_box()["y"]


def keep_picture(desk, name):
    if folder := os.environ.get("PICTURES"):
        desk.page.screenshot(path=f"{folder}/{name}.png")


@pytest.mark.parametrize("desk", SCREENS, indirect=True)
def test_the_letter_begins_on_the_first_screen_whatever_is_flagged(desk, flagged_for_all):
    """Forty cards pushed it to 3,881 pixels, and `a` approved it unseen."""
    desk.open(f"/admin/review/{flagged_for_all.public_id}/")
    width = desk.page.viewport_size["width"]
    keep_picture(
        desk,
        f"all-{width}-{desk.page.viewport_size['height']}-{desk.page.evaluate('document.documentElement.lang')}",
    )
    bar = desk.page.locator(".decide").bounding_box()["y"]
    assert starts_at(desk) + 60 < min(bar, desk.page.viewport_size["height"])
    assert not desk.overflows()


@pytest.mark.parametrize("desk", SCREENS[1:3], indirect=True)
def test_55_new_recipients_hide_no_other_flag(desk, crowded):
    desk.open(f"/admin/review/{crowded.public_id}/")
    keep_picture(desk, f"crowd-{desk.page.viewport_size['width']}")
    for title in ("Hidden text", "Words from another thread", "New recipient"):
        expect(desk.page.locator(".flags").get_by_text(title)).to_be_visible()
    assert starts_at(desk) + 60 < desk.page.locator(".decide").bounding_box()["y"]
    addresses = desk.page.locator("#sealed-message .recipient")
    expect(addresses).to_have_count(55)
    assert sum(one.is_visible() for one in addresses.all()) == 5
    desk.page.locator("#sealed-message .recipients-rest > summary").click()
    assert all(one.is_visible() for one in addresses.all())
    flag = desk.page.locator(".flag", has_text="New recipient")
    flag.locator("summary").click()
    keep_picture(desk, f"crowd-open-{desk.page.viewport_size['width']}")
    expect(flag.locator("li")).to_have_count(55)
    flag.get_by_role("link", name="show it in the message", exact=True).last.click()
    expect(desk.page.locator("#mark-3-55")).to_be_in_viewport()


# The lowest contrast of letters on what is behind them that everybody can read (WCAG 2.2, 1.4.3).
READABLE = 4.5
CONTRAST = """async element => {
    // Colours fade into one another, and are judged when they have.
    await Promise.all(document.getAnimations().map(one => one.finished));
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
    const grounds = [];
    for (let one = element; one; one = one.parentElement) grounds.unshift(getComputedStyle(one));
    const shine = () => {
        const parts = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map(part => {
            const share = part / 255;
            return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
    };
    const paint = colour => { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); };
    grounds.forEach(style => paint(style.backgroundColor));
    const below = shine();
    canvas.globalAlpha = grounds.reduce((all, style) => all * Number(style.opacity), 1);
    paint(grounds.at(-1).color);
    const [dim, bright] = [below, shine()].sort((one, other) => one - other);
    return (bright + 0.05) / (dim + 0.05);
}"""


@pytest.mark.parametrize("desk", [{"color_scheme": "dark"}, {}], indirect=True)
def test_how_many_there_are_and_how_many_were_read_can_be_read_light_and_dark(
    desk, crowded, inbox, actor
):
    desk.open(f"/admin/review/{crowded.public_id}/")
    count = desk.page.locator(".flag-count").first
    expect(count).to_have_text("55")
    assert count.evaluate(CONTRAST) >= READABLE
    factories.make_person(inbox.workspace, sent_count=2)
    lines = "\n\n".join(f"Line {line}." for line in range(60))
    plain = propose(actor, factories.make_message(inbox).thread, f"Dear Ada,\n\n{lines}")
    Approval.objects.filter(pk=plain.pk).update(checks_due=False, risk_flags=[])
    desk.open(f"/admin/queue/batch/?item={plain.public_id}")
    approves = desk.page.locator("[data-approves]")
    expect(approves).to_be_disabled()
    assert approves.evaluate(CONTRAST) >= READABLE
