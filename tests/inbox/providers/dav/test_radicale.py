"""The store against Radicale: quick to start, so that this is no test of services."""

from collections.abc import Iterator

import pytest

from inbox.providers.change_store import ItemRefusedError, Put
from tests.change_store_cases import ChangeStoreCases, everything, titles
from tests.inbox.providers.dav.stages import DavStage


class RadicaleCases(ChangeStoreCases):
    """With less of it, for Radicale takes its time over each item."""

    many = 12
    large = 30_000


class TestCalendar(RadicaleCases):
    """Events."""

    @pytest.fixture
    def stage(self, radicale) -> Iterator[DavStage]:
        """An empty calendar."""
        stage = DavStage(radicale, radicale.new_user(), "calendar")
        yield stage
        stage.close()

    def test_what_is_no_calendar_is_refused(self, stage):
        with pytest.raises(ItemRefusedError):
            stage.store.apply(stage.collection, Put("", "bad", b"nonsense"), "")


class TestContacts(RadicaleCases):
    """Cards."""

    @pytest.fixture
    def stage(self, radicale) -> Iterator[DavStage]:
        """An empty address book."""
        stage = DavStage(radicale, radicale.new_user(), "contacts")
        yield stage
        stage.close()


class TestTodosBesideEvents(RadicaleCases):
    """To-dos in a calendar that has events as well, which nothing here is told of."""

    @pytest.fixture
    def stage(self, radicale) -> Iterator[DavStage]:
        """A calendar with one event."""
        stage = DavStage(radicale, radicale.new_user(), "todos", ("VEVENT", "VTODO"))
        stage.put_event()
        yield stage
        stage.close()

    def test_an_event_there_is_not_told(self, stage):
        assert titles(stage, everything(stage)) == []
