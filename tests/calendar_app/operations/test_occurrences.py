"""What takes place when: files as other programs write them, expanded as another reader does."""

from datetime import UTC, datetime, timedelta

import icalendar
import pytest
import recurring_ical_events

from calendar_app.models import Event
from calendar_app.operations.busy import list_busy
from calendar_app.operations.calendar_files import export_events, import_calendar
from calendar_app.operations.keeping import default_calendar
from calendar_app.operations.occurrences import (
    find_occurrence,
    instance_id,
    list_occurrences,
)
from inbox.actor import system_actor

pytestmark = pytest.mark.django_db

OUTLOOK = """BEGIN:VTIMEZONE
TZID:W. Europe Standard Time
BEGIN:STANDARD
DTSTART:16010101T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3
END:DAYLIGHT
END:VTIMEZONE
"""
WEEKLY = """UID:weekly@lantern.example
SUMMARY:Standup
DTSTART;TZID=Europe/Berlin:20260309T090000
DTEND;TZID=Europe/Berlin:20260309T093000
RRULE:FREQ=WEEKLY;COUNT=6"""


def ics(*events: str, zones: str = "") -> bytes:
    parts = "".join(
        f"BEGIN:VEVENT\nDTSTAMP:20260301T080000Z\n{event.strip()}\nEND:VEVENT\n" for event in events
    )
    text = f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\n{zones}{parts}END:VCALENDAR\n"
    return text.replace("\n", "\r\n").encode()


def at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)


MARCH, MAY = at(2026, 3, 1), at(2026, 5, 1)


@pytest.fixture
def calendar(inbox):
    return default_calendar(inbox.account)


@pytest.fixture
def listed(calendar):
    """Bring events in and list (summary, start) of what takes place in a window."""

    def listed(*events, since=MARCH, until=MAY, limit=100, **more):
        import_calendar(calendar=calendar, content=ics(*events, **more))
        found = list_occurrences(Event.objects.kept(), since=since, until=until, limit=limit)
        return [(one.event.summary, one.start) for one in found]

    return listed


def starts(found) -> list[datetime]:
    return [start for _, start in found]


def test_a_series_keeps_its_hour_through_the_change_of_clocks(listed):
    assert starts(listed(WEEKLY)) == [
        at(2026, 3, 9, 8), at(2026, 3, 16, 8), at(2026, 3, 23, 8), at(2026, 3, 30, 7),
        at(2026, 4, 6, 7), at(2026, 4, 13, 7),
    ]  # fmt: skip


def test_outlooks_zones_are_followed(listed):
    event = WEEKLY.replace("TZID=Europe/Berlin", 'TZID="W. Europe Standard Time"')
    assert starts(listed(event, zones=OUTLOOK))[2:4] == [at(2026, 3, 23, 8), at(2026, 3, 30, 7)]


def test_a_zone_of_its_own_is_followed_by_the_one_like_it(listed):
    zone = OUTLOOK.replace("W. Europe Standard Time", "Our town")
    event = WEEKLY.replace("Europe/Berlin", "Our town")
    assert starts(listed(event, zones=zone))[2:4] == [at(2026, 3, 23, 8), at(2026, 3, 30, 7)]


def test_what_is_left_out_does_not_take_place(listed):
    event = WEEKLY + "\nEXDATE;TZID=Europe/Berlin:20260316T090000,20260330T090000"
    assert len(listed(event)) == 4


def test_googles_all_day_series(listed):
    event = """UID:days@google.example
SUMMARY:Market
DTSTART;VALUE=DATE:20260304
DTEND;VALUE=DATE:20260305
RRULE:FREQ=WEEKLY;WKST=MO;UNTIL=20260318;BYDAY=WE
EXDATE;VALUE=DATE:20260311
TRANSP:TRANSPARENT"""
    assert starts(listed(event)) == [at(2026, 3, 4), at(2026, 3, 18)]


CHANGED = """UID:weekly@lantern.example
RECURRENCE-ID;TZID=Europe/Berlin:20260316T090000
SUMMARY:Standup, late
DTSTART;TZID=Europe/Berlin:20260316T150000
DTEND;TZID=Europe/Berlin:20260316T153000"""


