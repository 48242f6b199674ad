"""The operations on calendars, on real rows: what they list, refuse and change."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone
from jsonschema import Draft202012Validator

from agents.contracts import REGISTRY
from agents.contracts.fields import ZonedTime
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from calendar_app.models import Calendar, Event
from calendar_app.operations.calendar_files import import_calendar
from calendar_app.operations.deletions import purge_calendars, restore_calendar, restore_event
from calendar_app.operations.keeping import default_calendar
from inbox.models import Job
from tests import factories
from tests.agents.tools.calendars import ADA, desk

__all__ = ["desk"]
pytestmark = pytest.mark.django_db

SERVICE = "google_calendar_service"


@pytest.fixture
def calendar(inbox):
    return default_calendar(inbox.account)


@pytest.fixture
def series(calendar):
    """A daily series of ours from tomorrow on, at nine in Berlin."""
    day = (timezone.now() + timedelta(days=1)).strftime("%Y%m%d")
    bring(calendar, f"UID:daily@x\nSUMMARY:Standup\nDTSTART;TZID=Europe/Berlin:{day}T090000\n"
          f"DTEND;TZID=Europe/Berlin:{day}T091500\nRRULE:FREQ=DAILY;COUNT=5")  # fmt: skip
    return Event.objects.get()


def bring(calendar, *events):
    parts = "".join(
        f"BEGIN:VEVENT\nDTSTAMP:20260301T080000Z\n{one}\nEND:VEVENT\n" for one in events
    )
    text = f"BEGIN:VCALENDAR\nVERSION:2.0\n{parts}END:VCALENDAR\n"
    import_calendar(calendar=calendar, content=text.replace("\n", "\r\n").encode())


def serve(desk, action, **arguments):
    return call(SERVICE, {"action": action, **arguments}, desk.actor).result


def moment_of(time):
    """What a client of Microsoft Graph reads: the clock of the zone named beside it."""
    clock = datetime.fromisoformat(time["dateTime"])
    assert clock.tzinfo is None
    return clock.replace(tzinfo=ZoneInfo(time["timeZone"])).astimezone(UTC)


def refusal(error):
    return error.value.details["errors"][0]["pointer"]


def test_a_series_is_listed_as_its_instances(desk, series):
    found = desk.ask("calendar_list_events", days_ahead=30)
    assert len(found) == 5
    assert len({one["id"] for one in found}) == 5
    assert {one["seriesMasterId"] for one in found} == {series.public_id}
    assert found[0]["type"] == "occurrence"
    assert found[0]["_cache_status"] in {"fresh", "miss"}
    assert "attendees" not in found[0]


def test_details_are_body_attendees_and_recurrence(desk, series):
    found = desk.ask("calendar_list_events", days_ahead=30, include_details=True, limit=1)
    assert found[0]["recurrence"] == ["RRULE:FREQ=DAILY;COUNT=5"]
    assert (found[0]["attendees"], found[0]["body"]["content"]) == ([], "")


def test_an_event_that_nobody_was_invited_to_is_the_accounts_own(desk, series):
    account = desk.inbox.account
    listed = desk.ask("calendar_list_events", days_ahead=30)[0]
    shown = desk.ask("calendar_get_event", event_id=listed["id"])
    assert shown["organizer"] == listed["organizer"]
    assert listed["organizer"]["emailAddress"]["address"] == account.address


def test_every_calendar_of_the_account_is_listed(desk, calendar, series):
    other = Calendar.objects.create(
        workspace=calendar.workspace, account=calendar.account, name="Other"
    )
    start = timezone.now() + timedelta(hours=1)
    bring(other, f"UID:o@x\nSUMMARY:Audit\nDTSTART:{start:%Y%m%dT%H%M%SZ}\nDURATION:PT1H")
    found = desk.ask("calendar_list_events")
    assert found[0]["calendarId"] == other.public_id


def test_answers_are_as_their_schemas_say(desk, series):
    listed = desk.ask("calendar_list_events", include_details=True)
    Draft202012Validator(REGISTRY.schemas_of("calendar_list_events")[1]).validate(listed)
    made = desk.create()
    Draft202012Validator(REGISTRY.schemas_of("calendar_create_event")[1]).validate(made)


def test_an_instance_is_found_by_its_id(desk, series):
    third = desk.ask("calendar_list_events", days_ahead=30)[2]
    found = desk.ask("calendar_get_event", event_id=third["id"])
    assert (found["start"], found["type"]) == (third["start"], "occurrence")
    whole = desk.ask("calendar_get_event", event_id=series.public_id)
    assert whole["type"] == "seriesMaster"


def test_one_instance_is_changed_and_keeps_its_id(desk, series):
    third = desk.ask("calendar_list_events", days_ahead=30)[2]
    changed = desk.update(third["id"], subject="Standup, long")
    assert (changed["id"], changed["type"]) == (third["id"], "exception")
    names = [one["subject"] for one in desk.ask("calendar_list_events", days_ahead=30)]
    assert names == ["Standup", "Standup", "Standup, long", "Standup", "Standup"]


def test_one_instance_is_left_out_and_comes_back_with_the_person(desk, series):
    listed = desk.ask("calendar_list_events", days_ahead=30)
    desk.update(listed[1]["id"], subject="Changed")
    desk.delete(listed[1]["id"])
    assert len(desk.ask("calendar_list_events", days_ahead=30)) == 4
    restore_event(event=Event.objects.exclude(deleted_at=None).get())
    assert desk.ask("calendar_list_events", days_ahead=30)[1]["subject"] == "Changed"


def test_a_series_moves_with_its_exceptions(desk, series):
    listed = desk.ask("calendar_list_events", days_ahead=30)
    desk.delete(listed[1]["id"])
    desk.update(listed[2]["id"], subject="Changed")
    local = series.dtstart + timedelta(hours=2)
    desk.update(series.public_id, start=local.isoformat(),
                end=(local + timedelta(minutes=15)).isoformat())  # fmt: skip
    moved = desk.ask("calendar_list_events", days_ahead=30)
    assert len(moved) == 4
    assert [one["subject"] for one in moved].count("Changed") == 1
    assert moment_of(moved[0]["start"]) == local


def test_a_deleted_series_is_restored_whole(desk, series):
    listed = desk.ask("calendar_list_events", days_ahead=30)
    desk.update(listed[2]["id"], subject="Changed")
    desk.delete(series.public_id)
    assert desk.ask("calendar_list_events", days_ahead=30) == []
    restore_event(event=Event.objects.get(recurrence_id=""))
    assert len(desk.ask("calendar_list_events", days_ahead=30)) == 5


# -- clocks and zones ------------------------------------------------------------------------------
def test_a_time_is_what_the_clock_of_its_zone_shows(desk):
    made = desk.create()
    assert made["start"] == {"dateTime": "2026-03-10T10:00:00", "timeZone": "Europe/Berlin"}
    assert made["end"] == {"dateTime": "2026-03-10T11:00:00", "timeZone": "Europe/Berlin"}
    shown = desk.ask("calendar_get_event", event_id=made["id"])
    (listed,) = desk.ask("calendar_list_events", start="2026-03-10T00:00:00Z")
    (found,) = desk.ask("search_unified", query="lamps", entity_types="event")["event"]
    assert shown["start"] == listed["start"] == found["start"] == made["start"]


def test_a_time_is_utc_where_the_caller_named_no_zone(desk):
    made = desk.ask("calendar_create_event", subject="Call", start="2026-07-10T10:00:00+02:00",
                    end="2026-07-10T11:00:00+02:00")  # fmt: skip
    assert made["start"] == {"dateTime": "2026-07-10T08:00:00", "timeZone": "UTC"}


def test_a_changed_zone_moves_the_clock_and_not_the_time(desk):
    made = desk.create()
    moved = desk.update(made["id"], start="2026-03-10T10:00:00+01:00", timezone="Asia/Tokyo")
    assert moved["start"] == {"dateTime": "2026-03-10T18:00:00", "timeZone": "Asia/Tokyo"}
    assert moment_of(moved["end"]) == moment_of(made["end"])


@pytest.mark.parametrize(
    "zone", ["Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "UTC"]
)
def test_every_hour_of_a_year_is_read_back_as_the_time_that_was_given(zone):
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    while moment.year == 2026:
        written = ZonedTime.of(moment, zone)
        assert moment_of(written.model_dump(by_alias=True)) == moment
        moment += timedelta(minutes=30)


def test_the_hour_that_a_clock_shows_twice_is_said_in_utc_the_second_time(desk):
    first = desk.create(start="2026-10-25T02:30:00+02:00", end="2026-10-25T02:30:00+01:00")
    assert first["start"] == {"dateTime": "2026-10-25T02:30:00", "timeZone": "Europe/Berlin"}
    assert first["end"] == {"dateTime": "2026-10-25T01:30:00", "timeZone": "UTC"}


def test_whole_days_begin_at_midnight(desk, calendar):
    bring(calendar, "UID:d@x\nSUMMARY:Fair\nDTSTART;VALUE=DATE:20260310\nDTEND;VALUE=DATE:20260312")
    (fair,) = desk.ask("calendar_list_events", start="2026-03-01T00:00:00Z", days_ahead=30)
    assert fair["isAllDay"] is True
    assert fair["start"] == {"dateTime": "2026-03-10T00:00:00", "timeZone": "UTC"}
    assert fair["end"] == {"dateTime": "2026-03-12T00:00:00", "timeZone": "UTC"}


@pytest.mark.parametrize("zone", ["Nowhere/Land", "../../etc/passwd", "W. Europe Standard Time"])
def test_a_zone_that_nobody_knows_is_said_in_utc(zone):
    written = ZonedTime.of(datetime(2026, 3, 10, 9, tzinfo=UTC), zone)
    assert (written.date_time, written.time_zone) == ("2026-03-10T09:00:00", "UTC")


def test_the_end_of_time_is_said_in_utc():
    written = ZonedTime.of(datetime(9999, 12, 31, 23, 30, tzinfo=UTC), "Asia/Tokyo")
    assert (written.date_time, written.time_zone) == ("9999-12-31T23:30:00", "UTC")


def test_taken_times_are_clocks_of_utc(desk):
    desk.create()
    times = {"start": "2026-03-10T00:00:00Z", "end": "2026-03-11T00:00:00Z"}
    (own,) = desk.ask("calendar_check_availability", **times)["value"]
    taken = own["scheduleItems"][0]
    assert taken["start"] == {"dateTime": "2026-03-10T09:00:00", "timeZone": "UTC"}


# -- a span of time --------------------------------------------------------------------------------
def test_what_is_past_is_listed_by_start_and_end(desk, calendar):
    bring(calendar, "UID:p@x\nSUMMARY:Long ago\nDTSTART:20200310T090000Z\nDTEND:20200310T100000Z",
          "UID:w@x\nSUMMARY:Weekly\nDTSTART:20200301T090000Z\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;COUNT=10")  # fmt: skip
    assert desk.ask("calendar_list_events") == []
    span = {"start": "2020-03-08T00:00:00+01:00", "end": "2020-03-16T00:00:00+01:00"}
    found = desk.ask("calendar_list_events", **span)
    assert [one["subject"] for one in found] == ["Weekly", "Long ago", "Weekly"]
    later = desk.ask("calendar_list_events", start="2020-03-12T00:00:00Z", days_ahead=4)
    assert [moment_of(one["start"]).day for one in later] == [15]
    folded = call("list", {"resource": "events", "parameters": {"account_id": desk.account_id, **span}}, desk.actor)  # fmt: skip
    assert [one["id"] for one in folded.result] == [one["id"] for one in found]


@pytest.mark.parametrize(
    ("span", "pointer"),
    [
        ({"end": "2020-03-10T09:00:00Z"}, "/end"),
        ({"start": "2020-03-10T09:00:00Z", "end": "2020-03-10T09:00:00Z"}, "/end"),
        ({"start": "2020-01-01T00:00:00Z", "end": "2021-03-10T09:00:00Z"}, "/end"),
        ({"start": "9999-12-30T00:00:00Z"}, "/start"),
        ({"start": "2020-03-10T09:00:00"}, "/start"),
        ({"end": "tomorrow"}, "/end"),
    ],
)
def test_a_span_that_is_none_is_refused_by_its_field(desk, span, pointer):
    with pytest.raises(ToolError) as caught:
        desk.ask("calendar_list_events", **span)
    assert refusal(caught) == pointer


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ({"start": "2026-03-10T10:00:00"}, "/start"),
        ({"end": "2026-03-10T10:00:00+01:00"}, "/end"),
        ({"end": "2028-03-10T10:00:00+01:00"}, "/end"),
        ({"timezone": "W. Europe Standard Time"}, "/timezone"),
        ({"timezone": "../../etc/passwd"}, "/timezone"),
        ({"subject": " "}, "/subject"),
        ({"attendees": "nobody"}, "/attendees/0"),
        ({"attendees": [ADA, "no one@x"]}, "/attendees/1"),
    ],
)
def test_what_cannot_be_created_names_the_field(desk, wrong, pointer):
    with pytest.raises(ToolError) as error:
        desk.create(**wrong)
    assert refusal(error) == pointer
    assert not Event.objects.exists()


@pytest.mark.parametrize(
    ("updates", "pointer"),
    [
        ({"timezone": "Europe/Berlin"}, "/updates/timezone"),
        ({"end": "2026-03-10T09:00:00+01:00"}, "/updates/end"),
        ({"attendees": ["x"]}, "/updates/attendees/0"),
        ({}, "/updates"),
    ],
)
def test_what_cannot_be_changed_names_the_field(desk, updates, pointer):
    made = desk.create()
    with pytest.raises(ToolError) as error:
        desk.update(made["id"], **updates)
    assert refusal(error) == pointer


def test_an_organizer_among_the_attendees_is_told_nothing_by_mail(desk, calendar):
    own = calendar.account.address
    bring(calendar, f"UID:told@x\nSUMMARY:Lamps\nDTSTART:20990310T090000Z\nDTEND:20990310T100000Z\n"
          f"ORGANIZER:mailto:{own}\nATTENDEE:mailto:{own}\nATTENDEE:mailto:{ADA}")  # fmt: skip
    event = Event.objects.get()
    desk.update(event.public_id, location="Harbour")
    [told] = desk.waiting()
    assert told.submission.envelope_to == [ADA]
    desk.leave()
    desk.delete(event.public_id)
    [cancelled] = desk.waiting()
    assert cancelled.submission.envelope_to == [ADA]


def test_the_own_address_is_no_attendee(desk):
    assert "status" not in desk.create(attendees="Office@Lantern.example")


def test_changes_are_told_to_who_listens(desk):
    made = desk.create()
    desk.update(made["id"], location="Yard")
    desk.delete(made["id"])
    assert Event.objects.get().version == 3
    assert not Job.objects.filter(state="failed").exists()


# -- who has time ----------------------------------------------------------------------------------


def test_availability_knows_our_accounts_and_says_what_it_does_not_know(desk, workspace, agent):
    desk.create(start="2026-03-10T10:00:00Z", end="2026-03-10T11:00:00Z")
    found = desk.ask("calendar_check_availability", start="2026-03-10T09:00:00Z",
                     end="2026-03-10T12:00:00Z", attendees=[ADA])  # fmt: skip
    ours, theirs = found["value"]
    assert ours["availabilityView"] == "002200"
    assert ours["scheduleItems"][0]["status"] == "busy"
    assert theirs == {
        "scheduleId": ADA, "availabilityView": "", "scheduleItems": [],
        "error": {"message": "Nothing is known of this address' time"},
    }  # fmt: skip


def test_the_time_of_an_account_that_was_not_granted_is_not_known(desk, workspace):
    other = factories.make_inbox(workspace, "secret@lantern.example")
    bring(default_calendar(other.account),
          "UID:s@x\nSUMMARY:S\nDTSTART:20260310T100000Z\nDTEND:20260310T110000Z")  # fmt: skip
    found = desk.ask("calendar_check_availability", start="2026-03-10T09:00:00Z",
                     end="2026-03-10T12:00:00Z", attendees="secret@lantern.example")  # fmt: skip
    assert found["value"][1]["availabilityView"] == ""


@pytest.mark.parametrize("end", ["2026-03-10T09:00:00Z", "2026-09-10T09:00:00Z"])
def test_a_window_has_to_be_one(desk, end):
    with pytest.raises(ToolError) as error:
        desk.ask("calendar_check_availability", start="2026-03-10T09:00:00Z", end=end)
    assert refusal(error) == "/end"


def slots(desk, **arguments):
    window = {"start": "2026-03-09T00:00:00Z", "end": "2026-03-14T00:00:00Z"}
    wanted = {**window, "duration_minutes": 60, "timezone": "Europe/Berlin", **arguments}
    return call("find_free_slots", wanted, desk.actor).result


def test_free_slots_keep_to_working_hours_and_what_is_taken(desk):
    desk.create(start="2026-03-09T09:10:00+01:00", end="2026-03-09T15:30:00+01:00")
    found = slots(
        desk, limit=3, working_hours={"start": "09:00", "end": "17:00", "days": ["MO", "TU"]}
    )
    assert [one["start"] for one in found["slots"]] == [
        "2026-03-09T14:30:00Z", "2026-03-10T08:00:00Z", "2026-03-10T09:00:00Z",
    ]  # fmt: skip


def test_free_slots_name_those_of_whom_nothing_is_known(desk):
    assert slots(desk, attendees=[ADA, "office@lantern.example"])["unknown"] == [ADA]


# -- calendars -------------------------------------------------------------------------------------


@pytest.fixture
def other(calendar):
    return Calendar.objects.create(
        workspace=calendar.workspace, account=calendar.account, name="Other"
    )


def test_a_calendar_is_deleted_with_its_events_and_restored_with_them(desk, other):
    start = timezone.now() + timedelta(hours=1)
    bring(other, f"UID:o@x\nSUMMARY:Audit\nDTSTART:{start:%Y%m%dT%H%M%SZ}\nDURATION:PT1H")
    gone = desk.ask("calendar_delete_calendar", calendar_id=other.public_id, confirm=True)
    assert gone == {"status": "deleted"}
    assert desk.ask("calendar_list_events") == []
    other.refresh_from_db()
    restore_calendar(calendar=other)
    assert len(desk.ask("calendar_list_events")) == 1


def test_the_default_calendar_stays(desk, calendar):
    with pytest.raises(ToolError, match="default calendar"):
        desk.ask("calendar_delete_calendar", calendar_id=calendar.public_id, confirm=True)


def test_a_calendar_with_meetings_that_others_expect_stays(desk, calendar, other):
    desk.create(attendees=[ADA], start="2099-03-10T10:00:00Z", end="2099-03-10T11:00:00Z")
    desk.leave()
    Event.objects.update(calendar=other)
    with pytest.raises(ToolError, match="Other people are invited to 1"):
        desk.ask("calendar_delete_calendar", calendar_id=other.public_id, confirm=True)


def test_what_nobody_restored_in_time_is_gone(desk):
    made = desk.create()
    desk.delete(made["id"])
    assert purge_calendars() == 0
    assert purge_calendars(now=datetime.now(UTC) + timedelta(days=31)) == 1
    assert not Event.objects.exists()


# -- google_calendar_service -----------------------------------------------------------------------


def test_the_service_creates_lists_changes_and_deletes(desk, calendar):
    start = (timezone.now() + timedelta(days=1)).replace(microsecond=0)
    times = {"start_at": start.isoformat(), "end_at": (start + timedelta(hours=1)).isoformat()}
    made = serve(desk, "create", title="Order lamps", **times)
    assert (made["status"], made["message"]) == ("success", None)
    event = made["data"]["event"]
    assert event["calendar_id"] == calendar.public_id
    where = {"event_id": event["id"], "calendar_id": event["calendar_id"]}
    changed = serve(desk, "update", **where, title="Order two lamps")
    assert changed["data"]["event"]["title"] == "Order two lamps"
    assert [one["id"] for one in serve(desk, "list")["data"]["events"]] == [event["id"]]
    assert serve(desk, "delete", **where)["data"] == {"event_id": event["id"], "deleted": True}
    assert serve(desk, "list")["data"]["events"] == []


def test_the_service_says_by_its_own_names_what_is_wrong(desk):
    with pytest.raises(ToolError) as error:
        serve(desk, "create", title="x", start_at="2026-03-10T10:00:00Z",
              end_at="2026-03-10T09:00:00Z")  # fmt: skip
    assert refusal(error) == "/end_at"


def test_the_service_holds_what_attendees_are_told(desk, calendar):
    desk.create(attendees=[ADA])
    desk.leave()
    where = {"event_id": Event.objects.get().public_id, "calendar_id": calendar.public_id}
    waiting = serve(desk, "update", **where, title="Lamps")["data"]["waiting"]
    assert waiting["status"] == "queued"
    assert desk.leave()["Subject"] == "Updated invitation: Lamps"
    assert Event.objects.get().summary == "Lamps"


def test_an_event_is_not_in_another_calendar(desk, other):
    made = desk.create()
    with pytest.raises(ToolError, match="no such event"):
        serve(desk, "delete", event_id=made["id"], calendar_id=other.public_id)
