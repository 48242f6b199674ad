"""Events, by the operations and the service of calendars, on an account of every kind."""

import pytest

from agents.models import Approval
from calendar_app.models import Calendar
from calendar_app.operations.deletions import restore_calendar
from inbox.models import Submission
from tests.agents.every_kind.offices import calls, in_turn
from tests.agents.tools.calendars import ADA, letter

pytestmark = pytest.mark.django_db
JANUARY = {"start": "2026-01-01T00:00:00Z", "end": "2026-02-01T00:00:00Z"}
TIMES = {"start": "2026-01-12T10:00:00Z", "end": "2026-01-12T11:00:00Z"}
INVITATION = b"""BEGIN:VCALENDAR\r
VERSION:2.0\r
PRODID:-//Customer//Calendar//EN\r
METHOD:REQUEST\r
BEGIN:VEVENT\r
UID:review@customer.example\r
DTSTAMP:20260101T000000Z\r
DTSTART:20260115T100000Z\r
DTEND:20260115T110000Z\r
SUMMARY:Review\r
ORGANIZER:mailto:ada@customer.example\r
ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:office@lantern.example\r
END:VEVENT\r
END:VCALENDAR\r
"""


@pytest.fixture
def place(office):
    return office.connect("calendar")


def titles(office, **more):
    return sorted(it["subject"] for it in office.do("calendar_list_events", **JANUARY, **more))


@calls(
    "calendar_create_event", "calendar_list_events", "calendar_get_event", "calendar_update_event",
    "calendar_check_availability", "calendar_delete_event",
)  # fmt: skip
def test_events_are_made_read_changed_and_deleted(office, place):
    made = office.do("calendar_create_event", subject="Lamps", body="Bring oil.", **TIMES)
    assert Calendar.objects.get(is_default=True).public_id == made["calendarId"]
    place.has("Lamps")
    updates = {"subject": "Wicks", "location": "Yard"}
    office.do("calendar_update_event", event_id=made["id"], updates=updates)
    place.has("Wicks")
    got = office.do("calendar_get_event", event_id=made["id"])
    assert (got["subject"], got["location"]["displayName"]) == ("Wicks", "Yard")
    assert got["body"]["content"].strip() == "Bring oil."
    assert titles(office, include_details=True) == ["Wicks"]
    if place.is_elsewhere:
        place.come("theirs", "Tide")
        place.come("theirs", "Tide tables")
        assert titles(office) == ["Tide tables", "Wicks"]
    window = {"start": TIMES["start"], "end": "2026-01-12T12:00:00Z"}
    answer = office.do("calendar_check_availability", **window)
    assert [it["availabilityView"] for it in answer["value"]] == ["2200"]
    office.do("calendar_delete_event", event_id=made["id"], confirm=True)
    place.has(*titles(office))
    assert "Wicks" not in titles(office)


@pytest.mark.parametrize("office", in_turn(1), indirect=True)
@calls(
    "calendar_create_event",
    "calendar_update_event",
    "calendar_delete_event",
    "calendar_list_events",
)
def test_whom_an_event_reaches_hears_of_it_by_our_sealed_mail_alone(office, place):
    asked = {"subject": "Lamps", "attendees": [ADA], **TIMES}
    waiting = office.do("calendar_create_event", key="k", **asked)
    place.has()
    assert titles(office) == []
    office.let_leave(waiting)
    made = office.do("calendar_create_event", key="k", **asked)
    assert made["status"] == "sent"
    place.has("Lamps")
    moved = {"start": "2026-01-13T10:00:00Z", "end": "2026-01-13T11:00:00Z"}
    office.let_leave(office.do("calendar_update_event", event_id=made["id"], updates=moved))
    place.has("Lamps")
    office.let_leave(office.do("calendar_delete_event", event_id=made["id"], confirm=True))
    place.has()
    assert titles(office) == []
    assert Submission.objects.count() == 3


@pytest.mark.parametrize("office", in_turn(0), indirect=True)
@calls("calendar_respond_event", "calendar_list_events", "calendar_get_event")
def test_an_invitation_is_answered_once_a_person_has_approved_it(office, place):
    office.inbox.account.authserv_id = "mx.lantern.example"
    office.inbox.account.save()
    office.mail.deliver(letter(INVITATION, "REQUEST"))
    office.mail.sync()
    place.has("Review")
    [event] = office.do("calendar_list_events", **JANUARY)
    assert event["responseStatus"] == "notResponded"
    answer = office.do("calendar_respond_event", event_id=event["id"], response="accept")
    assert office.do("calendar_get_event", event_id=event["id"])["responseStatus"] == "notResponded"
    office.let_leave(answer)
    place.has("Review")
    assert office.do("calendar_get_event", event_id=event["id"])["responseStatus"] == "accepted"


@pytest.mark.parametrize("office", in_turn(1), indirect=True)
@calls("calendar_create_event", "calendar_delete_calendar", "calendar_list_events")
def test_a_calendar_that_is_deleted_goes_from_here_and_stays_there(office):
    # The first calendar has something in it, and stays the default one.
    office.do("calendar_create_event", subject="Lamps", **TIMES)
    place, account = office.connect("calendar"), office.inbox.account
    if place.is_elsewhere:
        place.come("theirs", "Tide")
    else:
        Calendar.objects.create(workspace=account.workspace, account=account, name="Away")
    other = Calendar.objects.get(account=account, is_default=False)
    assert len(titles(office)) == 1 + place.is_elsewhere
    answer = office.do("calendar_delete_calendar", calendar_id=other.name, confirm=True)
    assert answer == {"status": "deleted"}
    place.has("Tide")
    assert titles(office) == ["Lamps"]
    restore_calendar(calendar=other)
    if place.is_elsewhere:
        place.come("theirs", "Tides")
        assert titles(office) == ["Lamps", "Tides"]


@pytest.mark.parametrize("office", in_turn(0), indirect=True)
@calls()
def test_the_service_of_calendars_acts_on_the_default_calendar(office, place):
    def service(action, **arguments):
        return office.serve("google_calendar_service", action, **arguments)

    times = {"start_at": "2030-01-12T10:00:00Z", "end_at": "2030-01-12T11:00:00Z"}
    made = service("create", title="Lamps", **times)["event"]
    named = {"event_id": made["id"], "calendar_id": made["calendar_id"]}
    place.has("Lamps")
    assert service("update", title="Wicks", **named)["event"]["title"] == "Wicks"
    place.has("Wicks")
    assert service("delete", **named)["deleted"]
    place.has()
    assert not Approval.objects.exists()
