"""Series at Graph: the rule, the instances that differ, and those that were taken out."""

from collections.abc import Iterator

import pytest

from inbox.providers.change_store import ItemChangedError, ItemRefusedError, Put, Remove
from tests.inbox.providers.graph.calendars import (
    UID,
    calendar,
    change,
    create,
    events,
    fetch,
    put,
)
from tests.inbox.providers.graph.stages import CalendarStage, at
from tests.machines.graph.server import GraphServer

BERLIN = "TZID=Europe/Berlin"
MASTER = (
    f"DTSTART;{BERLIN}:20260302T090000\nDTEND;{BERLIN}:20260302T100000\nSUMMARY:Watch\n"
    "RRULE:FREQ=WEEKLY;BYDAY=MO"
)
# Summer time has come by then.
INSTANCE = (
    f"RECURRENCE-ID:20260330T070000Z\nDTSTART;{BERLIN}:20260330T110000\n"
    f"DTEND;{BERLIN}:20260330T120000\nSUMMARY:Late watch"
)


@pytest.fixture
def stage(graph: GraphServer) -> Iterator[CalendarStage]:
    made = CalendarStage(graph)
    yield made
    made.close()


def master_of(stage: CalendarStage):
    [event] = stage.box.calendars[stage.collection.id].events.values()
    return event


def test_a_series_stands_there_with_all_that_differs(stage: CalendarStage):
    item = create(stage, calendar(f"{MASTER}\nEXDATE;{BERLIN}:20260309T090000", INSTANCE))
    there = master_of(stage)
    assert there.recurrence["pattern"]["daysOfWeek"] == ["monday"]
    assert [day.isoformat() for day in there.cancelled] == ["2026-03-09"]
    assert [one.fields["subject"] for one in there.exceptions.values()] == ["Late watch"]
    whole, instance = events(item)
    assert whole["RRULE"] == "RRULE:FREQ=WEEKLY;BYDAY=MO"
    assert whole["EXDATE"] == "EXDATE:20260309T080000Z"
    assert instance["RECURRENCE-ID"] == "RECURRENCE-ID:20260330T070000Z"
    assert instance["DTSTART"] == f"DTSTART;{BERLIN}:20260330T110000"
    assert instance["SUMMARY"] == "SUMMARY:Late watch"


def test_a_rule_in_its_own_words_is_read_back_in_them(stage: CalendarStage):
    said = MASTER.replace("FREQ=WEEKLY;BYDAY=MO", "COUNT=5;FREQ=WEEKLY;INTERVAL=1")
    [event] = events(create(stage, calendar(said)))
    assert event["RRULE"] == "RRULE:COUNT=5;FREQ=WEEKLY;INTERVAL=1"
    stage.patch(master_of(stage).id, {"recurrence": recurrence("daily")})
    [event] = events(fetch(stage, master_of(stage).id))
    assert event["RRULE"] == "RRULE:FREQ=DAILY"


def recurrence(kind: str, **more):
    pattern = {"type": kind, "interval": 1, **more}
    return {"pattern": pattern, "range": {"type": "noEnd", "startDate": "2026-03-02"}}


def test_an_instance_changed_in_outlook_is_told_with_its_series(stage: CalendarStage):
    times = {"start": at("2026-03-02T09:00:00", "W. Europe Standard Time"),
             "end": at("2026-03-02T10:00:00", "W. Europe Standard Time")}  # fmt: skip
    weekly = recurrence("weekly", daysOfWeek=["monday"])
    id_ = stage.make({"subject": "Watch", **times, "recurrence": weekly})
    first = stage.store.changes(stage.collection, "")
    master = master_of(stage)
    days = list(zip(range(3), master.days(), strict=False))
    stage.patch(master.at(days[1][1]).id, {"subject": "Other watch"})
    stage.client.delete(f"/me/events/{master.at(days[2][1]).id}")
    second = stage.store.changes(stage.collection, first.position)
    assert [entry.id for entry in second.present] == [id_]
    whole, instance = events(fetch(stage, id_))
    assert whole["DTSTART"] == f"DTSTART;{BERLIN}:20260302T090000"
    assert whole["EXDATE"] == "EXDATE:20260316T080000Z"
    assert instance["SUMMARY"] == "SUMMARY:Other watch"


def test_an_instance_is_changed_taken_out_and_made_usual_again(stage: CalendarStage):
    item = create(stage, calendar(MASTER, INSTANCE))
    item = change(stage, item, ("SUMMARY:Late watch", "SUMMARY:Very late watch"))
    assert [one["SUMMARY"] for one in events(item)] == ["SUMMARY:Watch", "SUMMARY:Very late watch"]
    item = put(stage, item, calendar(MASTER))
    assert [one["SUMMARY"] for one in events(item)] == ["SUMMARY:Watch"]
    item = put(stage, item, calendar(f"{MASTER}\nEXDATE;{BERLIN}:20260330T090000"))
    [whole] = events(item)
    assert whole["EXDATE"] == "EXDATE:20260330T070000Z"


