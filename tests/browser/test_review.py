"""The review in a real browser: by mouse, by keyboard, on a phone, and with hostile mail."""

import re
from types import SimpleNamespace

import pytest
from playwright.sync_api import expect

from inbox.models import Membership, Role, Submission
from tests import factories
from tests.agents.admin.desk import make_activity, make_desk, propose

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

PHONE = {"viewport": {"width": 390, "height": 844}}
HOSTILE = (
    '<script>alert(1)</script><img src="https://evil.example/p.png" onerror="alert(2)">'
    '<svg onload=alert(3)></svg><a href="javascript:alert(4)">x</a><style>*{display:none}</style>'
    '<div style="position:fixed;inset:0;background:url(https://evil.example/b.png)">Over it all</div>'
    '<form action="https://evil.example/"><input name=a autofocus></form>'
    '<iframe src="https://evil.example/"></iframe><meta http-equiv=refresh content="0;url=https://evil.example/">'
    '<base href="https://evil.example/"><link rel=stylesheet href="https://evil.example/s.css"><p>Plain words.</p>'
)


@pytest.fixture
def made(inbox, actor):
    return make_desk(inbox, actor)


def test_a_letter_is_approved_and_undone_by_mouse(made, desk):
    page = desk.page
    desk.open("/admin/")
    page.get_by_role("link", name="Re: A question").click()
    expect(page.get_by_role("heading", name="Re: A question")).to_be_visible()
    page.get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_text("Approved. Sending in")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone before it was sent.")).to_be_visible()
    expect(page.get_by_role("button", name="Approve", exact=True)).to_be_visible()
    assert sorted(Submission.objects.values_list("state", flat=True)) == ["canceled", "held"]


def test_a_letter_is_sent_back_by_keyboard_alone(made, desk):
    page = desk.page
    desk.open("/admin/")
    desk.press("j")
    desk.press("Enter")
    page.wait_for_url("**/review/**")
    desk.press("f")
    expect(page.get_by_role("button", name="Shorter", exact=True)).to_be_focused()
    desk.press("0")
    page.keyboard.type("Please be brief.")
    desk.press("Enter")
    page.wait_for_url("**before=**")
    expect(page.get_by_role("complementary", name="Your last decision")).to_contain_text(
        "Please be brief."
    )
    assert Submission.objects.get().state == "canceled"


def test_after_approving_the_next_one_is_one_key_away(made, desk, inbox, actor):
    propose(actor, factories.make_message(inbox, subject="Another thing").thread)
    page = desk.page
    desk.open("/admin/")
    page.get_by_role("link", name="Re: A question").click()
    page.get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_role("link", name="Next: Re: Another thing")).to_be_focused()
    desk.press("Enter")
    expect(page.get_by_role("heading", name="Re: Another thing")).to_be_visible()


def test_a_letter_is_edited_and_approved(made, desk):
    page = desk.page
    desk.open("/admin/")
    page.get_by_role("link", name="Re: A question").click()
    page.locator(".decide").get_by_role("link", name="Edit").click()
    expect(page.locator("#sealed-message")).to_be_hidden()
    page.get_by_role("textbox", name="Message", exact=True).fill(
        "Dear Ada,\n\nyou will have it on Thursday."
    )
    page.get_by_role("button", name="Approve this version").click()
    expect(page.get_by_text("Approved. Sending in")).to_be_visible()
    expect(page.locator("#versions ins", has_text="Thursday").first).to_be_visible()
    assert sorted(Submission.objects.values_list("state", flat=True)) == ["pending", "voided"]


def test_a_page_that_went_stale_says_what_changed(made, desk, inbox):
    page = desk.page
    desk.open("/admin/")
    desk.expected = ("409", "ERR_FAILED")
    # As if the page had not asked how it stands since it was opened.
    page.route("**/state/", lambda route: route.abort())
    page.get_by_role("link", name="Re: A question").click()
    factories.make_message(inbox, thread=made["asked"].thread, at=made["asked"].created_at)
    page.get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing was decided.")
    assert Submission.objects.get().state == "voided"


def test_the_page_learns_by_itself_that_the_letter_has_left(made, desk, inbox):
    type(inbox.account).objects.update(undo_seconds=1)
    page = desk.page
    desk.open("/admin/")
    page.get_by_role("link", name="Re: A question").click()
    page.get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_text("Sending in")).to_be_visible()
    Submission.objects.update(state="sending")
    Submission.objects.update(state="sent", outcome="250 taken")
    expect(page.get_by_role("heading", name="✓ Sent.")).to_be_visible()


