"""A person opens, closes, snoozes and labels a thread on its page, and takes it back."""

import pytest
from django.test import Client
from django.utils import timezone

from agents.models import Receipt
from inbox.models import Thread
from tests import factories
from tests.agents.admin.activities.test_actions import undo_form
from tests.agents.admin.desk import make_activity

pytestmark = pytest.mark.django_db


@pytest.fixture
def thread(message):
    there = message.inbox.mailboxes.get(role="inbox")
    message.mailboxes.add(there)
    message.thread.mailboxes.add(there)
    return message.thread


@pytest.fixture
def browser(reviewer) -> Client:
    client = Client()
    client.force_login(reviewer)
    return client


def place(thread, action=""):
    return f"/admin/threads/{thread.public_id}/{action}"


@pytest.fixture
def do(browser, thread):
    """Post a form of the page; return the page that follows."""

    def do(action, **fields):
        page = browser.post(place(thread, f"{action}/"), fields, follow=True)
        assert page.redirect_chain[-1][0] == place(thread)
        thread.refresh_from_db()
        return page.content.decode()

    return do


def test_a_thread_is_closed_and_opened_again_by_undo(do, browser, thread, message):
    # A person decides: what waits for them may be put away.
    make_activity(message, status="surfaced")
    page = do("status", status="closed")
    assert thread.status == "closed"
    assert "Reopen" in page
    url, fields = undo_form(page)
    browser.post(url, fields)
    thread.refresh_from_db()
    assert thread.status == "open"
    assert Receipt.objects.filter(tool="thread_update", outcome="ok").count() == 2


def test_a_thread_is_snoozed_and_undo_of_closing_it_snoozes_it_again(do, browser, thread):
    page = do("status", status="snoozed", until="tomorrow")
    until = thread.snoozed_until
    assert thread.status == "snoozed"
    assert until > timezone.now()
    assert "until" in page
    url, fields = undo_form(do("status", status="closed"))
    assert (thread.status, thread.snoozed_until) == ("closed", None)
    browser.post(url, fields)
    thread.refresh_from_db()
    assert (thread.status, thread.snoozed_until) == ("snoozed", until)


@pytest.mark.parametrize("fields", [{"status": "gone"}, {"status": "snoozed", "until": "never"}, {"status": "snoozed"}, {}])  # fmt: skip
def test_what_cannot_be_is_said_on_the_page(do, thread, fields):
    assert "It cannot be snoozed until then." in do("status", **fields)
    assert thread.status == "open"


def test_a_label_is_put_on_and_taken_off(do, browser, thread):
    page = do("labels", add=" Offers ")
    assert 'name="remove" value="Offers"' in page
    url, fields = undo_form(page)
    assert 'value="Offers"></option>' in page
    browser.post(url, fields)
    assert [box.name for box in thread.mailboxes.all()] == ["Inbox"]
    do("labels", add="<b>Käthe</b>")
    page = do("labels", remove="<b>Käthe</b>")
    assert "<b>Käthe" not in page
    assert [box.name for box in thread.mailboxes.all()] == ["Inbox"]


def test_a_folder_is_refused_as_a_label_on_the_page(do, thread):
    assert "That name is used by a folder or cannot be a label" in do("labels", add="inbox")
    assert thread.mailboxes.count() == 1


def test_who_only_reads_sees_no_control_and_may_do_nothing(thread, workspace):
    thread.mailboxes.create(workspace=workspace, inbox=thread.inbox, name="Offers")
    reader = Client()
    reader.force_login(factories.make_person_user(workspace, name="rita", role="viewer"))
    page = reader.get(place(thread)).content.decode()
    assert "Offers" in page
    assert place(thread, "status/") not in page
    for action in ("status", "labels"):
        assert reader.post(place(thread, f"{action}/"), {"status": "closed"}).status_code == 403
    assert Thread.objects.get().status == "open"


def test_a_thread_of_another_workspace_does_not_exist(browser):
    other = factories.make_message(factories.make_inbox(factories.make_workspace("other"), "o@other.example"))  # fmt: skip
    for action in ("status", "labels"):
        answer = browser.post(place(other.thread, f"{action}/"), {"status": "closed"})
        assert answer.status_code == 404


def test_nothing_is_done_by_get(browser, thread):
    for action in ("status", "labels"):
        assert browser.get(place(thread, f"{action}/")).status_code == 405
