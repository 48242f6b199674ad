"""A series and its changed instances are one item, both ways."""

from datetime import UTC, datetime

import pytest

from calendar_app.icalendar import read_calendar
from inbox.formats.content_lines import read_blocks, write_blocks
from inbox.providers.change_store import ItemChangedError, Put, Remove
from tests.change_store_cases import everything, fetched, follow, only

BERLIN = {"timeZone": "Europe/Berlin"}
SERIES = {
    "start": {"dateTime": "2026-03-02T09:00:00", **BERLIN},
    "end": {"dateTime": "2026-03-02T09:30:00", **BERLIN},
    "recurrence": ["RRULE:FREQ=WEEKLY;COUNT=6", "EXDATE;TZID=Europe/Berlin:20260309T090000"],
    "summary": "Round",
}


@pytest.fixture
def series(calendar):
    return calendar.post(iCalUID="round@lantern.example", **SERIES)


def events_of(item):
    events, problems = read_calendar(item.raw)
    assert problems == []
    return {event.recurrence_id: event for event in events}


def instance(stage, series, number):
    query = {"originalStart": f"2026-03-{2 + 7 * number:02}T09:00:00+01:00"}
    answer = stage.client.get(f"{stage.path}/{series['id']}/instances", params=query)
    return answer.json()["items"][0]


def edited(item, edit, number=0):
    """Return the item with one of its events edited."""
    blocks = read_blocks(item.raw.decode())
    edit(blocks[0].blocks[number])
    return write_blocks(blocks).encode()


def put(stage, item, raw, etag=None):
    change = Put(item.id, "", raw, item.raw)
    return stage.store.apply(stage.collection, change, item.etag if etag is None else etag)


def test_a_series_comes_with_its_changed_instances_and_without_those_called_off(calendar, series):
    calendar.patch(instance(calendar, series, 2)["id"], summary="Long round")
    calendar.client.delete(f"{calendar.path}/{instance(calendar, series, 3)['id']}")
    events = events_of(only(calendar))
    assert {stamp: event.summary for stamp, event in events.items()} == {
        "": "Round", "20260316T080000Z": "Long round",
    }  # fmt: skip
    assert sorted(events[""].exdate) == ["20260309T080000Z", "20260323T080000Z"]
    assert (events[""].rrule, events[""].timezone) == ("FREQ=WEEKLY;COUNT=6", "Europe/Berlin")
    assert events[""].start == datetime(2026, 3, 2, 8, tzinfo=UTC)


def test_a_changed_instance_is_told_as_a_change_of_its_series(calendar, series):
    first = everything(calendar)
    calendar.patch(instance(calendar, series, 2)["id"], summary="Long round")
    for store in (calendar.store, calendar.reopened()):
        calendar.store = store
        found = follow(calendar, first.position)
        [entry] = found.present
        assert (entry.id, found.is_whole) == (series["id"], False)
        assert entry.etag not in {first.present[0].etag, ""}
        assert follow(calendar, found.position).present == ()


def test_a_series_that_is_deleted_is_gone_with_its_instances(calendar, series):
    calendar.patch(instance(calendar, series, 2)["id"], summary="Long round")
    first = everything(calendar)
    calendar.remove("round")
    found = follow(calendar, first.position)
    assert (found.present, found.gone) == ((), (series["id"],))
    assert everything(calendar).present == ()


def test_only_what_changed_of_a_series_is_told(calendar, series):
    calendar.patch(series["id"], location="Attic", colorId="5", conferenceData={"notes": "By wire"})
    item = only(calendar)
    put(calendar, item, edited(item, lambda event: event.put("SUMMARY", ["SUMMARY:Circle"])))
    [call] = [it for it in calendar.server.calls if it.method == "PATCH"][1:]
    assert call.body == b'{"summary": "Circle"}'
    event = calendar.calendar.events[series["id"]]
    assert (event["summary"], event["location"], event["colorId"]) == ("Circle", "Attic", "5")
    assert event["conferenceData"] == {"notes": "By wire"}


