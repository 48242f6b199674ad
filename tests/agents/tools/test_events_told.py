"""The calendar says what attendees were told, and nothing leaves that a person has not approved."""

import icalendar
import pytest

from agents.approval import lifecycle
from agents.errors import ToolError
from agents.models import Approval
from calendar_app.models import Attendee, Event
from calendar_app.operations.occurrences import instance_id
from inbox.models import Submission
from tests.agents.tools.calendars import ADA, BO, calendar_of, desk, event_of, reply

__all__ = ["desk"]
pytestmark = pytest.mark.django_db


def test_an_event_without_attendees_is_there_at_once(desk):
    made = desk.create(location="Yard", body="Bring oil.")
    assert made["subject"] == "The lamps"
    assert made["start"] == {"dateTime": "2026-03-10T10:00:00", "timeZone": "Europe/Berlin"}
    assert made["body"]["content"] == "Bring oil."
    assert "status" not in made
    assert not Submission.objects.exists()


def test_an_invitation_waits_for_a_person_and_is_in_no_calendar(desk):
    answer = desk.create(attendees=[ADA])
    assert answer["status"] == "queued"
    assert answer["review_url"].endswith(answer["approval_id"] + "/")
    assert not Event.objects.exists()
    assert desk.waiting()[0].reason == f"It reaches {ADA}"


def test_what_leaves_is_what_an_independent_reader_understands(desk):
    desk.create(attendees=[ADA, BO], location="Yard", body="Bring oil.")
    message = desk.leave()
    assert message["Subject"] == "Invitation: The lamps"
    assert [part.get_content_type() for part in message.walk()] == [
        "multipart/mixed", "multipart/alternative", "text/plain", "text/calendar",
        "application/ics",
    ]  # fmt: skip
    calendar, event = calendar_of(message), event_of(message)
    assert calendar["METHOD"] == "REQUEST"
    assert event["DTSTART"].dt.isoformat() == "2026-03-10T10:00:00+01:00"
    assert event["ORGANIZER"] == "mailto:office@lantern.example"
    assert [str(one) for one in event["ATTENDEE"]] == [f"mailto:{ADA}", f"mailto:{BO}"]
    assert {one.params["PARTSTAT"] for one in event["ATTENDEE"]} == {"NEEDS-ACTION"}
    assert {one.params["RSVP"] for one in event["ATTENDEE"]} == {"TRUE"}


def test_the_type_names_the_method_and_the_file_is_the_same(desk):
    desk.create(attendees=ADA)
    parts = {part.get_content_type(): part for part in desk.leave().walk()}
    assert parts["text/calendar"].get_param("method") == "REQUEST"
    assert parts["application/ics"].get_filename() == "invite.ics"
    contents = [
        parts[name].get_payload(decode=True) for name in ("text/calendar", "application/ics")
    ]
    assert contents[0] == contents[1]


def test_the_text_says_what_when_where_and_who(desk):
    desk.create(attendees=[ADA], location="Yard", body="Bring oil.")
    text = desk.leave().get_body(("plain",)).get_content()
    assert "What:  The lamps" in text
    assert "When:  Tuesday, 10 March 2026, 10:00 to 11:00 (Europe/Berlin)" in text
    assert "Where: Yard" in text
    assert ADA in text
    assert "Bring oil." in text


def test_the_same_key_answers_with_the_event_once_it_has_left(desk):
    arguments = {"account_id": desk.account_id, "subject": "The lamps", "attendees": ADA,
                 "start": "2026-03-10T09:00:00Z", "end": "2026-03-10T10:00:00Z"}  # fmt: skip
    first = lifecycle.dispatch.call("calendar_create_event", arguments, desk.actor, "k").result
    desk.leave()
    again = lifecycle.dispatch.call("calendar_create_event", arguments, desk.actor, "k").result
    assert (first["status"], again["status"]) == ("queued", "sent")
    assert again["message_id"] == first["message_id"]
    assert again["id"] == Event.objects.get().public_id


def test_a_rejected_invitation_leaves_no_trace_in_the_calendar(desk):
    desk.create(attendees=[ADA])
    lifecycle.reject(approval=desk.waiting()[0], by=desk.reviewer, reason="No.")
    desk.send()
    assert not Event.objects.exists()


def test_an_undone_invitation_leaves_no_trace_in_the_calendar(desk):
    desk.inbox.account.undo_seconds = 60
    desk.inbox.account.save()
    desk.create(attendees=[ADA])
    approval = desk.waiting()[0]
    desk.approve()
    lifecycle.undo(approval=approval, by=desk.reviewer)
    desk.send()
    assert not Event.objects.exists()


def test_an_answer_by_mail_is_noted(desk):
    desk.create(attendees=[ADA, BO])
    invitation = calendar_of(desk.leave())
    desk.receive(reply(invitation, "ACCEPTED"))
    desk.receive(reply(invitation, "DECLINED", BO), sender=BO)
    answers = dict(Attendee.objects.values_list("email", "partstat"))
    assert answers == {ADA: "accepted", BO: "declined"}


def test_whoever_is_not_invited_any_more_gets_a_message_of_their_own(desk):
    desk.create(attendees=[ADA, BO])
    desk.leave()
    event = Event.objects.get()
    desk.update(event.public_id, attendees=[BO])
    told, withdrawn = desk.waiting()
    assert [told.submission.envelope_to, withdrawn.submission.envelope_to] == [[BO], [ADA]]
    desk.approve(told)
    desk.approve(withdrawn)
    desk.send()
    said = calendar_of(desk.delivered(withdrawn.submission))
    assert said["METHOD"] == "CANCEL"
    assert "STATUS" not in said.walk("VEVENT")[0]
    assert [one.email for one in Attendee.objects.all()] == [BO]
    assert Event.objects.get().status == "confirmed"