def test_an_instance_that_is_cancelled_is_taken_out(stage: CalendarStage):
    item = create(stage, calendar(MASTER, f"{INSTANCE}\nSTATUS:CANCELLED"))
    [whole] = events(item)
    assert whole["EXDATE"] == "EXDATE:20260330T070000Z"


def test_what_is_kept_of_an_instance_stays(stage: CalendarStage):
    item = create(stage, calendar(MASTER, f"{INSTANCE}\nX-LAMP:dim\nSEQUENCE:2"))
    _whole, instance = events(item)
    assert (instance["X-LAMP"], instance["SEQUENCE"]) == ("X-LAMP:dim", "SEQUENCE:2")


def test_what_was_taken_out_does_not_come_back(stage: CalendarStage):
    item = create(stage, calendar(f"{MASTER}\nEXDATE;{BERLIN}:20260309T090000"))
    with pytest.raises(ItemRefusedError):
        put(stage, item, calendar(MASTER))


def test_a_series_that_moves_keeps_what_differs(stage: CalendarStage):
    item = create(stage, calendar(f"{MASTER}\nEXDATE;{BERLIN}:20260309T090000", INSTANCE))
    moved = calendar(
        f"{MASTER}\nEXDATE;{BERLIN}:20260309T080000".replace("T090000\nDTEND", "T080000\nDTEND"),
        INSTANCE.replace("T070000Z", "T060000Z"),
    )
    whole, instance = events(put(stage, item, moved))
    assert whole["DTSTART"] == f"DTSTART;{BERLIN}:20260302T080000"
    assert whole["EXDATE"] == "EXDATE:20260309T070000Z"
    assert instance["RECURRENCE-ID"] == "RECURRENCE-ID:20260330T060000Z"
    assert instance["SUMMARY"] == "SUMMARY:Late watch"


def test_a_series_becomes_a_single_event(stage: CalendarStage):
    item = create(stage, calendar(MASTER))
    item = put(stage, item, calendar(MASTER.replace("RRULE:FREQ=WEEKLY;BYDAY=MO", "")))
    [event] = events(item)
    assert "RRULE" not in event
    assert master_of(stage).recurrence is None


def test_an_instance_that_is_none_is_refused(stage: CalendarStage):
    with pytest.raises(ItemRefusedError):
        create(stage, calendar(MASTER, INSTANCE.replace("20260330T07", "20260331T07")))


def test_an_instance_that_passes_another_is_refused(stage: CalendarStage):
    item = create(stage, calendar(MASTER))
    passing = INSTANCE.replace(":20260330T11", ":20260407T11").replace(
        ":20260330T12", ":20260407T12"
    )
    with pytest.raises(ItemRefusedError):
        put(stage, item, calendar(MASTER, passing))


def test_a_series_of_whole_days(stage: CalendarStage):
    said = "DTSTART;VALUE=DATE:20260331\nDTEND;VALUE=DATE:20260401\nSUMMARY:Count oil\n"
    rule = "RRULE:FREQ=MONTHLY;BYMONTHDAY=-1;UNTIL=20261231"
    instance = (
        "RECURRENCE-ID;VALUE=DATE:20260531\nDTSTART;VALUE=DATE:20260530\n"
        "DTEND;VALUE=DATE:20260531\nSUMMARY:Count oil early"
    )
    item = create(stage, calendar(f"{said}{rule}\nEXDATE;VALUE=DATE:20260430", instance))
    whole, changed = events(item)
    assert whole["RRULE"] == rule
    assert whole["EXDATE"] == "EXDATE;VALUE=DATE:20260430"
    assert changed["RECURRENCE-ID"] == "RECURRENCE-ID;VALUE=DATE:20260531"
    assert changed["DTSTART"] == "DTSTART;VALUE=DATE:20260530"


def test_a_series_changed_in_between_is_left_alone(stage: CalendarStage):
    item = create(stage, calendar(MASTER))
    stage.patch(master_of(stage).at(next(master_of(stage).days())).id, {"subject": "Other"})
    with pytest.raises(ItemChangedError):
        put(stage, item, calendar(MASTER.replace("Watch", "Guard")))
    with pytest.raises(ItemChangedError):
        stage.store.apply(stage.collection, Remove(item.id), item.etag)


def test_an_instance_alone_is_refused(stage: CalendarStage):
    with pytest.raises(ItemRefusedError):
        stage.store.apply(stage.collection, Put("", UID, calendar(INSTANCE)), "")
