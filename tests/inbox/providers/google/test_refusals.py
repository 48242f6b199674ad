"""What goes wrong at Google, and what becomes of it: quotas, tokens, scopes, broken answers."""

import json

import pytest

from inbox.accounts.credentials import Secret
from inbox.providers.base import Connection
from inbox.providers.change_store import Collection, ItemChangedError, ItemRefusedError, Put
from inbox.providers.google.store import GoogleStore
from inbox.providers.mail_store import StoreError
from tests.change_store_cases import create, everything, fetched, follow, titles
from tests.inbox.providers.dav.peer import Reply, peer
from tests.inbox.providers.google.stages import connection


def failure(stage, do=None):
    with pytest.raises(StoreError) as caught:
        (do or (lambda: stage.store.changes(stage.collection, "")))()
    return caught.value


@pytest.mark.parametrize("status", [403, 429])
def test_who_is_asked_too_often_says_how_long_to_wait(calendar, status):
    calendar.server.order(status, "GET", retry_after="17")
    error = failure(calendar)
    assert (error.kind, error.retry_after) == ("throttled", 17)
    assert everything(calendar).present == ()


def test_a_used_up_quota_is_waited_for(calendar):
    calendar.server.allowance = 0
    error = failure(calendar)
    assert (error.kind, error.retry_after) == ("throttled", 30)


@pytest.mark.parametrize(
    ("fault", "kind"),
    [("drop", "transient"), ("lose", "transient"), ("half", "transient"), (503, "transient"),
     (500, "transient"), (401, "login")],
)  # fmt: skip
def test_what_breaks_is_tried_again_and_a_token_that_ended_is_said(calendar, fault, kind):
    calendar.put("one", "Breakfast")
    calendar.server.order(fault, "GET /calendar")
    assert failure(calendar).kind == kind
    assert titles(calendar, everything(calendar)) == ["Breakfast"]


def test_a_rotated_token_is_renewed_once(calendar):
    calendar.put("one", "Breakfast")
    asked = []

    def renew(refused):
        asked.append(refused.reveal())
        return Secret(calendar.server.token())

    known = connection(calendar.server)
    old = known.secret.reveal()
    calendar.store = GoogleStore(Connection(known.address, known.settings, known.secret, renew))
    del calendar.server.tokens[old]
    assert titles(calendar, everything(calendar)) == ["Breakfast"]
    assert asked == [old]


def test_an_event_whose_answer_was_lost_is_made_once(calendar):
    calendar.server.order("lose", "POST")
    with pytest.raises(StoreError):
        create(calendar, "one", "Breakfast")
    with pytest.raises(ItemChangedError):
        create(calendar, "one", "Breakfast")
    assert titles(calendar, everything(calendar)) == ["Breakfast"]


def test_what_was_deleted_is_made_again_under_its_name(calendar):
    calendar.put("one", "Breakfast")
    calendar.remove("one")
    create(calendar, "one", "Brunch", "At noon")
    assert titles(calendar, everything(calendar)) == ["Brunch"]
    [event] = calendar.calendar.events.values()
    assert event["description"] == "At noon"


def test_a_token_that_expires_between_pages_gives_the_whole(calendar):
    calendar.calendars.tokens.page_size = 2
    first = everything(calendar)
    for number in range(5):
        calendar.put(f"uid{number}", f"Meal {number}")
    calendar.server.order(410, "GET /calendar", after=1)
    found = follow(calendar, first.position)
    assert (found.is_whole, len(found.present)) == (True, 5)


def test_what_google_does_not_take_of_one_event_is_refused(calendar):
    raw = calendar.item("one", "Backwards").replace(b"T110000Z", b"T090000Z")
    with pytest.raises(ItemRefusedError, match="timeRangeEmpty"):
        calendar.store.apply(calendar.collection, Put("", "one", raw), "")
    for nonsense in (b"nonsense", b"BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"):
        with pytest.raises(ItemRefusedError):
            calendar.store.apply(calendar.collection, Put("", "two", nonsense), "")


