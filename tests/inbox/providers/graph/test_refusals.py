"""What Graph refuses, and what goes wrong on the way: every end is an honest one."""

import json
from collections.abc import Iterator
from contextlib import suppress

import pytest

from inbox.accounts.credentials import Secret
from inbox.providers import PROVIDERS, change_store_for, hosts_of
from inbox.providers.base import Connection
from inbox.providers.change_store import ItemChangedError, ItemRefusedError, Put, Remove
from inbox.providers.graph.store import GraphStore
from inbox.providers.mail_store import StoreError
from tests.inbox.providers.graph.stages import CalendarStage, connection
from tests.machines.api_server import Reply
from tests.machines.graph.server import ADDRESS, GraphServer


@pytest.fixture
def stage(graph: GraphServer) -> Iterator[CalendarStage]:
    made = CalendarStage(graph)
    yield made
    made.close()


def failure(ask) -> StoreError:
    with pytest.raises(StoreError) as caught:
        ask()
    return caught.value


def look(stage: CalendarStage, store: GraphStore | None = None) -> StoreError:
    return failure(lambda: (store or stage.store).changes(stage.collection, ""))


@pytest.mark.parametrize("kind", ["drop", "lose", "half", 500, 503])
def test_what_breaks_on_the_way_is_tried_again_later(stage: CalendarStage, kind):
    stage.server.order(kind, "^GET")
    assert look(stage).kind == "transient"
    assert stage.store.changes(stage.collection, "").is_whole


@pytest.mark.parametrize("status", [429, 503])
def test_whoever_is_to_wait_is_told_how_long(stage: CalendarStage, status):
    stage.server.order(status, retry_after="17")
    found = look(stage)
    assert (found.kind, found.retry_after) == ("throttled", 17.0)


def test_the_whole_account_waits(stage: CalendarStage):
    stage.server.allowance, stage.server.retry_after = 1, "30"
    look(stage)
    other = failure(stage.reopened().collections)
    assert (other.kind, other.retry_after) == ("throttled", 30.0)


def test_a_change_that_is_to_wait_is_not_refused(stage: CalendarStage):
    stage.server.order(429, "^POST", retry_after="5")
    put = Put("", "one", stage.item("one", "Breakfast"))
    assert failure(lambda: stage.store.apply(stage.collection, put, "")).kind == "throttled"
    stage.store.apply(stage.collection, put, "")


def test_one_of_a_batch_that_is_to_wait_is_asked_for_by_itself(stage: CalendarStage):
    for number in range(3):
        stage.put(f"uid{number}", f"Meal {number}")
    ids = [entry.id for entry in stage.store.changes(stage.collection, "").present]
    stage.server.order(429, "^GET /v1.0/me/events/", times=2)
    found = sorted(stage.title(one.raw) for one in stage.store.fetch(stage.collection, ids))
    assert found == ["Meal 0", "Meal 1", "Meal 2"]


def test_many_are_fetched_by_few_calls(stage: CalendarStage):
    for number in range(45):
        stage.put(f"uid{number}", f"Meal {number}")
    ids = [entry.id for entry in stage.store.changes(stage.collection, "").present]
    before = stage.store.calls
    assert len(list(stage.store.fetch(stage.collection, ids))) == 45
    assert stage.store.calls - before == 3


def test_a_token_that_is_over_asks_for_a_sign_in(stage: CalendarStage):
    token = stage.server.sign_in(lasts=-1)
    assert look(stage, GraphStore(connection(stage.server, token))).kind == "login"


def test_a_token_that_is_over_is_renewed_once(stage: CalendarStage):
    old = Secret(stage.server.sign_in(lasts=-1))
    renewed = []

    def renew(secret: Secret) -> Secret:
        renewed.append(secret)
        return Secret(stage.server.sign_in())

    settings = {"api_url": stage.server.url}
    with GraphStore(Connection(ADDRESS, settings, old, renew)) as store:
        assert store.changes(stage.collection, "").is_whole
        store.collections()
    assert renewed == [old]


def test_what_was_not_granted_is_said(stage: CalendarStage):
    token = stage.server.sign_in(ADDRESS, "Mail.Read")
    found = look(stage, GraphStore(connection(stage.server, token)))
    assert found.kind == "permanent"
    assert "ErrorAccessDenied" in found.reply


def test_whoever_may_only_read_changes_nothing(stage: CalendarStage):
    token = stage.server.sign_in(ADDRESS, "Calendars.Read")
    put = Put("", "one", stage.item("one", "Breakfast"))
    with GraphStore(connection(stage.server, token)) as store, pytest.raises(ItemRefusedError):
        store.apply(stage.collection, put, "")


def test_a_calendar_of_somebody_else_is_listed_as_only_read(stage: CalendarStage):
    stage.server.add_calendar(stage.box, "Otto", can_edit=False, color="#ff0000")
    found = {each.name: each for each in stage.store.collections()}
    assert (found["Otto"].writable, found["Otto"].color) == (False, "#ff0000")
    assert (found["Calendar"].writable, found["Calendar"].is_default) == (True, True)


