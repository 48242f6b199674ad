"""Nothing that is done here is shown by Google to the guests of an event."""

import json

import pytest

from calendar_app.icalendar import read_calendar
from inbox.formats.content_lines import read_blocks, write_blocks
from inbox.providers.change_store import ItemRefusedError, Put, Remove
from tests.change_store_cases import only

OWNER = "mira@lantern.example"
GUEST = "ada@customer.example"
_PEOPLE = (
    "ORGANIZER;CN=Mira:mailto:{organizer}\r\n"
    "ATTENDEE;CN=Mira;PARTSTAT=ACCEPTED;ROLE=REQ-PARTICIPANT:mailto:" + OWNER + "\r\n"
    "ATTENDEE;CN=Ada;PARTSTAT=NEEDS-ACTION;ROLE=OPT-PARTICIPANT;RSVP=TRUE:mailto:" + GUEST + "\r\n"
)


@pytest.fixture
def stage(calendar):
    yield calendar
    asked = [dict(call.query) for call in calendar.server.calls if call.method != "GET"]
    assert {it.get("sendUpdates", "none") for it in asked} <= {"none"}
    assert calendar.calendars.told == []


def with_people(stage, organizer=OWNER):
    text = stage.item("one", "Dinner").decode()
    return text.replace("END:VEVENT", f"{_PEOPLE.format(organizer=organizer)}END:VEVENT").encode()


def served(stage, *, by_us=True):
    """Make an event that Google invited to; returns the item."""
    mine = {"email": OWNER, "responseStatus": "needsAction"}
    made = stage.post(
        iCalUID="one@lantern.example", summary="Dinner", attendees=[mine, {"email": GUEST}]
    )
    event = stage.calendar.events[made["id"]]
    if not by_us:
        event["organizer"] = {"email": GUEST}
    stage.calendars.told.clear()
    return only(stage)


def put(stage, item, old, new):
    raw = item.raw.replace(old, new)
    assert raw != item.raw
    return stage.store.apply(stage.collection, Put(item.id, "", raw, item.raw), item.etag)


@pytest.mark.parametrize("organizer", [OWNER, GUEST])
def test_an_event_with_guests_is_made_as_a_private_copy(stage, organizer):
    stage.store.apply(stage.collection, Put("", "one", with_people(stage, organizer)), "")
    item = only(stage)
    event = stage.calendar.events[item.id]
    assert event["privateCopy"] is True
    assert event["iCalUID"] == "one@lantern.example"
    [said] = read_calendar(item.raw)[0]
    guests = {it.email: (it.name, it.partstat, it.role, it.rsvp) for it in said.attendees}
    assert guests == {
        OWNER: ("Mira", "accepted", "req-participant", False),
        GUEST: ("Ada", "needs-action", "opt-participant", True),
    }
    assert said.organizer.email == organizer
    # What changes of it is shown to nobody either.
    put(stage, item, b"PARTSTAT=NEEDS-ACTION;RSVP=TRUE", b"PARTSTAT=DECLINED")
    [said] = read_calendar(only(stage).raw)[0]
    assert [it.partstat for it in said.attendees] == ["accepted", "declined"]


def test_what_google_serves_to_guests_is_neither_changed_nor_removed(stage):
    item = served(stage)
    with pytest.raises(ItemRefusedError, match="guests"):
        put(stage, item, b"SUMMARY:Dinner", b"SUMMARY:Supper")
    with pytest.raises(ItemRefusedError, match="guests"):
        stage.store.apply(stage.collection, Remove(item.id), item.etag)
    assert only(stage) == item


def test_nobody_is_added_to_what_google_would_serve(stage):
    stage.put("one", "Dinner")
    item = only(stage)
    people = _PEOPLE.format(organizer=OWNER).encode() + b"END:VEVENT"
    with pytest.raises(ItemRefusedError, match="guests"):
        put(stage, item, b"END:VEVENT", people)
    assert only(stage) == item


def test_of_an_invitation_only_ones_own_answer_is_told(stage):
    item = served(stage, by_us=False)
    blocks = read_blocks(item.raw.decode())
    event = blocks[0].blocks[0]
    lines = event.lines("ATTENDEE")
    mine = next(line for line in lines if OWNER in line)
    answered = mine.replace("NEEDS-ACTION", "ACCEPTED").replace(";RSVP=TRUE", "")
    event.put("ATTENDEE", [answered if line is mine else line for line in lines])
    change = Put(item.id, "", write_blocks(blocks).encode(), item.raw)
    with pytest.raises(ItemRefusedError, match="guests"):
        put(stage, item, b"SUMMARY:Dinner", b"SUMMARY:Supper")
    stage.store.apply(stage.collection, change, item.etag)
    [call] = [it for it in stage.server.calls if it.method == "PATCH"]
    assert json.loads(call.body) == {
        "attendees": [
            {"email": OWNER, "responseStatus": "accepted", "optional": False, "self": True},
            {"email": GUEST, "responseStatus": "needsAction"},
        ]
    }
    # Its organizer sees the answer, which had left under a seal before.
    assert stage.calendars.told.pop() == item.id


def test_an_event_of_others_alone_is_a_private_copy_of_which_its_owner_is_no_guest(stage):
    raw = with_people(stage, GUEST).replace(OWNER.encode(), b"otto@lantern.example")
    stage.store.apply(stage.collection, Put("", "one", raw), "")
    item = only(stage)
    # Google takes no copy in which the calendar's owner has no part.
    people = stage.calendar.events[item.id]["attendees"]
    assert [it["email"] for it in people] == ["otto@lantern.example", GUEST, OWNER]
    [said] = read_calendar(item.raw)[0]
    assert [it.email for it in said.attendees] == ["otto@lantern.example", GUEST]
    put(stage, item, b"PARTSTAT=NEEDS-ACTION;RSVP=TRUE", b"PARTSTAT=DECLINED")
    [said] = read_calendar(only(stage).raw)[0]
    assert [it.partstat for it in said.attendees] == ["accepted", "declined"]
