"""Where a JMAP server is: by its address, by the well-known one, and never at another host."""

import json

import pytest

from inbox.accounts.credentials import Secret
from inbox.providers.base import Connection
from inbox.providers.jmap import api
from inbox.providers.jmap.probing import probe_jmap
from inbox.providers.jmap.store import JmapStore
from inbox.providers.mail_store import StoreError
from tests.faults.http_proxy import Answered, HttpProxy

MAIL = "urn:ietf:params:jmap:mail"
SESSION = {
    "capabilities": {"urn:ietf:params:jmap:core": {"maxObjectsInGet": 20}, MAIL: {}},
    "primaryAccounts": {MAIL: "u1"},
    "apiUrl": "/jmap/api", "downloadUrl": "/get/{accountId}/{blobId}/{name}?t={type}",
    "uploadUrl": "/put/{accountId}/", "eventSourceUrl": "/news?types={types}",
}  # fmt: skip


@pytest.fixture
def server():
    """A server of which each test says what it answers."""
    api._kept.clear()
    with HttpProxy("127.0.0.1", 9) as server:
        yield server


def connection(server):
    settings = {"jmap_url": f"{server.url}/", "username": "mira", "jmap_timeout": 5}
    return Connection("mira@lantern.example", settings, Secret("open-sesame"))


def session(**changes):
    return Answered(200, json.dumps({**SESSION, **changes}).encode())


def script(server, by_path):
    server.script = lambda _number, _method, path, _body: by_path.get(
        path.partition("?")[0], Answered(404)
    )


def moved(to):
    return Answered(301, b"", (("Location", to),))


def test_the_well_known_address_leads_to_it(server):
    script(server, {"/.well-known/jmap": moved("/session"), "/session": session()})
    with JmapStore(connection(server)) as store:
        assert store.features == {"push"}
        assert not store.can_send
    assert server.asked == [("GET", "/.well-known/jmap"), ("GET", "/session")]


def test_it_is_not_asked_for_twice(server):
    script(server, {"/.well-known/jmap": session()})
    for _ in range(2):
        with JmapStore(connection(server)) as store:
            assert store.features
    assert len(server.asked) == 1


def test_to_another_host_no_password_goes(server):
    with HttpProxy("127.0.0.1", 9) as other:
        script(server, {"/.well-known/jmap": moved(f"{other.url}/session")})
        with JmapStore(connection(server)) as store, pytest.raises(StoreError) as caught:
            store.mailboxes()
        assert caught.value.kind == "permanent"
        assert other.asked == []


@pytest.mark.parametrize("name", ["apiUrl", "downloadUrl", "uploadUrl"])
def test_a_session_that_names_another_host_is_refused(server, name):
    with HttpProxy("127.0.0.1", 9) as other:
        script(server, {"/.well-known/jmap": session(**{name: f"{other.url}/x/"})})
        with JmapStore(connection(server)) as store, pytest.raises(StoreError) as caught:
            store.mailboxes()
        assert "never sent on" in caught.value.words
        assert other.asked == []


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"null", b'{"primaryAccounts": 3}', b"{" * 100_000, b"<html>"]
)
def test_what_is_no_session_is_said(server, body):
    script(server, {"/.well-known/jmap": Answered(200, body)})
    (finding,) = probe_jmap(connection(server))
    assert finding.kind == "bad"


def test_news_come_as_events_and_pings_are_none(server):
    ping, news = b'event: ping\ndata: {"interval": 1}\n\n', b"event: state\ndata: {}\n\n"
    of_events = (("Content-Type", "text/event-stream"),)
    for body, expected in ((ping, False), (ping + news, True)):
        script(
            server,
            {"/.well-known/jmap": session(), "/news": Answered(200, body, of_events)},
        )
        with JmapStore(connection(server)) as store:
            assert store.wait(2.0) is expected


def test_a_server_without_an_event_source_says_so(server):
    script(server, {"/.well-known/jmap": session(), "/news": Answered(204, b"")})
    with JmapStore(connection(server)) as store, pytest.raises(StoreError) as caught:
        store.wait(2.0)
    assert caught.value.kind == "permanent"
