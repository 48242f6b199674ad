"""What the tests of calendars share: calls, approvals that leave at once, and mail that comes back."""

import email
import itertools
from email import policy as mail_policy
from pathlib import Path

import icalendar
import pytest
from django.conf import settings

from agents.approval import lifecycle
from agents.dispatching.dispatch import call
from agents.models import Approval
from inbox.background import jobs
from inbox.models import Message, Submission
from inbox.operations.mail.incoming import receive_message
from tests.sending_tools import hurry

ADA = "ada@customer.example"
BO = "bo@customer.example"
_numbers = itertools.count(1)


class Desk:
    """An account with a calendar, the agent at it, and the person who approves."""

    def __init__(self, inbox, actor, reviewer):
        self.inbox, self.actor, self.reviewer = inbox, actor, reviewer
        self.account_id = inbox.account.public_id

    def ask(self, tool, **arguments):
        return call(tool, {"account_id": self.account_id, **arguments}, self.actor).result

    def create(self, **changes):
        wanted = {
            "subject": "The lamps", "start": "2026-03-10T10:00:00+01:00",
            "end": "2026-03-10T11:00:00+01:00", "timezone": "Europe/Berlin",
        }  # fmt: skip
        return self.ask("calendar_create_event", **{**wanted, **changes})

    def delete(self, event_id, **arguments):
        return self.ask("calendar_delete_event", event_id=event_id, confirm=True, **arguments)

    def update(self, event_id, **updates):
        return self.ask("calendar_update_event", event_id=event_id, updates=updates)

    def waiting(self):
        return list(Approval.objects.filter(state="waiting").order_by("pk"))

    def approve(self, approval=None):
        approval = approval or self.waiting()[-1]
        lifecycle.approve(approval=approval, by=self.reviewer, sha256=approval.sha256)

    def leave(self):
        """Approve the newest that waits and let it leave; return the bytes that were delivered."""
        approval = self.waiting()[-1]
        self.approve(approval)
        self.send()
        return self.delivered(approval.submission)

    def send(self):
        hurry()
        jobs.run_due()

    def delivered(self, submission):
        """The bytes in the provider's mail folder, read by the standard library."""
        header = Submission.objects.get(pk=submission.pk).message_id_header
        for path in Path(settings.LOCAL_MAIL_DIR).rglob("new/*"):
            message = email.message_from_bytes(path.read_bytes(), policy=mail_policy.default)
            if message["Message-ID"] == header:
                return message
        raise AssertionError("it was not delivered")

    def receive(self, calendar, sender=ADA, verdict="pass") -> Message:
        """Receive mail with a calendar in it, and do what follows from it."""
        method = str(calendar.get("METHOD", "PUBLISH"))
        message = receive_message(
            inbox=self.inbox, raw=letter(calendar.to_ical(), method, sender, verdict)
        )
        jobs.run_due()
        message.refresh_from_db()
        return message


def letter(content: bytes, method: str, sender: str = ADA, verdict: str = "pass") -> bytes:
    number = next(_numbers)
    host = sender.rpartition("@")[2]
    return (
        f"Received: from x by mx.lantern.example; Mon, 02 Mar 2026 08:00:00 +0000\r\n"
        f"Authentication-Results: mx.lantern.example; spf={verdict}; "
        f"dmarc={verdict} header.from={host}\r\n"
        f"From: {sender}\r\nTo: office@lantern.example\r\nSubject: Mail {number}\r\n"
        f"Date: Mon, 02 Mar 2026 08:00:00 +0000\r\nMessage-ID: <cal-{number}@{host}>\r\n"
        f"MIME-Version: 1.0\r\nContent-Type: text/calendar; charset=utf-8; method={method}\r\n\r\n"
    ).encode() + content


def calendar_of(message) -> icalendar.Calendar:
    """The text/calendar part of a delivered message, by the iCalendar library."""
    (part,) = [it for it in message.walk() if it.get_content_type() == "text/calendar"]
    return icalendar.Calendar.from_ical(part.get_payload(decode=True))


def event_of(message) -> icalendar.Event:
    (event,) = calendar_of(message).walk("VEVENT")
    return event


def reply(invitation, partstat, who=ADA, stamp="20991231T000000Z") -> icalendar.Calendar:
    """What a calendar program answers to an invitation."""
    said = invitation.walk("VEVENT")[0]
    lines = [
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Their program//EN", "METHOD:REPLY",
        "BEGIN:VEVENT", f"UID:{said['UID']}", f"SEQUENCE:{said.get('SEQUENCE', 0)}",
        f"DTSTAMP:{stamp}", f"ORGANIZER:{said['ORGANIZER']}",
        f"ATTENDEE;PARTSTAT={partstat}:mailto:{who}", "END:VEVENT", "END:VCALENDAR", "",
    ]  # fmt: skip
    return icalendar.Calendar.from_ical("\r\n".join(lines))


def sit_down(inbox, actor, reviewer) -> Desk:
    """Return a desk whose mail leaves at once, and whose server says who wrote what comes in."""
    inbox.account.authserv_id = "mx.lantern.example"
    inbox.account.undo_seconds = 0
    inbox.account.save()
    return Desk(inbox, actor, reviewer)


@pytest.fixture
def desk(inbox, actor, reviewer):
    return sit_down(inbox, actor, reviewer)