def test_a_calendar_that_is_only_read_refuses_every_change(calendar):
    calendar.calendar.role = "reader"
    [found] = [it for it in calendar.store.collections() if it.id == calendar.collection.id]
    assert not found.writable
    with pytest.raises(ItemRefusedError, match="requiredAccessLevel"):
        create(calendar, "one", "Breakfast")


def test_a_kind_that_was_not_granted_is_not_listed(google, calendar):
    with GoogleStore(connection(google, "openid")) as store:
        assert store.collections() == []
        with pytest.raises(StoreError) as caught:
            store.changes(calendar.collection, "")
    assert caught.value.kind == "permanent"


def test_an_interface_that_is_not_turned_on_is_said(google, calendar):
    google.disabled = {"calendar"}
    error = failure(calendar, calendar.store.collections)
    assert error.kind == "permanent"
    assert "has not been used before" in error.reply


@pytest.mark.parametrize(
    "url", ["http://google.example", "ftp://127.0.0.1", "https://", "https://a@b.example", "x"]
)
def test_a_token_goes_to_no_unsafe_address(url):
    with pytest.raises(StoreError, match="api_url"):
        GoogleStore(Connection("mira@lantern.example", {"api_url": url}, Secret("token")))


HOSTILE = [
    {"items": [{"id": "a", "etag": "1", "start": {"dateTime": "never"}}], "nextSyncToken": "t"},
    {"items": [{"id": "a", "etag": "1", "start": [], "attendees": {"email": 1}, "recurrence": 7,
                "status": {}, "updated": 9}], "nextSyncToken": "t"},
    {"items": [{"id": "b", "recurringEventId": "a", "etag": "1"}], "nextSyncToken": "t"},
]  # fmt: skip


@pytest.mark.parametrize("answer", HOSTILE)
def test_events_that_make_no_sense_are_listed_and_come_empty(answer):
    with peer() as server:
        body = json.dumps(answer).encode()
        server.script = lambda _request: Reply(200, body, {"Content-Type": "application/json"})
        given = {"api_url": server.url}
        store = GoogleStore(Connection("mira@lantern.example", given, Secret("token")))
        place = Collection("a@b.example", "calendar", "Place")
        [entry] = store.changes(place, "").present
        [item] = store.fetch(place, [entry.id])
        assert (item.id, item.raw) == ("a", b"")
        store.close()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b'{"items": 5}',
        b"[" * 9000,
        b"<html>",
        b'{"nextPageToken": "x"}',
        b'{"items": [{"id": "a"}, "x"], "nextSyncToken": "t"}',
        b'{"items": [{"id": "a"}, {"id": 5}], "nextSyncToken": "t"}',
    ],
)
def test_answers_that_make_no_sense_end_the_look(body):
    with peer() as server:
        server.script = lambda _request: Reply(200, body, {"Content-Type": "application/json"})
        given = {"api_url": server.url}
        with GoogleStore(Connection("mira@lantern.example", given, Secret("token"))) as store:
            with pytest.raises(StoreError) as caught:
                store.changes(Collection("a@b.example", "calendar", "Place"), "")
            assert caught.value.kind in ("transient", "permanent")


def test_a_redirect_is_not_followed():
    with peer() as server, peer() as other:
        server.script = lambda _request: Reply(302, b"", {"Location": f"{other.url}/"})
        given = {"api_url": server.url}
        store = GoogleStore(Connection("mira@lantern.example", given, Secret("token")))
        with store, pytest.raises(StoreError, match="redirects"):
            store.collections()
        assert other.requests == []


def test_what_is_fetched_was_looked_at_now(calendar):
    for number in range(8):
        calendar.put(f"uid{number}", f"Meal {number}")
    ids = [entry.id for entry in everything(calendar).present]
    calendar.put("uid3", "Feast")
    calendar.remove("uid4")
    found = sorted(calendar.title(item.raw) for item in fetched(calendar, ids))
    assert found == ["Feast", *(f"Meal {number}" for number in (0, 1, 2, 5, 6, 7))]