def test_an_activity_is_moved(made, desk):
    page = desk.page
    desk.open("/admin/")
    page.get_by_role("link", name="Surfaced 2").click()
    page.get_by_role("link", name="About surfaced").click()
    page.get_by_role("button", name="Dismiss").click()
    expect(page.get_by_text("Dismissed: About surfaced")).to_be_visible()


@pytest.mark.parametrize(
    "desk", [PHONE, {"color_scheme": "dark"}], ids=["phone", "dark"], indirect=True
)
def test_no_page_scrolls_sideways_or_complains(made, desk, inbox, agent):
    Membership.objects.update(role=Role.OWNER)
    long = "W" * 3000
    message = factories.make_message(
        inbox, subject=long, sender_name=long, sender=f"{'a' * 60}@{'b' * 60}.example",
        text=f"{long}\n{long}", html="<p>x</p>", anomalies=["hidden_text"],
    )  # fmt: skip
    activity = make_activity(message, reasoning=long, option_framing=long)
    for place in (
        "", f"review/{made['approval'].public_id}/", f"activities/{activity.public_id}/",
        f"threads/{message.thread.public_id}/", "all/", "inbox/thread/", "inbox/person/", "agents/receipt/",
        f"agents/agent/{agent.pk}/change/", "agents/agent/add/", "inbox/account/add/", "inbox/replypolicy/add/",
        "members/", "password_change/", "agents/receipt/1/change/",
    ):  # fmt: skip
        desk.open(f"/admin/{place}")
        assert not desk.overflows(), place


def test_hostile_html_is_harmless_and_stays_in_its_frame(inbox, actor, desk):
    # Stored as no sanitiser would leave it: the edge must hold by itself.
    message = factories.make_message(inbox, html=HOSTILE, subject=HOSTILE, sender_name=HOSTILE)
    make_activity(message)
    page = desk.page
    desk.open("/admin/")
    expect(page.locator(".row-what")).to_contain_text("<script>alert(1)</script>")
    desk.open(f"/admin/threads/{message.thread.public_id}/")
    before = page.locator("header.top").bounding_box()
    page.get_by_role("link", name="HTML").click()
    frame = page.frame_locator("iframe")
    expect(frame.get_by_text("Plain words.")).to_be_visible()
    expect(frame.locator(".image-blocked").first).to_be_visible()
    assert page.locator("header.top").bounding_box() == before
    assert frame.locator("script, form, iframe, [style], [onerror]").count() == 0


def test_the_frame_has_our_style_and_no_script_even_if_the_cleaning_failed(
    inbox, desk, monkeypatch
):
    message = factories.make_message(inbox, html="<p>x</p>")
    sheet = '<p>Plain words.</p><script>document.body.textContent = "run"</script>'
    monkeypatch.setattr(
        "inbox.admin.messages.views.sanitise", lambda html: SimpleNamespace(html=sheet)
    )
    desk.expected = ("sandboxed", "Content Security Policy", "CSP violation")
    desk.open(f"/admin/threads/{message.thread.public_id}/")
    desk.page.get_by_role("link", name="HTML").click()
    frame = desk.page.frame_locator("iframe")
    expect(frame.get_by_text("Plain words.")).to_be_visible()
    # The sheet may come after the words.
    expect(frame.locator("body")).to_have_css("padding-top", "16px")


@pytest.mark.parametrize("desk", [PHONE], indirect=True, ids=["phone"])
def test_a_list_is_searched_and_read_on_a_phone(made, desk):
    desk.open("/admin/inbox/thread/")
    button = desk.page.get_by_role("button", name="Search").bounding_box()
    field = desk.page.locator("#searchbar").bounding_box()
    assert button["height"] < 60
    assert field["width"] > 200
    assert not desk.overflows()


def test_a_time_names_the_zone_it_is_read_in(made, desk):
    desk.open("/admin/")
    desk.page.get_by_role("link", name="Re: A question").click()
    expect(desk.page.locator(".facts time").first).to_have_text(
        re.compile(r"\d\d:\d\d.* \S*(UTC|GMT|[A-Z]{3})")
    )
