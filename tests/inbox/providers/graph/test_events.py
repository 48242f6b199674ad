"""Events as they lie at Graph, and as they come from there: what each side's words become."""

from collections.abc import Iterator

import pytest

from inbox.providers.change_store import ItemChangedError, ItemRefusedError, Put
from tests.inbox.providers.graph.calendars import UID, calendar, change, create, events, fetch
from tests.inbox.providers.graph.stages import CalendarStage, at
from tests.machines.graph.server import GraphServer

DAY = "DTSTART;VALUE=DATE:20260310\nDTEND;VALUE=DATE:20260312\nSUMMARY:Fair"
TIMED = (
    "DTSTART;TZID=Europe/Vienna:20260310T090000\nDTEND;TZID=Europe/Vienna:20260310T100000\n"
    "SUMMARY:Lamps\nLOCATION:Tower\nDESCRIPTION:Bring oil\\nand wicks\nX-LAMP:lit\nSEQUENCE:3"
)


@pytest.fixture
def stage(graph: GraphServer) -> Iterator[CalendarStage]:
    made = CalendarStage(graph)
    yield made
    made.close()


def test_an_event_is_read_back_as_it_was_said(stage: CalendarStage):
    [event] = events(create(stage, calendar(TIMED)))
    assert event["UID"] == f"UID:{UID}"
    assert event["DTSTART"] == "DTSTART;TZID=Europe/Vienna:20260310T090000"
    assert event["DTEND"] == "DTEND;TZID=Europe/Vienna:20260310T100000"
    assert event["SUMMARY"] == "SUMMARY:Lamps"
    assert event["LOCATION"] == "LOCATION:Tower"
    assert event["DESCRIPTION"] == "DESCRIPTION:Bring oil\\nand wicks"
    assert event["STATUS"] == "STATUS:CONFIRMED"
    assert (event["X-LAMP"], event["SEQUENCE"]) == ("X-LAMP:lit", "SEQUENCE:3")


def test_its_time_stands_there_in_the_words_of_windows(stage: CalendarStage):
    there = stage.get(create(stage, calendar(TIMED)).id)
    assert there["originalStartTimeZone"] == "Central Europe Standard Time"
    assert there["start"] == at("2026-03-10T08:00:00.0000000")


def test_whole_days_stay_whole_days(stage: CalendarStage):
    item = create(stage, calendar(DAY))
    assert stage.get(item.id)["isAllDay"] is True
    [event] = events(item)
    assert event["DTSTART"] == "DTSTART;VALUE=DATE:20260310"
    assert event["DTEND"] == "DTEND;VALUE=DATE:20260312"


def test_a_day_becomes_an_hour_and_back(stage: CalendarStage):
    item = change(
        stage, create(stage, calendar(DAY)),
        ("DTSTART;VALUE=DATE:20260310", "DTSTART:20260310T100000Z"),
        ("DTEND;VALUE=DATE:20260312", "DTEND:20260310T110000Z"),
    )  # fmt: skip
    assert stage.get(item.id)["isAllDay"] is False
    [event] = events(item)
    assert event["DTSTART"] == "DTSTART:20260310T100000Z"


@pytest.mark.parametrize(
    ("said", "shown", "status"),
    [
        ("TRANSP:TRANSPARENT", "free", "CONFIRMED"), ("STATUS:TENTATIVE", "tentative", "TENTATIVE"),
        ("STATUS:CONFIRMED", "busy", "CONFIRMED"), ("STATUS:CANCELLED", "free", "CANCELLED"),
        ("STATUS:TENTATIVE\nTRANSP:TRANSPARENT", "free", "TENTATIVE"),
    ],
)  # fmt: skip
def test_whether_it_takes_its_time_is_shown(stage: CalendarStage, said, shown, status):
    item = create(stage, calendar(f"{DAY}\n{said}"))
    assert stage.get(item.id)["showAs"] == shown
    [event] = events(item)
    assert event["STATUS"] == f"STATUS:{status}"
    assert ("TRANSP" in event) == ("TRANSP" in said)


