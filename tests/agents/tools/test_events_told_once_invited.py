"""What follows once an invitation has left: answers by mail, changes, and its end."""

import icalendar
import pytest

from agents.approval import lifecycle
from agents.errors import ToolError
from calendar_app.models import Attendee, Event
from calendar_app.operations.sent import apply_sent
from inbox.models import Submission
from tests import factories
from tests.agents.tools.calendars import ADA, BO, calendar_of, desk, event_of, reply, sit_down

__all__ = ["desk"]
pytestmark = pytest.mark.django_db


def invite_ada():
    """Make a meeting to which Ada was invited, and the invitation that left."""
    lantern = factories.make_lantern()
    reviewer = factories.make_person_user(lantern["workspace"], name="rhea")
    desk = sit_down(lantern["inbox"], lantern["actor"], reviewer)
    desk.create(attendees=[ADA])
    invitation = calendar_of(desk.leave()).to_ical()
    return {**lantern, "reviewer": reviewer, "invitation": invitation}


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(invite_ada)


@pytest.fixture
def invitation(own_rows) -> icalendar.Calendar:
    return icalendar.Calendar.from_ical(own_rows["invitation"])


def test_the_event_is_there_once_the_invitation_has_left(desk):
    event = Event.objects.get()
    assert (event.summary, event.status, event.organizer) == (
        "The lamps", "confirmed", "office@lantern.example",
    )  # fmt: skip
    assert event.attendees.get().partstat == "needs-action"


def test_applying_it_again_changes_nothing(desk):
    before = Event.objects.values().get()
    apply_sent(submission_id=Submission.objects.get().pk)
    assert Event.objects.values().get() == before


@pytest.mark.parametrize(
    "forged",
    [{"sender": "mallory@evil.example"}, {"verdict": "fail"}, {"verdict": "none"}, {"sender": BO}],
)
def test_nobody_answers_for_another(desk, invitation, forged):
    message = desk.receive(reply(invitation, "ACCEPTED"), **forged)
    assert Attendee.objects.get().partstat == "needs-action"
    assert "reply_not_from_attendee" in message.anomalies


def test_an_older_answer_does_not_undo_a_later_one(desk, invitation):
    desk.receive(reply(invitation, "DECLINED", stamp="20991231T120000Z"))
    desk.receive(reply(invitation, "ACCEPTED", stamp="20991231T110000Z"))
    assert Attendee.objects.get().partstat == "declined"


def test_somebody_who_was_not_invited_does_not_join_by_answering(desk, invitation):
    desk.receive(reply(invitation, "ACCEPTED", BO), sender=BO)
    assert [one.email for one in Attendee.objects.all()] == [ADA]


def test_an_update_is_told_before_it_stands(desk):
    answer = desk.update(Event.objects.get().public_id, location="Harbour")
    assert answer["status"] == "queued"
    assert Event.objects.get().location == ""
    message = desk.leave()
    assert message["Subject"] == "Updated invitation: The lamps"
    assert event_of(message)["SEQUENCE"] == 1
    assert Event.objects.get().location == "Harbour"


def test_moving_a_meeting_asks_everybody_again(desk, invitation):
    desk.receive(reply(invitation, "ACCEPTED"))
    event = Event.objects.get()
    desk.update(event.public_id, location="Harbour")
    desk.leave()
    assert Attendee.objects.get().partstat == "accepted"
    desk.update(event.public_id, end="2026-03-10T12:00:00+01:00")
    assert event_of(desk.leave())["ATTENDEE"].params["PARTSTAT"] == "NEEDS-ACTION"
    assert Attendee.objects.get().partstat == "needs-action"


def test_an_approval_of_what_has_changed_meanwhile_is_void(desk):
    event = Event.objects.get()
    desk.update(event.public_id, location="Harbour")
    desk.update(event.public_id, location="Yard")
    older, newer = desk.waiting()
    desk.approve(newer)
    desk.send()
    with pytest.raises(lifecycle.ApprovalError, match="the event has been changed"):
        desk.approve(older)
    older.refresh_from_db()
    assert older.state == "voided"
    assert Event.objects.get().location == "Yard"


def test_the_last_attendees_are_taken_off_by_a_message_too(desk):
    event = Event.objects.get()
    with pytest.raises(ToolError, match="No one would be left to notify of the change"):
        desk.update(event.public_id, attendees=[], location="Harbour")
    desk.update(event.public_id, attendees=[])
    assert desk.leave()["Subject"] == "Invitation withdrawn: The lamps"
    assert not Attendee.objects.exists()
    assert Event.objects.get().status == "confirmed"


def test_a_meeting_is_called_off_by_a_cancellation(desk):
    event = Event.objects.get()
    assert desk.delete(event.public_id)["status"] == "queued"
    assert Event.objects.kept().exists()
    message = desk.leave()
    assert message["Subject"] == "Canceled: The lamps"
    said = event_of(message)
    assert (calendar_of(message)["METHOD"], said["STATUS"], said["SEQUENCE"]) == (
        "CANCEL", "CANCELLED", 1,
    )  # fmt: skip
    assert not Event.objects.kept().exists()


def test_without_a_cancellation_nobody_is_told(desk):
    event = Event.objects.get()
    assert desk.delete(event.public_id, send_cancellation=False) == {"status": "deleted"}
    assert not desk.waiting()
