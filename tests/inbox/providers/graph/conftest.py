"""The stand-in for Microsoft Graph, one for a test."""

from collections.abc import Iterator

import pytest

from tests.machines.graph.server import GraphServer, graph_server


@pytest.fixture
def graph() -> Iterator[GraphServer]:
    with graph_server() as server:
        server.add_account()
        yield server
