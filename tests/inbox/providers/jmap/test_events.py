"""Calendars by the draft of JMAP with RFC 8984: what every collection does, and what is told."""

import copy

import pytest

from inbox.providers.change_store import Collection, Put, Remove
from inbox.providers.jmap.calendars.events import id_of
from tests.change_store_cases import ChangeStoreCases, only
from tests.inbox.providers.jmap.stages import EventStage
from tests.inbox.providers.jmap.test_cyrus_calendars import EVENTS, calendar_of, said

PEOPLE = {
    "replyTo": {"imip": "mailto:office@lantern.example"},
    "participants": {
        "o": {"@type": "Participant", "name": "Mira", "email": "office@lantern.example",
              "sendTo": {"imip": "mailto:office@lantern.example"},
              "roles": {"owner": True, "attendee": True}, "participationStatus": "accepted"},
        "a": {"@type": "Participant", "name": "Ada", "sendTo": {"imip": "mailto:ada@x.example"},
              "roles": {"attendee": True}, "participationStatus": "needs-action",
              "expectReply": True, "language": "en"},
        "c": {"@type": "Participant", "name": "Desk", "roles": {"contact": True}},
    },
}  # fmt: skip
SERIES = {
    "title": "Oil", "description": "<p>Bring <b>wicks</b>.</p>",
    "descriptionContentType": "text/html", "start": "2027-03-01T09:00:00",
    "timeZone": "Europe/Berlin", "duration": "PT90M", "privacy": "private", "priority": 3,
    "locations": {
        "l1": {"@type": "Location", "name": "Tower", "coordinates": "geo:54,10"},
        "l2": {"@type": "Location", "name": "Yard", "relativeTo": "end"},
    },
    "alerts": {"bell": {
        "@type": "Alert", "trigger": {"@type": "OffsetTrigger", "offset": "-PT10M"},
    }},
    "recurrenceRules": [{"@type": "RecurrenceRule", "frequency": "weekly", "count": 9}],
    "recurrenceOverrides": {
        "2027-03-08T09:00:00": {
            "start": "2027-03-08T11:00:00", "title": "Later", "alerts/bell": None,
            "participants/a/participationStatus": "declined",
        },
        "2027-03-15T09:00:00": {"excluded": True},
        "2027-03-20T09:00:00": {},
    },
    **PEOPLE,
}  # fmt: skip
LATER = SERIES["recurrenceOverrides"]["2027-03-08T09:00:00"]


@pytest.fixture
def stage(events: EventStage) -> EventStage:
    return events


class TestEvents(ChangeStoreCases):
    pass


def put(stage, item, *pairs):
    raw = item.raw.decode().replace("\r\n ", "")
    for old, new in pairs:
        assert old in raw, raw
        raw = raw.replace(old, new)
    change = Put(item.id, "", raw.encode(), item.raw)
    stage.store.apply(stage.collection, change, item.etag)


@pytest.fixture
def series(stage):
    stage.make(uid="oil@lantern.example", **copy.deepcopy(SERIES))
    return only(stage)


def test_a_series_is_read_with_all_that_differs_in_it(series):
    fields = said(series.raw)
    assert fields["when"] == [
        "2027-03-01T08:00:00+00:00", "2027-03-01T09:30:00+00:00", False, "Europe/Berlin",
        "COUNT=9;FREQ=WEEKLY",
    ]  # fmt: skip
    assert (fields["exdate"], fields["rdate"]) == (["20270315T080000Z"], ["20270320T080000Z"])
    assert fields["20270308T080000Z/summary"] == "Later"
    assert fields["20270308T080000Z/attendee:ada@x.example"][1] == "declined"
    assert fields["attendee:ada@x.example"] == ["Ada", "needs-action", "req-participant", True]
    assert fields["organizer"] == ["office@lantern.example", "Mira"]
    assert fields["location"] == "Tower"
    assert fields["description"].strip() == "Bring wicks."


@pytest.mark.parametrize(
    ("pairs", "patch"),
    [
        ([("SUMMARY:Oil\r\n", "SUMMARY:Wicks\r\n")], {"title": "Wicks"}),
        ([("SUMMARY:Later", "SUMMARY:Much later")], {"recurrenceOverrides": {
            **SERIES["recurrenceOverrides"],
            "2027-03-08T09:00:00": LATER | {"title": "Much later"}}}),
        ([("COUNT=9", "COUNT=8")],
         {"recurrenceRules": [{"@type": "RecurrenceRule", "frequency": "weekly", "count": 8}]}),
        ([("PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:ada", "PARTSTAT=ACCEPTED:mailto:ada")],
         {"participants/a": PEOPLE["participants"]["a"] | {
             "participationStatus": "accepted", "expectReply": False}}),
        ([("EXDATE;TZID=Europe/Berlin:20270315T090000\r\n", "")], {"recurrenceOverrides": {
            key: it for key, it in SERIES["recurrenceOverrides"].items() if "-15" not in key}}),
        ([("RDATE;TZID=Europe/Berlin:20270320T090000", "RDATE;TZID=Europe/Berlin:20270321T090000")],
         {"recurrenceOverrides": {
             **{key: it for key, it in SERIES["recurrenceOverrides"].items() if "-20" not in key},
             "2027-03-21T09:00:00": {}}}),
    ],
)  # fmt: skip
def test_only_what_changed_is_told(stage, series, pairs, patch):
    stage.server.sets.clear()
    put(stage, series, *pairs)
    [asked] = stage.server.sets
    told = asked["update"][series.id]
    # What a series says anew, its instances still say as they did.
    kept = told.pop("recurrenceOverrides", None) if "recurrenceOverrides" not in patch else None
    assert told == patch
    if kept:
        later = kept["2027-03-08T09:00:00"]
        assert later["alerts/bell"] is None
        assert later["title"] == "Later"