def test_what_is_gone_is_changed_by_nobody_and_removed_at_once(stage: CalendarStage):
    stage.put("one", "Breakfast")
    [entry] = stage.store.changes(stage.collection, "").present
    stage.remove("one")
    with pytest.raises(ItemChangedError):
        stage.store.apply(stage.collection, Put(entry.id, "", stage.item("one", "x")), "")
    assert stage.store.apply(stage.collection, Remove(entry.id), entry.etag).id == entry.id


def test_a_link_to_another_host_is_not_followed(stage: CalendarStage, monkeypatch):
    for number in range(3):
        stage.put(f"uid{number}", "Meal")
    honest = stage.server.answer

    def lying(call) -> Reply:
        reply = honest(call)
        if isinstance(reply.body, dict) and "value" in reply.body:
            reply.body["@odata.nextLink"] = "http://127.0.0.1:9/v1.0/me/calendars?x=1"
        return reply

    monkeypatch.setattr(stage.server, "answer", lying)
    assert look(stage).kind == "permanent"
    assert failure(stage.store.collections).kind == "permanent"


@pytest.mark.parametrize(
    "body",
    [
        [], "x", {"value": 7}, {"value": [7, {"id": 3}, {}]}, {"responses": [{"id": "0"}]},
        {"responses": [{"id": "0", "status": 200, "body": {"start": 3}}]},
        {"@odata.count": "many", "value": []}, {"responses": {"id": "0"}},
    ],
)  # fmt: skip
def test_answers_that_make_no_sense_break_nothing(stage: CalendarStage, monkeypatch, body):
    stage.put("one", "Breakfast")
    [entry] = stage.store.changes(stage.collection, "").present
    monkeypatch.setattr(stage.server, "answer", lambda call: Reply(body=body))
    put = Put(entry.id, "", stage.item("one", "Lunch"))
    for ask in (
        stage.store.collections, lambda: list(stage.store.fetch(stage.collection, [entry.id])),
        lambda: stage.store.changes(stage.collection, ""),
        lambda: stage.store.apply(stage.collection, put, ""),
    ):  # fmt: skip
        with suppress(StoreError, ItemRefusedError, ItemChangedError):
            ask()


def test_a_series_in_a_zone_that_nobody_knows_is_left_out(stage: CalendarStage, monkeypatch):
    weekly = {"type": "weekly", "interval": 1, "daysOfWeek": ["saturday"]}
    span = {"type": "noEnd", "startDate": "2026-01-10"}
    stage.make({"subject": "Breakfast", "recurrence": {"pattern": weekly, "range": span}})
    stage.make({"subject": "Lunch"})
    honest = stage.server.answer

    def in_a_zone_of_its_own(call) -> Reply:
        said = (
            honest(call)
            .content()
            .replace(b'TimeZone": "UTC"', b'TimeZone": "tzone://Microsoft/Custom"')
        )
        return Reply(body=json.loads(said))

    monkeypatch.setattr(stage.server, "answer", in_a_zone_of_its_own)
    ids = list(stage.box.calendars[stage.collection.id].events)
    found = list(stage.store.fetch(stage.collection, ids))
    assert [stage.title(one.raw) for one in found] == ["Lunch"]


@pytest.mark.parametrize(
    "url", ["http://graph.example/v1.0", "ftp://graph.example", "https://", "https://a@b/", "x"]
)
def test_an_address_that_no_token_is_sent_to_is_refused(url):
    found = failure(lambda: GraphStore(Connection(ADDRESS, {"api_url": url}, Secret("token"))))
    assert found.kind == "permanent"


def test_without_an_address_it_is_microsofts():
    assert hosts_of("graph", {"api_url": "https://graph.example/v1.0"}) == {
        "api_url": "graph.example"
    }
    assert hosts_of("graph", {}) == {}
    with change_store_for("graph", Connection(ADDRESS, {}, Secret("token"))) as store:
        assert store.calls == 0
    assert PROVIDERS["graph"].sign_in == ("oauth",)


def test_what_was_looked_at_long_ago_is_listed_anew(stage: CalendarStage):
    stage.put("one", "Breakfast")
    position = stage.store.changes(stage.collection, "").position
    later = json.loads(position) | {"whole_at": json.loads(position)["whole_at"] - 90_000}
    assert stage.store.changes(stage.collection, json.dumps(later)).is_whole


def test_one_gone_and_another_made_are_both_told(stage: CalendarStage):
    stage.put("one", "Breakfast")
    position = stage.store.changes(stage.collection, "").position
    stage.remove("one")
    stage.put("two", "Lunch")
    found = stage.store.changes(stage.collection, position)
    assert found.is_whole
    assert len(found.present) == 1
