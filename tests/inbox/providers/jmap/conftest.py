"""Collections at a Cyrus, and at the stand-in for what it does not have."""

from collections.abc import Iterator

import pytest

from tests.cyrus import Cyrus
from tests.inbox.providers.jmap.stages import CalendarStage, CardStage, ContactStage, EventStage
from tests.machines.jmap.server import JmapServer, jmap_server


@pytest.fixture
def contacts(cyrus: Cyrus) -> Iterator[ContactStage]:
    stage = ContactStage(cyrus)
    yield stage
    stage.close()


@pytest.fixture
def calendar(cyrus: Cyrus) -> Iterator[CalendarStage]:
    stage = CalendarStage(cyrus)
    yield stage
    stage.close()


@pytest.fixture
def jmap() -> Iterator[JmapServer]:
    with jmap_server() as server:
        yield server


@pytest.fixture
def cards(jmap: JmapServer) -> Iterator[CardStage]:
    stage = CardStage(jmap)
    yield stage
    stage.close()


@pytest.fixture
def events(jmap: JmapServer) -> Iterator[EventStage]:
    stage = EventStage(jmap)
    yield stage
    stage.close()
    sets = [it for it in jmap.sets if it["kind"] == "CalendarEvent"]
    assert all(it.get("sendSchedulingMessages") is False for it in sets)
