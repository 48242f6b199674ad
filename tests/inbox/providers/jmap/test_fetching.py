"""Messages by JMAP: many in one answer where the server has that, each to the byte all the same."""

import base64
import json
from contextlib import closing

import pytest

from inbox.accounts.credentials import Secret
from inbox.providers.base import Connection
from inbox.providers.jmap import api, fetching, resource
from inbox.providers.jmap.store import JmapStore
from tests.cyrus import PASSWORD
from tests.faults.http_proxy import Answered, HttpProxy
from tests.inbox.syncing.mirrors import letter

pytestmark = pytest.mark.services
LETTERS = [letter(f"Letter {number}", body=f"Grüße\r\n.{number}\r\n") for number in range(20)]


@pytest.fixture
def proxy(cyrus):
    with HttpProxy(cyrus.host, cyrus.port) as proxy:
        yield proxy


@pytest.fixture
def store(cyrus, proxy):
    user = cyrus.new_user()
    with cyrus.client(user) as program:
        for raw in LETTERS:
            program.append("INBOX", raw)
    api._kept.clear()
    settings = {"jmap_url": f"{proxy.url}/", "username": user, "jmap_timeout": 5}
    with closing(JmapStore(Connection("office@lantern.example", settings, Secret(PASSWORD)))) as it:
        yield it


def fetched(store):
    ids = list(store.changes("", "").changed)
    found = list(store.fetch(ids))
    assert [item.id for item in found] == ids
    assert all(item.received_at and not item.problem for item in found)
    return sorted(item.raw for item in found)


def downloads(proxy):
    return [path for _method, path in proxy.asked if "/jmap/download/" in path]


def test_many_messages_come_in_one_answer(store, proxy):
    assert fetched(store) == sorted(LETTERS)
    assert downloads(proxy) == []
    assert len(proxy.asked) <= 6


def test_what_is_large_comes_by_itself(store, proxy, monkeypatch):
    monkeypatch.setattr(fetching, "_MOST_BYTES", 2 * len(LETTERS[0]) - 1)
    assert fetched(store) == sorted(LETTERS)
    assert len(downloads(proxy)) == len(LETTERS)


def blobs(*given):
    return Answered(
        200, json.dumps({"methodResponses": [["Blob/get", {"list": given}, "0"]]}).encode()
    )


def each(made):
    """Answer for each blob that is asked for with what is made of its id."""
    return lambda ids: blobs(*(made(one) for one in ids))


OTHER = base64.b64encode(b"Subject: another\r\n\r\n").decode()
ANSWERS = {
    "not known": lambda _ids: Answered(
        200, b'{"methodResponses": [["error", {"type": "unknownMethod"}, "0"]]}'
    ),
    "refused": lambda _ids: Answered(400, b'{"type": "urn:ietf:params:jmap:error:notRequest"}'),
    "lost": lambda _ids: "lost",
    "half": lambda _ids: "half",
    "nothing": each(lambda one: {"id": one}),
    "cut": each(lambda one: {"id": one, "data:asBase64": OTHER, "isTruncated": True}),
    "no base64": each(lambda one: {"id": one, "data:asBase64": "???"}),
    "no text": each(lambda one: {"id": one, "data:asBase64": ["x"]}),
    "another size": each(lambda one: {"id": one, "data:asBase64": OTHER}),
    "other ids": each(lambda one: {"id": f"x{one}", "data:asBase64": OTHER}),
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=list(ANSWERS))
def test_what_does_not_come_whole_with_others_is_downloaded(store, proxy, answer):
    def script(_number, _method, _path, body):
        if b"Blob/get" not in body:
            return None
        return answer(json.loads(body)["methodCalls"][0][1]["ids"])

    proxy.script = script
    assert fetched(store) == sorted(LETTERS)
    assert len(downloads(proxy)) == len(LETTERS)


def test_a_server_that_is_asked_too_much_is_left_alone(store, proxy):
    proxy.script = lambda _number, _method, _path, body: (
        Answered(429, b"slower") if b"Blob/get" in body else None
    )
    with pytest.raises(fetching.StoreError) as caught:
        fetched(store)
    assert caught.value.kind == "throttled"
    assert downloads(proxy) == []


def test_without_it_each_is_downloaded(store, proxy, monkeypatch):
    monkeypatch.setattr(resource, "BLOBS", ())
    assert fetched(store) == sorted(LETTERS)
    assert len(downloads(proxy)) == len(LETTERS)