def test_a_changed_instance_takes_the_place_of_its_own(listed):
    found = listed(WEEKLY, CHANGED)
    assert len(found) == 6
    assert found[1] == ("Standup, late", at(2026, 3, 16, 14))


def test_an_instance_that_was_moved_out_of_the_window_is_not_in_it(listed):
    changed = CHANGED.replace(":20260316T15", ":20260701T15")
    window = {"since": at(2026, 3, 15), "until": at(2026, 3, 20)}
    assert listed(WEEKLY, changed, **window) == []


def test_an_instance_that_was_moved_into_the_window_is_in_it(listed):
    changed = CHANGED.replace(":20260316T15", ":20260701T15")
    window = {"since": at(2026, 7, 1), "until": at(2026, 7, 2)}
    assert listed(WEEKLY, changed, **window) == [("Standup, late", at(2026, 7, 1, 13))]


def test_the_id_of_an_instance_stays_when_it_is_moved(listed, calendar):
    listed(WEEKLY)
    second = list_occurrences(
        Event.objects.kept(), since=at(2026, 3, 10), until=at(2026, 4, 1), limit=1
    )[0]
    listed(WEEKLY, CHANGED)
    found = find_occurrence(Event.objects.kept(), second.public_id)
    assert (found.start, found.public_id) == (at(2026, 3, 16, 14), second.public_id)


def test_an_id_of_no_instance_is_none(listed):
    listed(WEEKLY)
    series = Event.objects.get()
    assert find_occurrence(Event.objects.all(), series.public_id).event == series
    assert find_occurrence(Event.objects.all(), instance_id(series, at(2026, 3, 17, 8))) is None


def test_floating_times_are_taken_for_utc(listed):
    event = "UID:f@x\nSUMMARY:Floating\nDTSTART:20260310T090000\nDTEND:20260310T100000"
    assert listed(event) == [("Floating", at(2026, 3, 10, 9))]


def test_what_still_lasts_belongs_to_the_window(listed):
    event = "UID:l@x\nSUMMARY:Fair\nDTSTART;VALUE=DATE:20260220\nDTEND;VALUE=DATE:20260302"
    assert listed(event) == [("Fair", at(2026, 2, 20))]
    ended = "UID:e@x\nSUMMARY:Over\nDTSTART:20260228T230000Z\nDTEND:20260301T000000Z"
    assert ("Over", at(2026, 2, 28, 23)) not in listed(ended)


def test_all_come_in_one_order_and_no_more_than_asked_for(listed):
    daily = "UID:d@x\nSUMMARY:Daily\nDTSTART:20260309T083000Z\nDURATION:PT15M\nRRULE:FREQ=DAILY"
    once = "UID:o@x\nSUMMARY:Once\nDTSTART:20260310T080000Z\nDTEND:20260310T090000Z"
    found = listed(WEEKLY, daily, once, limit=4)
    assert [summary for summary, _ in found] == ["Standup", "Daily", "Once", "Daily"]


def test_another_reader_expands_them_alike(listed):
    sources = (
        WEEKLY + "\nEXDATE;TZID=Europe/Berlin:20260330T090000", CHANGED,
        "UID:m@x\nSUMMARY:M\nDTSTART;TZID=America/New_York:20260301T230000\nDURATION:PT2H\n"
        "RRULE:FREQ=MONTHLY;BYDAY=-1TU,1FR\nRDATE;TZID=America/New_York:20260320T230000",
        "UID:y@x\nSUMMARY:Y\nDTSTART;VALUE=DATE:20250401\nRRULE:FREQ=YEARLY",
    )  # fmt: skip
    theirs = recurring_ical_events.of(icalendar.Calendar.from_ical(ics(*sources))).between(
        at(2026, 3, 1), at(2026, 7, 1)
    )
    expected = sorted((str(one["SUMMARY"]), _utc(one["DTSTART"].dt)) for one in theirs)
    ours = listed(*sources, until=at(2026, 7, 1))
    # A start that its own rule does not name is counted by one and not by the other.
    assert sorted(it for it in ours if it != ("M", at(2026, 3, 2, 4))) == [
        it for it in expected if it != ("M", at(2026, 3, 2, 4))
    ]


