"""Servers whose lists are none: nothing is lost for it, and both sides are in step afterwards."""

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

import pytest

from calendar_app.models import Event, Todo
from inbox.models import Person, RemoteCollection, RemoteItem
from inbox.reasons.words import worded
from inbox.syncing.collections.listing import note_collections
from tests.http_faults import FaultyProxy
from tests.inbox.providers.google import stages as at_google
from tests.inbox.providers.graph import stages as at_graph
from tests.inbox.providers.jmap import stages as at_jmap
from tests.inbox.syncing.collections.sources import connect, sync
from tests.machines.google.everything import google_server
from tests.machines.graph.server import graph_server
from tests.machines.jmap.server import ACCOUNT, jmap_server

pytestmark = pytest.mark.django_db
ODD = [None, "text", 7, [[]], [None], [1, "a", {}], {"a": None}, ...]


class _Odd(BaseHTTPRequestHandler):
    """Passes requests on; `server.odd`: the lists that are something else, and what.

    With an ellipsis there is no answer but that it went well.
    """

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        status, headers, said = self.server.proxy.ask(self.command, self.path, self.headers, body)
        said = said.replace(self.server.there.encode(), self.server.here.encode())
        if self.server.odd and said[:1] == b"{":
            names, value = self.server.odd
            said = b"" if value is ... else json.dumps(odd(json.loads(said), names, value)).encode()
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in ("content-length", "connection", "transfer-encoding"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    do_POST = do_PATCH = do_DELETE = do_PUT = do_GET  # noqa: N815 (as the server calls them)

    def log_message(self, *_arguments):
        """Say nothing of each request."""


def odd(said, names, value):
    """Return an answer in which every list of some names is something else."""
    if isinstance(said, dict):
        return {name: value if name in names and isinstance(one, list) else odd(one, names, value)
                for name, one in said.items()}  # fmt: skip
    return [odd(one, names, value) for one in said] if isinstance(said, list) else said


@contextmanager
def odd_proxy(url):
    parts = urlsplit(url)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Odd)
    server.daemon_threads = True
    server.there = f"{parts.scheme}://{parts.netloc}"
    server.here = f"http://127.0.0.1:{server.server_address[1]}"
    server.proxy = FaultyProxy(server.here, (parts.hostname, parts.port))
    server.url, server.odd = server.here + parts.path, None
    thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _google(server, _url):
    return {"api_url": _url}, server.token()


def _graph(server, _url):
    return {"api_url": _url}, server.sign_in()


def _jmap(server, url):
    return {"jmap_url": url, "username": "mira"}, server.issue(ACCOUNT)


PLACES = {
    "google-events": (google_server, "google", _google, at_google.CalendarStage, {"items"}),
    "google-todos": (google_server, "google", _google, at_google.TaskStage, {"items"}),
    "google-people": (google_server, "google", _google, at_google.PeopleStage, {"connections"}),
    "graph-events": (graph_server, "graph", _graph, at_graph.CalendarStage, {"value"}),
    "graph-todos": (graph_server, "graph", _graph, at_graph.TodoStage, {"value"}),
    "graph-people": (graph_server, "graph", _graph, at_graph.ContactStage, {"value"}),
    "jmap-events": (jmap_server, "jmap", _jmap, at_jmap.EventStage, {"list", "ids"}),
    "jmap-people": (jmap_server, "jmap", _jmap, at_jmap.CardStage, {"list", "ids"}),
}  # fmt: skip


def kept():
    rows = [Event.objects.kept().values_list("pk", "summary"),
            Todo.objects.kept().values_list("pk", "summary"),
            Person.objects.kept().values_list("pk", "fn")]  # fmt: skip
    return sorted(one for some in rows for one in some)


@pytest.mark.parametrize("name", list(PLACES))
def test_where_a_list_is_none_nothing_is_lost(inbox, name):
    serve, provider, signed_in, stage_of, names = PLACES[name]
    with serve() as server:
        if provider == "graph":
            server.add_account()
        with odd_proxy(server.url) as proxy:
            stage = stage_of(server)
            settings, secret = signed_in(server, proxy.url)
            only = {stage.collection.id}
            source = connect(inbox.account, provider, settings, secret, only=only)
            for number in range(3):
                stage.put(f"e{number}", f"Title {number}")
            sync(source)
            before = kept()
            assert sorted(title for _key, title in before) == ["Title 0", "Title 1", "Title 2"]
            for value in ODD:
                proxy.odd = names, value
                # All of it is told, and what there is at all.
                RemoteCollection.objects.filter(source=source).update(position="")
                type(source).objects.filter(pk=source.pk).update(listed_at=None)
                source = sync(source)
                assert "unexpectedly" not in source.words, value
                assert kept() == before, value
                assert not RemoteCollection.objects.filter(is_gone=True).exists(), value
            proxy.odd = None
            stage.put("e0", "Another title")
            source = sync(source)
            assert source.failures == 0, source.words
            assert [title for _key, title in sorted(kept(), key=str)].count("Another title") == 1
            assert not RemoteItem.objects.exclude(problem="").exists()
            stage.close()


def test_what_a_server_lists_twice_is_there_once(inbox):
    with jmap_server() as server:
        stage = at_jmap.CardStage(server)
        settings, secret = _jmap(server, server.url)
        source = connect(inbox.account, "jmap", settings, secret, only={stage.collection.id})
        stage.store.close()
        source.collections.all().delete()
        note_collections(source, [stage.collection, stage.collection])
        assert source.collections.count() == 1
        assert worded(source.words) == ""
