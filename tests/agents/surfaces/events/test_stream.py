"""Server-sent events over a real server: nothing lost, nothing twice, nothing of others."""

import asyncio
import http.client
import json
import threading
import time

import pytest
from django.utils import timezone

from agents.models import Grant, LoggedEvent, Token
from agents.operations.agents import create_token
from agents.operations.webhooks import event_log
from agents.operations.webhooks.event_log import place_id, write_log
from agents.surfaces.events import feed
from agents.surfaces.events import stream as event_stream
from agents.surfaces.events.feed import FEED, MOST_WAITING, Subscription
from inbox.background.jobs import publish
from tests import factories
from tests.patience import LONG

pytestmark = pytest.mark.django_db(transaction=True)


class Stream:
    """A client that reads a stream; `events` are those that have data, in order."""

    def __init__(self, port, token, query="", **headers):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONG)
        bearer = {"Authorization": f"Bearer {token}"} if token else {}
        asked = {"Host": "localhost", "Accept": "text/event-stream", **bearer, **headers}
        self.connection.request("GET", f"/api/v1/events{query}", headers=asked)
        self.answer = self.connection.getresponse()
        self.last_id = ""

    def lines(self):
        """The lines of the next block, without the empty one that ends it."""
        found = []
        while line := self.answer.readline().decode().rstrip("\n"):
            found.append(line)
        return found

    def block(self):
        fields = dict(line.split(": ", 1) for line in self.lines() if not line.startswith(":"))
        self.last_id = fields.get("id", self.last_id)
        return fields

    def next(self):
        """The next event's data."""
        while "data" not in (fields := self.block()):
            pass
        return json.loads(fields["data"])

    def close(self):
        self.answer.close()
        self.connection.close()


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """Have the log looked at more often: most of these tests wait for a look or two."""
    monkeypatch.setattr(feed, "LOOK", 0.05)


@pytest.fixture
def stream(port, token):
    """Open a stream as Clerk; each is closed, and the feed is at rest, before the test ends."""
    opened = []

    def stream(query="", token=token, **headers):
        opened.append(Stream(port, token, query, **headers))
        return opened[-1]

    yield stream
    for each in opened:
        each.close()
    FEED.end_all()
    until(lambda: FEED._thread is None)


def until(condition):
    deadline = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def receive(inbox, count=1):
    messages = [factories.make_message(inbox) for _ in range(count)]
    keys = [message.pk for message in messages]
    publish("message.received", {"message_ids": keys}, workspace_id=inbox.workspace_id)
    return [message.public_id for message in messages]


def ids_of(events):
    return [event["data"]["message_id"] for event in events]


def test_what_happens_is_told_as_it_happens(stream, inbox):
    receive(inbox)
    opened = stream()
    assert opened.answer.status == 200, opened.answer.read()
    assert opened.answer.headers["Content-Type"].startswith("text/event-stream")
    assert opened.block()["retry"] == "3000"
    (public_id,) = receive(inbox)
    event = opened.next()
    assert event["type"] == "message.received"
    assert event["id"] == opened.last_id
    assert event["data"]["message_id"] == public_id
    assert event["timestamp"].endswith("Z")


@pytest.mark.parametrize("place", ["header", "query"])
def test_who_comes_back_gets_what_was_missed_once_and_in_order(stream, inbox, place):
    first = stream()
    first.block()
    before = receive(inbox)
    assert ids_of([first.next()]) == before
    first.close()
    missed = receive(inbox, 30)
    write_log()
    again = (
        stream(**{"Last-Event-ID": first.last_id})
        if place == "header"
        else stream(f"?Last-Event-ID={first.last_id}")
    )
    later = receive(inbox, 5)
    assert ids_of(again.next() for _ in range(35)) == missed + later


def test_the_id_of_the_greeting_is_enough_to_come_back(stream, inbox):
    opened = stream()
    opened.block()
    opened.close()
    missed = receive(inbox)
    assert ids_of([stream(**{"Last-Event-ID": opened.last_id}).next()]) == missed


def test_nothing_is_lost_or_told_twice_while_others_write(stream, inbox, monkeypatch):
    monkeypatch.setattr(event_log, "READ_AT_ONCE", 7)
    opened = stream()
    opened.block()
    sent = [public_id for _ in range(12) for public_id in receive(inbox, 5)]
    got = []
    # The client comes back again and again, each time from where it was.
    while len(got) < len(sent):
        got += ids_of(opened.next() for _ in range(min(9, len(sent) - len(got))))
        opened.close()
        opened = stream(**{"Last-Event-ID": opened.last_id})
    assert got == sent


def test_a_client_that_is_older_than_the_log_is_told_so(stream, inbox):
    receive(inbox, 3)
    write_log()
    LoggedEvent.objects.filter(pk__lte=2).update(at=timezone.now() - timezone.timedelta(days=30))
    event_log.prune()
    opened = stream(**{"Last-Event-ID": place_id(1)})
    block = opened.block()
    assert block["event"] == "reset"
    assert block["id"] == place_id(3)
    later = receive(inbox)
    assert ids_of([opened.next()]) == later
    assert "event" not in stream(**{"Last-Event-ID": place_id(2)}).block()


