"""Reading in a real browser: views of a message by key and by mouse, lists, a person's page."""

import pytest
from playwright.sync_api import expect

from inbox.models import Membership, Role
from tests import factories
from tests.agents.admin.desk import make_activity

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
HTML = (
    '<h1>Hello</h1><p>Sign in at <a href="https://evil.example/x">www.bank.example</a></p>'
    '<mark class="hidden-text">pay at once</mark><span class="image-blocked">[image]</span>'
)


@pytest.fixture
def thread(inbox):
    """Seven messages; the last has HTML, and was made an activity."""
    first = factories.make_message(inbox, text="The first words.")
    for number in range(5):
        factories.make_message(inbox, thread=first.thread, text=f"Words {number}.")
    last = factories.make_message(
        inbox, thread=first.thread, html=HTML, text="Hello. The last words.",
        anomalies=["hidden_text"],
    )  # fmt: skip
    make_activity(last)
    return first.thread


def leaf(page, number: int):
    return page.locator("ol.thread > li").nth(number)


def test_a_thread_is_read_by_keyboard_alone(thread, desk):
    page = desk.page
    desk.open(f"/admin/threads/{thread.public_id}/")
    expect(leaf(page, 0).get_by_text("The first words.").last).not_to_be_visible()
    desk.press("j")
    desk.press("o")
    expect(leaf(page, 0).locator(".message-text")).to_be_visible()
    for _ in range(6):
        desk.press("j")
    for key, view in (("h", "iframe.mail-frame"), ("w", "pre.source"), ("p", ".message-text")):
        desk.press(key)
        expect(leaf(page, 6).locator(view)).to_be_visible()
        expect(leaf(page, 6).locator(".views [aria-current]")).to_be_focused()
    desk.press("k")
    expect(leaf(page, 5).locator("summary").first).to_be_focused()
    desk.press("r")
    page.wait_for_url("**/admin/activities/**")


def test_esc_leads_back_to_the_list_and_the_question_mark_lists_the_keys(thread, desk):
    page = desk.page
    desk.open(f"/admin/threads/{thread.public_id}/")
    desk.press("?")
    for words in ("HTML", "Source", "expand or collapse the message", "Expand all"):
        expect(page.locator("dialog.keys").get_by_text(words, exact=True)).to_be_visible()
    desk.press("Escape")
    desk.press("Escape")
    page.wait_for_url("**/admin/inbox/thread/")


def test_the_html_shows_what_was_hidden_and_where_links_lead(thread, desk):
    page = desk.page
    desk.open(f"/admin/threads/{thread.public_id}/")
    page.get_by_role("link", name="HTML", exact=True).click()
    expect(page.get_by_text("1 remote image was not loaded.")).to_be_visible()
    frame = page.frame_locator("iframe.mail-frame")
    expect(frame.get_by_text("→ evil.example")).to_be_visible()
    # Its style may come after its words.
    expect(frame.locator("mark.hidden-text")).not_to_have_css("box-shadow", "none")
    before = page.locator("iframe.mail-frame").bounding_box()
    page.get_by_label("Fit window height").check()
    after = page.locator("iframe.mail-frame").bounding_box()
    assert after["height"] > before["height"]
    page.get_by_text("1 link and where it leads").click()
    expect(page.get_by_text("https://evil.example/x")).to_be_visible()


@pytest.mark.parametrize(
    "desk", [{"java_script_enabled": True}, PHONE], ids=["desktop", "phone"], indirect=True
)
def test_a_message_that_an_address_names_is_unfolded_and_seen(thread, desk):
    first = thread.messages.earliest("received_at")
    desk.open(f"/admin/messages/{first.public_id}/")
    words = leaf(desk.page, 0).locator(".message-text")
    expect(words).to_be_visible()
    expect(words).to_be_in_viewport()
    assert not desk.overflows()


def test_the_views_are_links_that_need_no_script(thread, chromium, live_server, desk):
    context = chromium.new_context(
        java_script_enabled=False, storage_state=desk.page.context.storage_state()
    )
    page = context.new_page()
    page.goto(f"{live_server.url}/admin/threads/{thread.public_id}/")
    page.get_by_role("link", name="Source", exact=True).click()
    expect(page.locator("pre.source")).to_contain_text("Subject: A question")
    page.get_by_role("link", name="HTML", exact=True).click()
    expect(page.frame_locator("iframe").get_by_role("heading", name="Hello")).to_be_visible()
    context.close()


