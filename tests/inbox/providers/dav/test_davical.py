"""The store against DAViCal, which sends invitations by itself."""

import json
from collections.abc import Iterator

import pytest

from inbox.providers.change_store import ItemRefusedError, Put, Remove
from tests.change_store_cases import ChangeStoreCases, everything, fetched, titles
from tests.inbox.providers.dav.stages import DavStage as Stage

pytestmark = pytest.mark.services


class DavStage(Stage):
    """It forgets its tokens after a week, and does not say so."""

    def forgotten(self, position: str) -> str:
        known = json.loads(position)
        return json.dumps({**known, "token": "data:,987654", "day": known["day"] - 7})


class DavicalCases(ChangeStoreCases):
    """With fewer items, for each takes it its time."""

    many = 15


class TestCalendar(DavicalCases):
    """Events."""

    @pytest.fixture
    def stage(self, davical) -> Iterator[DavStage]:
        """An empty calendar."""
        stage = DavStage(davical, davical.new_user(), "calendar")
        yield stage
        stage.close()

    def test_what_is_no_calendar_is_refused(self, stage):
        with pytest.raises(ItemRefusedError):
            stage.store.apply(stage.collection, Put("", "bad", b"nonsense"), "")

    def test_guests_hear_of_what_others_put_there_and_of_nothing_that_we_do(self, stage):
        guest = stage.server.new_guest()
        raw = with_guest(stage, guest)
        made = stage.store.apply(stage.collection, Put("", "ours", raw), "")
        [item] = fetched(stage, [made.id])
        assert item.raw.count(b"SCHEDULE-AGENT=CLIENT") == 3
        changed = item.raw.replace(b"Dinner", b"Supper")
        stage.store.apply(stage.collection, Put(made.id, "", changed, item.raw), item.etag)
        stage.store.apply(stage.collection, Remove(made.id), "")
        assert heard(stage, guest) == 0
        stage.put_raw("theirs", raw.replace(b"UID:", b"UID:2"))
        assert heard(stage, guest) > 0

    def test_what_it_invited_to_is_neither_changed_nor_removed_by_us(self, stage):
        guest = stage.server.new_guest()
        stage.put_raw("theirs", with_guest(stage, guest))
        [entry] = everything(stage).present
        [item] = fetched(stage, [entry.id])
        before = heard(stage, guest)
        for change in (Remove(entry.id), Put(entry.id, "", item.raw, item.raw)):
            with pytest.raises(ItemRefusedError, match="guests"):
                stage.store.apply(stage.collection, change, item.etag)
        assert heard(stage, guest) == before
        assert [each.etag for each in everything(stage).present] == [entry.etag]


def with_guest(stage, guest: str) -> bytes:
    """Return an event to which the user invites somebody who is known to the server as well."""
    people = (
        f"ORGANIZER:mailto:{stage.user}@lantern.example\r\n"
        f"ATTENDEE;PARTSTAT=ACCEPTED:mailto:{stage.user}@lantern.example\r\n"
        f"ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:{guest}@lantern.example\r\n"
    )
    return stage.item("dinner", "Dinner").replace(b"SUMMARY", people.encode() + b"SUMMARY")


def heard(stage, guest: str) -> int:
    """Return how many items and messages a user has who made none."""
    with stage.server.client(guest) as client:
        answer = client.request(
            "PROPFIND", f"{stage.server.url}/{guest}/.in/", headers={"Depth": "1"}
        )
    assert answer.status_code == 207, answer.text
    return answer.text.count(".ics<")


class TestContacts(DavicalCases):
    """Cards."""

    @pytest.fixture
    def stage(self, davical) -> Iterator[DavStage]:
        """An empty address book."""
        stage = DavStage(davical, davical.new_user(), "contacts")
        yield stage
        stage.close()


class TestTodosBesideEvents(DavicalCases):
    """To-dos in a calendar that has events as well, which nothing here is told of."""

    @pytest.fixture
    def stage(self, davical) -> Iterator[DavStage]:
        """A calendar with one event."""
        stage = DavStage(davical, davical.new_user(), "todos", ("VEVENT", "VTODO"))
        stage.put_event()
        yield stage
        stage.close()

    def test_an_event_there_is_not_told(self, stage):
        assert titles(stage, everything(stage)) == []
