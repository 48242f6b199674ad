"""Nothing leaves Graph that was not sealed here: it writes to no guest because of what we do."""

from collections.abc import Iterator
from datetime import datetime

import pytest

from inbox.providers.change_store import ItemRefusedError, Remove
from tests.inbox.providers.graph.calendars import calendar, change, create, events, fetch, put
from tests.inbox.providers.graph.stages import CalendarStage
from tests.machines.graph.calendars import invite
from tests.machines.graph.server import ADDRESS, GraphServer

DAY = "DTSTART:20260310T090000Z\nDTEND:20260310T100000Z\nSUMMARY:Lamps"
PEOPLE = (
    f"ORGANIZER;CN=Mira:mailto:{ADDRESS}\n"
    "ATTENDEE;CN=Otto;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION:mailto:otto@shore.example"
)
NINE = datetime(2026, 3, 2, 9)  # noqa: DTZ001
WEEKLY = {
    "pattern": {"type": "weekly", "interval": 1, "daysOfWeek": ["monday"]},
    "range": {"type": "noEnd", "startDate": "2026-03-02"},
}


@pytest.fixture
def stage(graph: GraphServer) -> Iterator[CalendarStage]:
    made = CalendarStage(graph)
    yield made
    made.close()
    # Whatever a test does from here, nobody was written to.
    assert made.box.sent == []


def invited(stage: CalendarStage, organizer: str, **more):
    place = stage.box.calendars[stage.collection.id]
    guests = ("otto@shore.example", ADDRESS)
    event = invite(stage.box, place, "Lamps", NINE, organizer=organizer, guests=guests, **more)
    return fetch(stage, event.id), event


def test_guests_of_ours_are_kept_beside_and_never_named_there(stage: CalendarStage):
    item = create(stage, calendar(f"{DAY}\n{PEOPLE}"))
    assert stage.get(item.id)["attendees"] == []
    [event] = events(item)
    assert event["ORGANIZER"].endswith(f":mailto:{ADDRESS}")
    assert event["ATTENDEE"].endswith(":mailto:otto@shore.example")


def test_an_answer_that_came_here_is_kept_there(stage: CalendarStage):
    item = create(stage, calendar(f"{DAY}\n{PEOPLE}"))
    item = change(stage, item, ("PARTSTAT=NEEDS-ACTION", "PARTSTAT=ACCEPTED"))
    [event] = events(item)
    assert "PARTSTAT=ACCEPTED" in event["ATTENDEE"]
    item = change(stage, item, ("SUMMARY:Lamps", "SUMMARY:Wicks"))
    item = put(stage, item, calendar(DAY))
    assert "ATTENDEE" not in next(events(item))
    stage.store.apply(stage.collection, Remove(item.id), item.etag)


@pytest.mark.parametrize("recurrence", [None, WEEKLY])
def test_what_graph_invited_to_is_changed_by_nobody_here(stage: CalendarStage, recurrence):
    item, event = invited(stage, ADDRESS, recurrence=recurrence)
    assert "ATTENDEE" in next(events(item))
    for one in (("SUMMARY:Lamps", "SUMMARY:Wicks"), ("STATUS", "TRANSP:TRANSPARENT\r\nSTATUS")):
        with pytest.raises(ItemRefusedError):
            change(stage, item, one)
    with pytest.raises(ItemRefusedError):
        stage.store.apply(stage.collection, Remove(item.id), item.etag)
    assert stage.get(event.id)["subject"] == "Lamps"


def test_guests_of_one_instance_count_as_well(stage: CalendarStage):
    item, event = invited(stage, ADDRESS, recurrence=WEEKLY)
    instance = event.at(next(event.days()))
    stage.patch(instance.id, {"subject": "With Otto"})
    stage.box.sent.clear()
    event.attendees = []
    item = fetch(stage, item.id)
    with pytest.raises(ItemRefusedError):
        put(stage, item, item.raw.replace(b"SUMMARY:Lamps", b"SUMMARY:Wicks", 1))


def test_a_guest_is_shown_with_their_own_answer(stage: CalendarStage):
    item, event = invited(stage, "otto@shore.example")
    event.response = "tentativelyAccepted"
    mine = next(line for line in lines(fetch(stage, item.id)) if line.endswith(ADDRESS))
    assert "PARTSTAT=TENTATIVE" in mine


def lines(item) -> list[str]:
    return next(events(item))["ATTENDEE"].split("\n")


@pytest.mark.parametrize(
    ("said", "there"), [("ACCEPTED", "accepted"), ("TENTATIVE", "tentativelyAccepted")]
)
def test_an_answer_is_noted_there_and_sent_to_nobody(stage: CalendarStage, said, there):
    item, event = invited(stage, "otto@shore.example")
    mine = next(line for line in lines(item) if line.endswith(ADDRESS))
    raw = item.raw.decode().replace("\r\n ", "")
    after = raw.replace(mine, mine.replace("NEEDS-ACTION", said)).encode()
    put(stage, item, after)
    assert event.response == there


def test_what_would_take_an_invitation_away_is_not_told(stage: CalendarStage):
    item, event = invited(stage, "otto@shore.example")
    mine = next(line for line in lines(item) if line.endswith(ADDRESS))
    raw = item.raw.decode().replace("\r\n ", "")
    with pytest.raises(ItemRefusedError):
        put(stage, item, raw.replace(mine, mine.replace("NEEDS-ACTION", "DECLINED")).encode())
    assert event.response == "notResponded"


def test_a_guest_changes_whether_it_takes_their_time_and_no_more(stage: CalendarStage):
    item, event = invited(stage, "otto@shore.example", recurrence=WEEKLY)
    item = change(stage, item, ("STATUS:CONFIRMED", "STATUS:CONFIRMED\r\nTRANSP:TRANSPARENT"))
    assert stage.get(event.id)["showAs"] == "free"
    for one in (
        ("SUMMARY:Lamps", "SUMMARY:Wicks"), ("STATUS", "EXDATE:20260309T080000Z\r\nSTATUS"),
        ("mailto:otto@shore.example", "mailto:ada@shore.example"),
    ):  # fmt: skip
        with pytest.raises(ItemRefusedError):
            change(stage, item, one)


def test_an_invitation_is_taken_out_and_nobody_hears(stage: CalendarStage):
    item, _event = invited(stage, "otto@shore.example")
    stage.store.apply(stage.collection, Remove(item.id), item.etag)
    assert not stage.box.calendars[stage.collection.id].events