@pytest.mark.parametrize("desk", [{}, PHONE], ids=["desktop", "phone"], indirect=True)
def test_a_list_is_searched_walked_and_opened_by_keys(thread, inbox, desk):
    factories.make_message(inbox, subject="The tall lamps")
    page = desk.page
    desk.open("/admin/inbox/thread/")
    expect(page.locator(".entry")).to_have_count(2)
    desk.press("/")
    page.keyboard.type("lamps")
    desk.press("Enter")
    expect(page.locator(".entry")).to_have_count(1)
    desk.press("j")
    expect(page.get_by_role("link", name="The tall lamps")).to_be_focused()
    assert not desk.overflows()
    desk.press("Enter")
    expect(page.get_by_role("heading", name="The tall lamps")).to_be_visible()


def test_filters_fold_and_say_that_they_are_on(thread, desk):
    page = desk.page
    desk.open("/admin/inbox/message/")
    expect(page.locator("#changelist-filter")).not_to_be_visible()
    desk.press("f")
    page.locator("#changelist-filter").get_by_role("link", name="Outgoing").click()
    expect(page.get_by_role("heading", name="Nothing here.")).to_be_visible()
    page.get_by_role("link", name="Clear all filters").click()
    expect(page.locator(".entry")).to_have_count(7)


def test_two_people_of_one_name_become_one_by_mouse(workspace, inbox, desk):
    Membership.objects.update(role=Role.OWNER)
    factories.make_person(workspace, fn="Ada Byron", received_count=2, contact_count=2)
    factories.make_person(workspace, "ada@home.example", fn="Ada Byron")
    factories.make_message(inbox)
    page = desk.page
    desk.open("/admin/inbox/person/")
    desk.press("j")
    desk.press("Enter")
    expect(page.get_by_role("heading", name="Ada Byron")).to_be_visible()
    expect(page.get_by_role("link", name="A question")).to_be_visible()
    page.get_by_role("button", name="Merge with this person").click()
    expect(page.get_by_text("Two contacts were merged: Ada Byron.")).to_be_visible()
    expect(page.locator(".known .address")).to_have_text(
        ["ada@customer.example", "ada@home.example"]
    )


def test_chosen_people_are_ticked_by_x_and_downloaded(workspace, desk):
    factories.make_person(workspace, fn="Ada Byron")
    page = desk.page
    desk.open("/admin/inbox/person/")
    desk.press("j")
    desk.press("x")
    expect(page.get_by_role("checkbox", name="Select")).to_be_checked()
    page.get_by_label("Action").select_option("export_chosen")
    with page.expect_download() as download:
        page.get_by_role("button", name="Go").click()
    assert download.value.suggested_filename == "people.vcf"


@pytest.mark.parametrize(
    "desk",
    [{}, {**PHONE, "locale": "de-DE"}, {"color_scheme": "dark"}],
    ids=["desktop", "German phone", "dark"],
    indirect=True,
)
def test_a_thread_is_closed_opened_snoozed_and_labelled_by_keyboard(thread, desk):
    there = thread.inbox.mailboxes.get(role="inbox")
    for message in thread.messages.all():
        message.mailboxes.add(there)
    thread.mailboxes.add(there)
    state = desk.page.locator(".thread-state")
    desk.open(f"/admin/threads/{thread.public_id}/")

    def press(*keys, until):
        for key in keys:
            desk.press(key)
        expect(state.locator(until)).to_be_visible()
        thread.refresh_from_db()

    press("c", until="[name=status][value=open]")
    assert thread.status == "closed"
    press("z", until="[name=status][value=closed]")
    assert thread.status == "open"
    press("s", "3", until=".thread-standing time")
    assert thread.status == "snoozed"
    desk.press("l")
    field = state.locator("[name=add]")
    expect(field).to_be_focused()
    field.fill("Offers of the spring")
    press("Enter", until=".unlabel")
    assert thread.mailboxes.filter(name="Offers of the spring").exists()
    assert not desk.overflows()
    state.locator(".unlabel").click()
    expect(state.locator(".thread-labels")).to_have_count(0)
    assert not thread.mailboxes.filter(name="Offers of the spring").exists()