def test_an_occurrence_that_differs_here_differs_there(calendar, series):
    item = only(calendar)
    text = item.raw.decode().replace("END:VCALENDAR\r\n", "")
    raw = (
        f"{text}BEGIN:VEVENT\r\nUID:round@lantern.example\r\nDTSTAMP:20260101T000000Z\r\n"
        "RECURRENCE-ID;TZID=Europe/Berlin:20260316T090000\r\n"
        "DTSTART;TZID=Europe/Berlin:20260316T110000\r\nDTEND;TZID=Europe/Berlin:20260316T113000\r\n"
        "SUMMARY:Late round\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
    assert put(calendar, item, raw.encode()).etag == ""
    there = events_of(only(calendar))["20260316T080000Z"]
    assert (there.summary, there.start) == ("Late round", datetime(2026, 3, 16, 10, tzinfo=UTC))
    # As its series again.
    item = only(calendar)
    blocks = read_blocks(item.raw.decode())
    blocks[0].items.remove(blocks[0].blocks[1])
    put(calendar, item, write_blocks(blocks).encode())
    there = events_of(only(calendar))["20260316T080000Z"]
    assert (there.summary, there.start) == ("Round", datetime(2026, 3, 16, 8, tzinfo=UTC))


def test_an_occurrence_is_left_out_and_takes_place_again(calendar, series):
    calendar.client.delete(f"{calendar.path}/{instance(calendar, series, 3)['id']}")
    calendar.patch(instance(calendar, series, 2)["id"], summary="Long round")
    item = only(calendar)
    blocks = read_blocks(item.raw.decode())
    blocks[0].items.remove(blocks[0].blocks[1])
    days = ("20260316T090000", "20260330T090000")
    lines = [f"EXDATE;TZID=Europe/Berlin:{day}" for day in days]
    blocks[0].blocks[0].put("EXDATE", lines)
    put(calendar, item, write_blocks(blocks).encode())
    events = events_of(only(calendar))
    assert sorted(events[""].exdate) == ["20260316T080000Z", "20260330T070000Z"]
    # At Google it stays an instance by itself, which says what its series does.
    assert {stamp: event.summary for stamp, event in events.items()} == {
        "": "Round", "20260323T080000Z": "Round",
    }  # fmt: skip


def test_a_series_that_moves_takes_what_is_left_out_along(calendar, series):
    calendar.client.delete(f"{calendar.path}/{instance(calendar, series, 3)['id']}")
    item = only(calendar)

    def edit(event):
        event.put("DTSTART", ["DTSTART;TZID=Europe/Berlin:20260302T100000"])
        event.put("DTEND", ["DTEND;TZID=Europe/Berlin:20260302T103000"])
        days = ("20260309T100000", "20260323T100000")
        event.put("EXDATE", [f"EXDATE;TZID=Europe/Berlin:{day}" for day in days])

    put(calendar, item, edited(item, edit))
    event = events_of(only(calendar))[""]
    assert event.start == datetime(2026, 3, 2, 9, tzinfo=UTC)
    assert {"20260309T090000Z", "20260323T090000Z"} <= {*event.exdate}


def test_a_series_is_made_with_its_instances(calendar):
    lines = "\r\n".join((
        "BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VEVENT", "UID:new@lantern.example",
        "DTSTAMP:20260101T000000Z", "DTSTART;VALUE=DATE:20260302", "DTEND;VALUE=DATE:20260303",
        "RRULE:FREQ=DAILY;COUNT=5", "EXDATE;VALUE=DATE:20260303", "SUMMARY:Watch", "SEQUENCE:3",
        "TRANSP:TRANSPARENT", "END:VEVENT",
        "BEGIN:VEVENT", "UID:new@lantern.example", "DTSTAMP:20260101T000000Z",
        "RECURRENCE-ID;VALUE=DATE:20260304", "DTSTART;VALUE=DATE:20260304",
        "DTEND;VALUE=DATE:20260305", "SUMMARY:Night watch", "END:VEVENT", "END:VCALENDAR", "",
    ))  # fmt: skip
    made = calendar.store.apply(calendar.collection, Put("", "new", lines.encode()), "")
    item = only(calendar)
    events = events_of(item)
    assert item.id == made.id
    assert {stamp: event.summary for stamp, event in events.items()} == {
        "": "Watch", "20260304": "Night watch",
    }  # fmt: skip
    first = events[""]
    assert (first.all_day, first.sequence, first.is_transparent) == (True, 3, True)
    assert first.exdate == ("20260303",)


def test_an_instance_that_changed_there_keeps_the_series_as_it_is(calendar, series):
    item = only(calendar)
    calendar.patch(instance(calendar, series, 2)["id"], summary="Long round")
    for change in (Put(item.id, "", item.raw), Remove(item.id)):
        with pytest.raises(ItemChangedError):
            calendar.store.apply(calendar.collection, change, item.etag)


def test_one_invited_to_a_single_instance_has_that_alone(calendar, series):
    one = instance(calendar, series, 2)
    calendar.patch(one["id"], summary="Long round")
    # The series is on somebody else's calendar.
    del calendar.calendar.events[series["id"]]
    item = only(calendar)
    assert item.id == series["id"]
    assert {*events_of(item)} == {"20260316T080000Z"}
    calendar.store = calendar.reopened()
    assert fetched(calendar, [item.id]) == [item]