@pytest.mark.parametrize("last", ["x", "17", "evl_none", place_id(10**6), "msg_8fXoQ2mKpL", "ü"])
def test_an_id_that_never_was_one_is_an_error(stream, inbox, last):
    answer = stream(**{"Last-Event-ID": last.encode()}).answer
    assert answer.status == 400
    (problem,) = json.loads(answer.read())["details"]["errors"]
    assert problem["pointer"] == "/Last-Event-ID"


@pytest.mark.parametrize("query", ["?colour=red", "?facts=message.received,nonsense"])
def test_a_parameter_that_is_none_is_an_error(stream, query):
    assert stream(query).answer.status == 400


def test_without_a_token_there_is_no_stream(stream):
    for token in ("", "chy_none"):
        answer = stream(token=token).answer
        assert answer.status == 401
        assert answer.headers["WWW-Authenticate"] == 'Bearer realm="chancery"'


def test_only_what_is_asked_for_is_told(stream, inbox, workspace):
    opened = stream("?facts=context.changed")
    opened.block()
    receive(inbox)
    publish(
        "context.changed",
        {"keys": ["plan"], "change": "pushed", "author": "Clerk", "agent_ids": None},
        workspace_id=workspace.pk,
    )
    assert opened.next()["data"] == {"keys": ["plan"], "change": "pushed", "author": "Clerk"}


def test_another_workspace_account_agent_or_scope_is_not_told(stream, workspace, inbox, agent):
    foreign = factories.make_inbox(factories.make_workspace())
    ungranted = factories.make_inbox(workspace)
    narrow = create_token(agent=agent, scopes={"inbox:read"})[1]
    opened = stream(token=narrow)
    opened.block()
    receive(foreign)
    receive(ungranted)
    for agents in (None, [agent.pk + 1000]):
        publish(
            "context.changed",
            {"keys": ["k"], "change": "pushed", "author": "x", "agent_ids": agents},
            workspace_id=workspace.pk,
        )
    last = receive(inbox)
    assert ids_of([opened.next()]) == last


def test_a_token_has_a_bounded_number_of_streams(stream, settings):
    settings.STREAMS_PER_TOKEN = 2
    opened = [stream(), stream()]
    for each in opened:
        each.block()
    refused = stream().answer
    assert refused.status == 429
    assert int(refused.headers["Retry-After"]) > 0
    opened[0].close()
    until(lambda: stream().answer.status == 200)


def test_a_quiet_stream_has_heartbeats(stream, monkeypatch):
    monkeypatch.setattr(event_stream, "HEARTBEAT", 0.1)
    opened = stream()
    opened.block()
    assert [opened.lines(), opened.lines()] == [[": heartbeat"], [": heartbeat"]]


def test_a_revoked_token_ends_its_stream(stream, monkeypatch, agent):
    monkeypatch.setattr(event_stream, "HEARTBEAT", 0.1)
    opened = stream()
    opened.block()
    Token.objects.filter(agent=agent).update(revoked_at=timezone.now())
    assert set(opened.answer.read().decode().split("\n\n")) <= {": heartbeat", ""}


def test_a_grant_that_is_taken_away_counts_for_a_stream_that_is_open(
    stream, monkeypatch, agent, inbox, workspace
):
    monkeypatch.setattr(event_stream, "HEARTBEAT", 0.1)
    opened = stream()
    opened.block()
    Grant.objects.filter(agent=agent).delete()
    opened.lines()
    opened.lines()
    receive(inbox)
    publish(
        "context.changed", {"keys": ["k"], "change": "pushed", "author": "x"},
        workspace_id=workspace.pk,
    )  # fmt: skip
    assert opened.next()["type"] == "context.changed"


def test_many_streams_leave_the_api_its_threads(stream, settings, port, token):
    settings.STREAMS_PER_TOKEN = 50
    for _ in range(20):
        stream().block()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONG)
    connection.request(
        "GET", "/api/tools", headers={"Host": "localhost", "Authorization": f"Bearer {token}"}
    )
    assert connection.getresponse().status == 200
    assert sum(thread.name == "events" for thread in threading.enumerate()) == 1


def test_all_streams_end_when_the_server_stops(stream):
    opened = [stream() for _ in range(3)]
    for each in opened:
        each.block()
    FEED.end_all()
    assert [each.answer.read() for each in opened] == [b""] * 3


@pytest.mark.parametrize("count", [1, 1000])
def test_a_client_that_reads_too_slowly_is_let_go(count):
    async def fill():
        subscription = Subscription()
        for _ in range(count):
            subscription._put([])
        return subscription.over.is_set()

    assert asyncio.run(fill()) is (count > MOST_WAITING)