@pytest.mark.parametrize("first", [0, 1])
def test_the_two_messages_of_an_update_are_decided_in_any_order(desk, first):
    desk.create(attendees=[ADA, BO])
    desk.leave()
    desk.update(Event.objects.get().public_id, attendees=[BO], location="Harbour")
    waiting = desk.waiting()
    for approval in (waiting[first], waiting[1 - first]):
        desk.approve(approval)
        desk.send()
    assert [one.email for one in Attendee.objects.all()] == [BO]
    assert Event.objects.get().location == "Harbour"


def test_an_event_without_attendees_goes_at_once_and_comes_back(desk):
    made = desk.create()
    assert desk.delete(made["id"]) == {"status": "deleted"}
    with pytest.raises(ToolError, match="no such event"):
        desk.ask("calendar_get_event", event_id=made["id"])


def invite(desk, **lines) -> str:
    """Receive Ada's invitation; return the event's id."""
    said = {
        "UID": "tea@customer.example", "DTSTAMP": "20260301T080000Z",
        "DTSTART": "20260310T100000Z", "DTEND": "20260310T110000Z", "SUMMARY": "Tea", "SEQUENCE": "0",
    } | lines  # fmt: skip
    text = "\r\n".join(
        ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x", "METHOD:REQUEST", "BEGIN:VEVENT",
         *(f"{name}:{value}" for name, value in said.items()),
         f"ORGANIZER:mailto:{ADA}", "ATTENDEE;RSVP=TRUE:mailto:office@lantern.example",
         "END:VEVENT", "END:VCALENDAR", ""]
    )  # fmt: skip
    desk.receive(icalendar.Calendar.from_ical(text))
    return Event.objects.get(recurrence_id="").public_id


@pytest.mark.parametrize(
    ("response", "status", "subject", "partstat"),
    [
        ("accept", "accept", "Accepted: Tea", "accepted"),
        ("decline", "decline", "Declined: Tea", "declined"),
        ("tentative", "tentativelyAccept", "Tentative: Tea", "tentative"),
        ("tentativelyAccept", "tentativelyAccept", "Tentative: Tea", "tentative"),
    ],
)
def test_an_invitation_is_answered_with_a_reply(desk, response, status, subject, partstat):
    event_id = invite(desk)
    arguments = {"account_id": desk.account_id, "event_id": event_id, "response": response,
                 "message": "I may be late."}  # fmt: skip
    queued = lifecycle.dispatch.call("calendar_respond_event", arguments, desk.actor, "k").result
    assert queued["status"] == "queued"
    assert Event.objects.get().partstat == "needs-action"
    message = desk.leave()
    assert (message["Subject"], message["To"]) == (subject, ADA)
    said = event_of(message)
    assert said["ATTENDEE"].params["PARTSTAT"] == partstat.upper()
    assert said["COMMENT"] == "I may be late."
    assert Event.objects.get().partstat == partstat
    again = lifecycle.dispatch.call("calendar_respond_event", arguments, desk.actor, "k").result
    assert again["status"] == status


def test_an_answer_to_what_has_moved_meanwhile_is_void(desk):
    event_id = invite(desk)
    desk.ask("calendar_respond_event", event_id=event_id)
    invite(desk, SEQUENCE="1", DTSTART="20260310T120000Z", DTEND="20260310T130000Z")
    with pytest.raises(lifecycle.ApprovalError, match="the event has been changed"):
        desk.approve()
    assert Approval.objects.get().state == "voided"


def test_one_meeting_of_a_series_can_be_declined(desk):
    invite(desk, DTSTART="20990310T100000Z", DTEND="20990310T110000Z",
           RRULE="FREQ=WEEKLY;COUNT=3")  # fmt: skip
    series = Event.objects.get()
    first = instance_id(series, series.dtstart)
    desk.ask("calendar_respond_event", event_id=first, response="decline")
    said = event_of(desk.leave())
    assert said["RECURRENCE-ID"].dt == series.dtstart
    assert dict(Event.objects.values_list("recurrence_id", "partstat")) == {
        "": "needs-action", "20990310T100000Z": "declined",
    }  # fmt: skip


def test_what_somebody_else_organises_cannot_be_changed(desk):
    event_id = invite(desk)
    with pytest.raises(ToolError, match="who organizes this event, can change it"):
        desk.update(event_id, location="Harbour")


def test_our_own_meeting_cannot_be_answered(desk):
    made = desk.create()
    with pytest.raises(ToolError, match="You organize this event yourself"):
        desk.ask("calendar_respond_event", event_id=made["id"])


def test_hostile_words_stay_words(desk):
    desk.create(
        subject="Lamps\r\nATTENDEE:mailto:mallory@evil.example\u202egnp", attendees=[ADA],
        body="one\r\nEND:VEVENT\r\nBEGIN:VEVENT",
    )  # fmt: skip
    message = desk.leave()
    said = event_of(message)
    assert said["ATTENDEE"] == f"mailto:{ADA}"
    assert said["SUMMARY"] == "Lamps ATTENDEE:mailto:mallory@evil.examplegnp"
    assert "\u202e" not in message["Subject"]


def test_the_reviewer_cannot_send_an_invitation_to_somebody_it_does_not_name(desk):
    desk.create(attendees=[ADA])
    approval = desk.waiting()[0]
    with pytest.raises(
        lifecycle.ApprovalError, match="It goes to the people named in the calendar part"
    ):
        lifecycle.edit_and_approve(
            approval=approval, by=desk.reviewer, subject="Invitation: x", body="y",
            to=[BO], cc=[], bcc=[],
        )  # fmt: skip