def _utc(moment):
    if isinstance(moment, datetime):
        return moment.astimezone(UTC)
    return datetime(moment.year, moment.month, moment.day, tzinfo=UTC)


def test_the_queries_do_not_grow_with_the_calendar(listed, django_assert_num_queries):
    for number in range(3):
        listed(
            WEEKLY.replace("weekly@", f"weekly{number}@"),
            CHANGED.replace("weekly@", f"weekly{number}@"),
        )
    with django_assert_num_queries(4):
        list_occurrences(
            Event.objects.kept(), since=at(2026, 3, 1), until=at(2026, 5, 1), limit=100
        )


def test_a_hundred_hostile_series_do_not_hang(calendar):
    rules = ["FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "FREQ=HOURLY;COUNT=100000", "FREQ=HOURLY"]
    events = [
        f"UID:{number}@x\nDTSTART:20200101T000000Z\nRRULE:{rules[number % 3]}"
        for number in range(99)
    ]
    import_calendar(calendar=calendar, content=ics(*events))
    found = list_occurrences(
        Event.objects.kept(), since=at(2026, 3, 1), until=at(2027, 3, 1), limit=200
    )
    assert len(found) == 200


def test_taken_times_are_joined_and_leave_out_what_takes_none(calendar):
    said = [
        ("a", "100000", "110000", ""), ("b", "103000", "120000", ""),
        ("c", "130000", "140000", "TRANSP:TRANSPARENT"), ("d", "150000", "160000", "STATUS:TENTATIVE"),
        ("e", "170000", "180000", "STATUS:CANCELLED"),
    ]  # fmt: skip
    import_calendar(
        calendar=calendar,
        content=ics(*(f"UID:{uid}\nDTSTART:20260310T{start}Z\nDTEND:20260310T{end}Z\n{line}"
                      for uid, start, end, line in said)),
    )  # fmt: skip
    busy = list_busy(
        actor=system_actor(calendar.workspace_id, "test"), accounts=[calendar.account_id],
        since=at(2026, 3, 10), until=at(2026, 3, 11),
    )  # fmt: skip
    taken = [(one.start.hour, one.end.hour, one.is_tentative) for one in busy[calendar.account_id]]
    assert taken == [(10, 12, False), (15, 16, True)]


def test_a_file_that_is_given_out_can_be_brought_in_again(listed, calendar, workspace):
    listed(WEEKLY + "\nEXDATE;TZID=Europe/Berlin:20260330T090000", CHANGED)
    before = list(Event.objects.order_by("recurrence_id").values("dtstart", "exdate", "summary"))
    text = export_events(rows=Event.objects.all())
    Event.objects.all().delete()
    again = import_calendar(calendar=calendar, content=text.encode())
    assert (again.total, again.stored) == (2, 2)
    after = list(Event.objects.order_by("recurrence_id").values("dtstart", "exdate", "summary"))
    assert after == before


def test_bringing_in_again_changes_nothing(calendar):
    content = ics(WEEKLY, CHANGED, "UID:broken\nDTSTART:soon")
    first = import_calendar(calendar=calendar, content=content)
    again = import_calendar(calendar=calendar, content=content)
    assert (first.total, first.stored, again.stored) == (3, 2, 0)
    assert first.problems[0].startswith("broken: ")


def test_an_instance_lasts_as_long_as_its_series(listed):
    listed(WEEKLY)
    found = list_occurrences(
        Event.objects.kept(), since=at(2026, 3, 30), until=at(2026, 4, 1), limit=9
    )
    assert [one.end - one.start for one in found] == [timedelta(minutes=30)]


def test_a_counted_rule_ends_though_a_further_date_comes_later(listed):
    event = WEEKLY.replace("COUNT=6", "COUNT=2") + "\nRDATE;TZID=Europe/Berlin:20260420T090000"
    assert starts(listed(event)) == [at(2026, 3, 9, 8), at(2026, 3, 16, 8), at(2026, 4, 20, 7)]