def test_a_time_out_of_office_stays_one_until_it_is_changed(stage: CalendarStage):
    item = fetch(stage, stage.make({"subject": "Away", "showAs": "oof"}))
    item = change(stage, item, ("SUMMARY:Away", "SUMMARY:Far away"))
    assert stage.get(item.id)["showAs"] == "oof"
    item = change(stage, item, ("STATUS:CONFIRMED", "STATUS:CONFIRMED\r\nTRANSP:TRANSPARENT"))
    assert stage.get(item.id)["showAs"] == "free"


def test_what_outlook_changes_stands_over_what_was_kept(stage: CalendarStage):
    item = create(stage, calendar(f"{DAY}\nSTATUS:TENTATIVE\nTRANSP:TRANSPARENT"))
    stage.patch(item.id, {"showAs": "busy"})
    [event] = events(fetch(stage, item.id))
    assert event["STATUS"] == "STATUS:CONFIRMED"
    assert "TRANSP" not in event


def test_a_body_of_html_is_left_alone_until_the_description_changes(stage: CalendarStage):
    body = {"contentType": "html", "content": "<p>Bring <b>oil</b> &amp; wicks</p>"}
    item = fetch(stage, stage.make({"subject": "Lamps", "body": body}))
    [event] = events(item)
    assert event["DESCRIPTION"] == "DESCRIPTION:Bring oil & wicks"
    item = change(stage, item, ("SUMMARY:Lamps", "SUMMARY:All lamps"))
    assert stage.get(item.id)["body"] == body
    item = change(stage, item, ("Bring oil", "Bring water"))
    assert "<b>" not in stage.get(item.id)["body"]["content"]


def test_only_what_changed_is_told(stage: CalendarStage):
    item = create(stage, calendar(TIMED))
    stage.server.calls.clear()
    change(stage, item, ("LOCATION:Tower", "LOCATION:Cellar"))
    [patch] = [call for call in stage.server.calls if call.method == "PATCH"]
    assert patch.body == b'{"location": {"displayName": "Cellar"}}'


def test_nothing_is_told_where_nothing_changed(stage: CalendarStage):
    item = create(stage, calendar(TIMED))
    again = change(stage, item, ("DTSTAMP", "DTSTAMP"))
    assert again.etag == item.etag


def test_an_event_from_elsewhere_keeps_the_name_that_it_came_with(stage: CalendarStage):
    id_ = stage.make({"subject": "Lamps"})
    event = stage.box.calendars[stage.collection.id].events[id_]
    event.uid = (
        "040000008200E00074C5B7101A82E00800000000000000000000000000000000000000003A000000"
        "7643616C2D55696401000000" + b"far@away.example\0".hex().upper()
    )
    [found] = events(fetch(stage, id_))
    assert found["UID"] == "UID:far@away.example"


def test_a_second_creation_whose_answer_was_lost_makes_no_second_event(stage: CalendarStage):
    stage.server.order("lose", "^POST .*/events$")
    put = Put("", UID, calendar(DAY))
    with pytest.raises(Exception, match=r".") as caught:
        stage.store.apply(stage.collection, put, "")
    assert getattr(caught.value, "kind", "") == "transient"
    with pytest.raises(ItemChangedError):
        stage.store.apply(stage.collection, put, "")
    assert len(stage.box.calendars[stage.collection.id].events) == 1


@pytest.mark.parametrize(
    "said",
    [
        "DTSTART;TZID=Nowhere/Land:20260310T090000\nSUMMARY:Lost", "SUMMARY:No time",
        "DTSTART:20260310T090000Z\nDTEND:20260310T080000Z\nSUMMARY:Backwards",
        f"{DAY}\nRDATE;VALUE=DATE:20260401\nRRULE:FREQ=HOURLY", f"{DAY}\nX-LONG:{'x' * 31_000}",
        f"{DAY}\nRECURRENCE-ID;VALUE=DATE:20260310",
    ],
)  # fmt: skip
def test_what_graph_cannot_hold_is_refused_by_itself(stage: CalendarStage, said):
    with pytest.raises(ItemRefusedError):
        stage.store.apply(stage.collection, Put("", UID, calendar(said)), "")
    assert not stage.box.calendars[stage.collection.id].events