def test_what_a_series_says_anew_its_instances_still_say_as_they_did(stage, series):
    put(stage, series, ("DESCRIPTION:", "DESCRIPTION:Do b"), ("LOCATION:Tower", "LOCATION:Quay"))
    assert said(only(stage).raw)["20270308T080000Z/location"] == "Quay"
    raw = only(stage).raw.decode().replace("LOCATION:Quay", "LOCATION:Pier", 1)
    item = only(stage)
    stage.store.apply(stage.collection, Put(item.id, "", raw.encode(), item.raw), item.etag)
    fields = said(only(stage).raw)
    assert (fields["location"], fields["20270308T080000Z/location"]) == ("Pier", "Quay")
    event = stage.server.events[series.id]
    assert event["locations"]["l2"] == SERIES["locations"]["l2"]
    assert event["alerts"] == SERIES["alerts"]
    assert event["recurrenceOverrides"]["2027-03-08T09:00:00"]["alerts/bell"] is None
    assert event["participants"]["c"] == PEOPLE["participants"]["c"]


@pytest.mark.parametrize("name", sorted(EVENTS))
def test_what_is_made_here_is_read_again_as_it_was(stage, name):
    raw = calendar_of((f"SUMMARY:Made\n{EVENTS[name][0]}", EVENTS[name][1]))
    made = stage.store.apply(stage.collection, Put("", "made@lantern.example", raw), "")
    item = only(stage)
    before = {"status": "confirmed", **said(raw)}
    stamps = {key.partition("/")[0] for key in before if "/" in key and ":" not in key}
    before = {**{f"{stamp}/status": "confirmed" for stamp in stamps}, **before}
    assert said(item.raw) == before
    # Nothing is left to be told.
    calls = stage.store.calls
    stage.store.apply(stage.collection, Put(made.id, "", item.raw, item.raw), item.etag)
    assert stage.store.calls - calls == 1


def test_guests_come_and_go(stage):
    stage.make(uid="tide", title="Tide", **copy.deepcopy(PEOPLE))
    item = only(stage)
    line = "ATTENDEE;PARTSTAT=NEEDS-ACTION;ROLE=OPT-PARTICIPANT:mailto:bo@x.example\r\n"
    lines = [
        it for it in item.raw.decode().replace("\r\n ", "").split("\r\n") if "mailto:ada" in it
    ]
    put(stage, item, (f"{lines[0]}\r\n", line))
    people = stage.server.events[item.id]["participants"]
    assert "a" not in people
    assert people["o"] == PEOPLE["participants"]["o"]
    [new] = [it for key, it in people.items() if key not in ("o", "c")]
    assert new["roles"] == {"attendee": True, "optional": True}
    assert new["sendTo"] == {"imip": "mailto:bo@x.example"}


def test_an_event_that_lies_in_another_calendar_as_well_is_only_taken_out_of_ours(stage):
    other = stage.server.add("Calendar", {"name": "Others"})
    made = stage.make(uid="tide", title="Tide", calendarIds={stage.calendar: True, other: True})
    elsewhere = Collection(id_of(other), "calendar", "Others")
    [entry] = stage.store.changes(elsewhere, "").present
    stage.store.apply(stage.collection, Remove(made), entry.etag)
    assert stage.server.events[made]["calendarIds"] == {other: True}
    stage.store.apply(elsewhere, Remove(made), "")
    assert made not in stage.server.events


@pytest.mark.parametrize(
    "fields",
    [{"start": "soon"}, {"timeZone": "Moon/Sea"}, {"duration": "long"},
     {"recurrenceRules": [{"@type": "RecurrenceRule", "frequency": "daily", "rscale": "hebrew"}]},
     {"recurrenceOverrides": {"never": {"title": "x"}}}],
)  # fmt: skip
def test_what_cannot_be_read_is_handed_on_empty(stage, fields):
    stage.server.add("CalendarEvent", {
        "@type": "Event", "uid": "odd", "calendarIds": {stage.calendar: True}, "title": "Odd",
        "start": "2027-03-01T09:00:00", "timeZone": "Etc/UTC", **fields,
    })  # fmt: skip
    assert only(stage).raw == b""


def test_calendars_are_listed_with_what_may_be_done_in_them(stage):
    stage.server.add("Calendar", {
        "name": "Theirs", "color": "#aabbcc", "myRights": {"mayReadItems": True},
    })  # fmt: skip
    stage.server.add("Calendar", {"name": "Busy", "myRights": {"mayReadItems": False}})
    found = {one.name: (one.writable, one.color) for one in stage.store.collections()}
    assert found == {stage.name: (True, ""), "Theirs": (False, "#aabbcc")}
