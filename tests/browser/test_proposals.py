"""Meetings and files on their way out: an agent proposes over HTTP, a person approves in the browser."""

import email.policy
from email import message_from_bytes
from urllib.parse import urlsplit

import icalendar
import pytest
from playwright.sync_api import expect

from agents.operations.agents import create_agent, known_scopes
from calendar_app.models import Event
from inbox.actor import system_actor
from inbox.background.jobs import run_due
from inbox.models import Inbox, Membership, Role, Submission
from inbox.operations.accounts.accounts import create_account
from inbox.operations.files import create_file
from tests.browser.test_full_path import call
from tests.sending_tools import hurry
from tests.servers import smtp_sink

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

ADA = "ada@customer.example"


@pytest.fixture
def sink():
    with smtp_sink() as (taken, port):
        taken.port = port
        yield taken


@pytest.fixture
def account(workspace, sink):
    return create_account(
        workspace=workspace, address="desk@lantern.example", name="Lantern", provider="imap_smtp",
        settings={"smtp_host": "127.0.0.1", "smtp_port": sink.port, "smtp_security": "none"},
    )  # fmt: skip


@pytest.fixture
def token(workspace, account):
    inboxes = [Inbox.objects.get(account=account)]
    made = create_agent(workspace=workspace, name="Scribe", inboxes=inboxes, scopes=known_scopes())
    return made[1]


def approve_and_send(desk, subject: str) -> bytes:
    """Approve what waits under this subject; return its sealed bytes once they have left."""
    desk.open("/admin/?tab=waiting")
    desk.page.get_by_role("link", name=subject).click()
    desk.page.get_by_role("button", name="Approve", exact=True).click()
    expect(desk.page.get_by_text("Approved. Sending in")).to_be_visible()
    sealed = bytes(Submission.objects.get().mime_bytes)
    hurry()
    run_due()
    expect(desk.page.get_by_role("heading", name="✓ Sent.")).to_be_visible()
    run_due()
    return sealed


def test_a_meeting_is_approved_told_and_then_in_the_calendar(
    account, token, sink, desk, live_server
):
    answer = call(
        live_server.url, token, "calendar_create_event", account_id=account.public_id,
        subject="The tall lamps", start="2099-03-10T10:00:00+01:00", end="2099-03-10T11:00:00+01:00",
        timezone="Europe/Berlin", location="The yard", attendees=[ADA],
    )  # fmt: skip
    assert answer["status"] == "queued"
    assert not Event.objects.exists()
    desk.open(urlsplit(answer["review_url"]).path)
    said = desk.page.get_by_text("Tuesday, 10 March 2099, 10:00 to 11:00 (Europe/Berlin)").first
    expect(said).to_be_visible()
    expect(desk.page.locator(".day-field .block-proposed")).to_be_visible()
    assert not desk.overflows()
    sealed = approve_and_send(desk, "Invitation: The tall lamps")
    [taken] = sink.taken
    assert (taken.content, taken.recipients) == (sealed, [ADA])
    part = next(
        one for one in message_from_bytes(taken.content, policy=email.policy.default).walk()
        if one.get_content_type() == "text/calendar"
    )  # fmt: skip
    [event] = icalendar.Calendar.from_ical(part.get_content()).walk("VEVENT")
    kept = Event.objects.get()
    assert (str(event["UID"]), str(event["SUMMARY"])) == (kept.uid, kept.summary)
    desk.open("/admin/calendar_app/event/")
    expect(desk.page.get_by_role("link", name="The tall lamps")).to_be_visible()


def test_a_file_is_shared_as_it_was_sealed(account, token, sink, desk, live_server):
    person = system_actor(account.workspace_id, "Test")
    file = create_file(
        actor=person, account=account, path="/Offers/lamps.txt", content=b"Two: 240 EUR"
    )
    answer = call(
        live_server.url, token, "file_share", account_id=account.public_id,
        file_id=file.public_id, to=[ADA], message="Here is the offer.",
    )  # fmt: skip
    assert answer["status"] == "queued"
    sealed = approve_and_send(desk, "lamps.txt")
    [taken] = sink.taken
    assert (taken.content, taken.recipients) == (sealed, [ADA])
    read = message_from_bytes(taken.content, policy=email.policy.default)
    [attached] = read.iter_attachments()
    assert attached.get_filename() == "lamps.txt"
    assert attached.get_content().strip() == "Two: 240 EUR"


def test_an_account_is_granted_by_the_code_that_the_agent_shows(
    inbox, account, workspace, desk, live_server
):
    Membership.objects.update(role=Role.OWNER)
    _, token = create_agent(
        workspace=workspace, name="Clerk the second", inboxes=[inbox], scopes=known_scopes()
    )
    asked = call(live_server.url, token, "account_authenticate")
    desk.open("/admin/device/")
    desk.page.get_by_label("Code").fill(asked["device_code"].lower())
    desk.page.get_by_role("button", name="Continue").click()
    expect(desk.page.get_by_role("heading", name="Clerk the second asks")).to_be_visible()
    cache = asked["_flow_cache"]
    pending = call(live_server.url, token, "account_complete_auth", flow_cache=cache)
    assert pending["status"] == "pending"
    desk.page.get_by_label("desk@lantern.example").check()
    desk.page.get_by_role("button", name="Grant access").click()
    expect(desk.page.get_by_text("can now work with desk@lantern.example")).to_be_visible()
    done = call(live_server.url, token, "account_complete_auth", flow_cache=cache)
    assert done["status"] == "success"
    held = call(live_server.url, token, "account_list")
    assert "desk@lantern.example" in {one["username"] for one in held}
