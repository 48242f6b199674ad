"""Calendars at servers, each with the programs that change it at random and what is looked at."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.dav_servers import PASSWORD
from tests.inbox.providers.dav.stages import DavStage
from tests.inbox.syncing.collections.random_dav import RandomDavProgram
from tests.inbox.syncing.collections.random_google import GooglePlace
from tests.inbox.syncing.collections.random_graph import GraphPlace
from tests.inbox.syncing.collections.random_jmap_events import CyrusPlace, ServedPlace
from tests.machines.google.everything import google_server
from tests.machines.graph.server import graph_server
from tests.machines.jmap.server import jmap_server


@dataclass
class DavPlace:
    """A calendar at a CalDAV server."""

    server: Any
    user: str
    provider: str = "dav"
    secret: str = PASSWORD
    # What a server may say that cannot answer right now, and may be asked again.
    busy: tuple[str, ...] = ()
    stage: Any = field(init=False)

    def __post_init__(self) -> None:
        self.stage = DavStage(self.server, self.user, "calendar")
        self.settings = {"url": f"{self.server.url}/", "username": self.user}

    def program(self, seed: int, rounds: int) -> RandomDavProgram:
        store, client = self.stage.reopened(), self.server.client(self.user)
        return RandomDavProgram(store, client, self.stage.collection, seed, rounds)

    def check(self, raws: list[bytes]) -> None:
        """What we do not know of theirs is as it was."""
        assert all(b" as it is" in raw for raw in raws if b"@random" in raw)


@contextmanager
def place_of(name: str, request: Any) -> Iterator[Any]:
    """Have an empty calendar at a server."""
    if name == "graph":
        with graph_server() as graph:
            yield GraphPlace(graph)
        return
    if name == "google":
        with google_server() as google:
            yield GooglePlace(google)
        return
    if name == "jmap":
        with jmap_server() as jmap:
            yield ServedPlace(jmap)
        return
    if name == "cyrus-jmap":
        yield CyrusPlace(request.getfixturevalue("cyrus"))
        return
    server = request.getfixturevalue(name)
    user = "mira" if name == "xandikos" else server.new_user()
    yield DavPlace(server, user, busy=busy_at(name))


def busy_at(name: str) -> tuple[str, ...]:
    """Return what a server says while others write.

    Xandikos locks then, and fails where an item goes while it is listed or deleted.
    """
    return ("HTTP 423", "HTTP 500") if name == "xandikos" else ()
