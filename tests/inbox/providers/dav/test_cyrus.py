"""The store against Cyrus, which sends invitations by itself."""

from collections.abc import Iterator

import pytest

from inbox.providers.change_store import Collection, ItemRefusedError, Put, Remove
from tests.change_store_cases import ChangeStoreCases, everything, fetched, titles
from tests.inbox.providers.dav.stages import DavStage as Stage

pytestmark = pytest.mark.services
ADA = "ada@customer.example"


class TestCalendar(ChangeStoreCases):
    """Events."""

    @pytest.fixture
    def stage(self, cyrus_dav) -> Iterator[Stage]:
        """An empty calendar."""
        stage = Stage(cyrus_dav, cyrus_dav.new_user(), "calendar")
        yield stage
        stage.close()

    def test_what_is_no_calendar_is_refused(self, stage):
        with pytest.raises(ItemRefusedError):
            stage.store.apply(stage.collection, Put("", "bad", b"nonsense"), "")

    def test_guests_hear_of_what_others_put_there_and_of_nothing_that_we_do(self, stage):
        guest = new_guest(stage)
        raw = invitation(stage, "ours", stage.user, ADA, guest)
        made = stage.store.apply(stage.collection, Put("", "ours", raw), "")
        [item] = fetched(stage, [made.id])
        assert item.raw.count(b"SCHEDULE-AGENT=CLIENT") == 4
        fewer = b"".join(line for line in item.raw.splitlines(True) if ADA.encode() not in line)
        for changed in (item.raw.replace(b"Dinner", b"Supper"), fewer):
            stage.store.apply(stage.collection, Put(made.id, "", changed, item.raw), item.etag)
            [item] = fetched(stage, [made.id])
        stage.store.apply(stage.collection, Remove(made.id), item.etag)
        assert heard(stage, guest) == (0, 0)
        stage.put_raw("theirs", invitation(stage, "theirs", stage.user, ADA, guest))
        assert heard(stage, guest) == (1, 1)

    def test_what_it_invited_to_is_neither_changed_nor_removed_by_us(self, stage):
        guest = new_guest(stage)
        stage.put_raw("theirs", invitation(stage, "theirs", stage.user, ADA, guest))
        [entry] = everything(stage).present
        [item] = fetched(stage, [entry.id])
        before = heard(stage, guest)
        for change in (Remove(entry.id), Put(entry.id, "", item.raw, item.raw)):
            with pytest.raises(ItemRefusedError, match="guests"):
                stage.store.apply(stage.collection, change, item.etag)
        assert heard(stage, guest) == before
        assert [each.etag for each in everything(stage).present] == [entry.etag]

    def test_who_invited_us_by_mail_hears_nothing_of_what_we_make_of_it(self, stage):
        host = new_guest(stage)
        raw = invitation(stage, "theirs", ADA, stage.user)
        stage.put_raw("theirs", raw)
        answer_and_remove(stage)
        made = stage.store.apply(stage.collection, Put("", "ours", accepted(raw)), "")
        stage.store.apply(stage.collection, Remove(made.id), "")
        assert heard(stage, host) == (0, 0)
        # Another program's answer goes out.
        stage.put_raw("theirs", accepted(raw))
        assert heard(stage, host) == (1, 0)

    def test_who_invited_us_at_the_server_hears_nothing_of_what_we_make_of_it(self, stage):
        host = new_guest(stage)
        theirs = Stage(stage.server, host, "calendar")
        stage.collection = Collection(f"{stage.server.home(stage.user)}Default/", "calendar", "")
        theirs.put_raw("one", invitation(stage, "one", host, stage.user))
        answer_and_remove(stage)
        assert heard(stage, host) == (0, 0)
        theirs.put_raw("two", invitation(stage, "two", host, stage.user))
        [entry] = everything(stage).present
        [item] = fetched(stage, [entry.id])
        url = f"{stage.server.url}{entry.id}"
        assert stage.client.put(url, content=accepted(item.raw)).is_success
        assert heard(stage, host) == (0, 1)
        theirs.close()


def answer_and_remove(stage) -> None:
    """Accept the one invitation that is there, as we do it, then remove it."""
    [entry] = everything(stage).present
    [item] = fetched(stage, [entry.id])
    answer = Put(entry.id, "", accepted(item.raw), item.raw)
    stage.store.apply(stage.collection, answer, item.etag)
    [item] = fetched(stage, [entry.id])
    assert b"NEEDS-ACTION" not in item.raw
    stage.store.apply(stage.collection, Remove(entry.id), item.etag)
    assert everything(stage).present == ()


def accepted(raw: bytes) -> bytes:
    """Return an invitation that is accepted."""
    assert b"NEEDS-ACTION" in raw
    return raw.replace(b"NEEDS-ACTION", b"ACCEPTED")


def new_guest(stage) -> str:
    """Return another user of the server, who has nothing yet."""
    guest = stage.server.new_user()
    with stage.server.client(guest) as client:
        assert client.request("PROPFIND", stage.server.home(guest)).is_success
    stage.server.cyrus.outgoing.taken.clear()
    return guest


def invitation(stage, uid: str, *people: str) -> bytes:
    """Return an event to which the first of these invites the others."""
    organizer, *guests = (each if "@" in each else f"{each}@lantern.example" for each in people)
    lines = [f"ORGANIZER:mailto:{organizer}", f"ATTENDEE;PARTSTAT=ACCEPTED:mailto:{organizer}"]
    lines += [f"ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:{each}" for each in guests]
    said = "".join(f"{line}\r\n" for line in lines).encode()
    # Nobody is told of what is past.
    raw = stage.item(uid, "Dinner").replace(b"20260110", b"20860110")
    return raw.replace(b"SUMMARY", said + b"SUMMARY")


def heard(stage, guest: str) -> tuple[int, int]:
    """Return how many messages the server sent since `new_guest`, and how many it gave a user."""
    with stage.server.client(guest) as client:
        url = f"{stage.server.home(guest)}Inbox/"
        answer = client.request("PROPFIND", url, headers={"Depth": "1"})
    assert answer.status_code == 207, answer.text
    return len(stage.server.cyrus.outgoing.taken), answer.text.count(".ics<")


class TestContacts(ChangeStoreCases):
    """Cards."""

    @pytest.fixture
    def stage(self, cyrus_dav) -> Iterator[Stage]:
        """An empty address book."""
        stage = Stage(cyrus_dav, cyrus_dav.new_user(), "contacts")
        yield stage
        stage.close()


class TestTodosBesideEvents(ChangeStoreCases):
    """To-dos in a calendar that has events as well, which nothing here is told of."""

    @pytest.fixture
    def stage(self, cyrus_dav) -> Iterator[Stage]:
        """A calendar with one event."""
        stage = Stage(cyrus_dav, cyrus_dav.new_user(), "todos", ("VEVENT", "VTODO"))
        stage.put_event()
        yield stage
        stage.close()

    def test_an_event_there_is_not_told(self, stage):
        assert titles(stage, everything(stage)) == []
