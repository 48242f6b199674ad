"""The stand-in with an account, and the mail of it."""

from collections.abc import Iterator

import pytest

from inbox.providers.graph.mail.store import GraphMailStore
from tests.inbox.providers.graph.stages import connection
from tests.machines.graph.mail.kept import Mail
from tests.machines.graph.server import ADDRESS, GraphServer


@pytest.fixture
def mail(graph: GraphServer) -> Mail:
    kept = graph.boxes[ADDRESS].mail
    assert kept is not None
    return kept


@pytest.fixture
def store(graph: GraphServer) -> Iterator[GraphMailStore]:
    with GraphMailStore(connection(graph)) as opened:
        yield opened
