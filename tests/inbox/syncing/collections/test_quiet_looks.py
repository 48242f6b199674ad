"""A look with nothing new costs two requests a collection at most, whatever the server is.

One look at each source, with what it has of every kind, after what changed on both sides is settled
and told. That of mail is counted with each of its providers.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from inbox.models import RemoteCollection, RemoteItem
from tests.calendar_server import calendar, serving_calendar
from tests.dav_servers import PASSWORD
from tests.inbox.providers.dav.stages import DavStage, FileStage
from tests.inbox.providers.google import stages as google_stages
from tests.inbox.providers.graph import stages as graph_stages
from tests.inbox.syncing.collections.sources import connect, sync
from tests.machines.google.everything import google_server
from tests.machines.graph.server import graph_server

pytestmark = pytest.mark.django_db(transaction=True)
FAIR = "UID:fair@team\nDTSTAMP:20260101T000000Z\nDTSTART;VALUE=DATE:20260401\nSUMMARY:Fair\n"
KINDS = ("calendar", "todos", "contacts")


@dataclass
class There:
    """A source and other clients of each of its collections; `asked` counts the requests it got."""

    provider: str
    settings: dict[str, Any]
    secret: str
    stages: list[Any]
    asked: Callable[[], int] | None = None


@contextmanager
def google(_request) -> Iterator[There]:
    with google_server() as server:
        kinds = ("CalendarStage", "TaskStage", "PeopleStage", "DriveStage")
        stages = [getattr(google_stages, name)(server) for name in kinds]
        settings = {"api_url": server.url}
        yield There("google", settings, server.token(), stages, lambda: len(server.calls))
        assert server.violations == []


@contextmanager
def graph(_request) -> Iterator[There]:
    with graph_server() as server:
        server.add_account()
        kinds = ("CalendarStage", "ContactStage", "TodoStage", "DriveStage")
        stages = [getattr(graph_stages, name)(server) for name in kinds]
        settings = {"api_url": server.url}
        yield There("graph", settings, server.sign_in(), stages, lambda: len(server.calls))


@contextmanager
def subscribed(_request) -> Iterator[There]:
    with serving_calendar(calendar(FAIR)) as server:
        yield There("ics", {"url": server.url}, "", [], lambda: server.requests)


def dav(name: str, kinds: tuple[str, ...] = KINDS) -> Callable[..., Any]:
    @contextmanager
    def there(request) -> Iterator[There]:
        server = request.getfixturevalue(name)
        user = server.new_user()
        stages = [DavStage(server, user, kind) for kind in kinds]
        yield There("dav", {"url": server.url, "username": user}, PASSWORD, stages)

    return there


def files(name: str) -> Callable[..., Any]:
    @contextmanager
    def there(request) -> Iterator[There]:
        stage = FileStage(request.getfixturevalue(name))
        settings = {"files_url": stage.collection.id, "username": "mira"}
        yield There("dav", settings, PASSWORD, [stage])

    return there


def served(there: Callable[..., Any]) -> Any:
    return pytest.param(there, marks=pytest.mark.services)


SERVERS = {
    "Google": google,
    "Microsoft": graph,
    "a calendar address": subscribed,
    "Radicale": dav("radicale"),
    "Xandikos": dav("xandikos", ("calendar",)),
    "DAViCal": served(dav("davical")),
    "Cyrus": served(dav("cyrus_dav")),
    "WsgiDAV": served(files("wsgidav")),
    "a whole tree at once": served(files("deep_apache")),
    # Folder by folder, and there is one.
    "folder by folder": served(files("shallow_apache")),
}


@pytest.mark.parametrize("server", SERVERS.values(), ids=list(SERVERS))
def test_a_look_with_nothing_new_costs_two_requests_a_collection(inbox, request, server):
    with server(request) as there:
        for number, stage in enumerate(there.stages):
            stage.put(f"one{number}", f"Breakfast {number}")
        source = sync(connect(inbox.account, there.provider, there.settings, there.secret))
        for number, stage in enumerate(there.stages):
            stage.put(f"two{number}", f"Lunch {number}")
        for _again in range(2):
            source = sync(source)
        before = there.asked() if there.asked else 0
        with CaptureQueriesContext(connection) as queries:
            source = sync(source)
        assert source.failures == 0, (source.words, source.reply)
        taken = RemoteCollection.objects.filter(source=source, is_taken=True, is_gone=False)
        assert taken.count() >= max(1, len(there.stages))
        assert 0 < source.calls <= 2 * taken.count()
        if there.asked:
            assert there.asked() - before == source.calls
        for stage in there.stages:
            stage.close()
    # Nor is a row of an item written.
    table = RemoteItem._meta.db_table
    written = [it["sql"] for it in queries if f'INTO "{table}"' in it["sql"]]
    assert written == []
    assert RemoteItem.objects.exclude(problem="").count() == 0
