"""Calendars, contacts and to-dos at Graph do what every store of collections does."""

from collections.abc import Iterator

import pytest

from tests.change_store_cases import ChangeStoreCases
from tests.inbox.providers.graph.stages import CalendarStage, ContactStage, TodoStage
from tests.machines.graph.server import GraphServer


class TestCalendars(ChangeStoreCases):
    """An event is told by when it was changed; what is gone, by how many there are."""

    @pytest.fixture
    def stage(self, graph: GraphServer) -> Iterator[CalendarStage]:
        made = CalendarStage(graph)
        yield made
        made.close()


class TestContacts(ChangeStoreCases):
    """Contacts of a folder are told by Graph's list of changes."""

    @pytest.fixture
    def stage(self, graph: GraphServer) -> Iterator[ContactStage]:
        made = ContactStage(graph)
        yield made
        made.close()


class TestTodos(ChangeStoreCases):
    """To-dos of a list are told by Graph's list of changes."""

    @pytest.fixture
    def stage(self, graph: GraphServer) -> Iterator[TodoStage]:
        made = TodoStage(graph)
        yield made
        made.close()
