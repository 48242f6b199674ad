"""The store against Xandikos."""

from collections.abc import Iterator

import pytest

from inbox.providers.change_store import ItemRefusedError, Put
from tests.change_store_cases import ChangeStoreCases, everything, titles
from tests.inbox.providers.dav.stages import DavStage

pytestmark = pytest.mark.services


class TestCalendar(ChangeStoreCases):
    """Events."""

    @pytest.fixture
    def stage(self, xandikos) -> Iterator[DavStage]:
        """An empty calendar."""
        stage = DavStage(xandikos, "mira", "calendar")
        yield stage
        stage.close()

    def test_what_is_no_calendar_is_refused(self, stage):
        with pytest.raises(ItemRefusedError, match="valid calendar data"):
            stage.store.apply(stage.collection, Put("", "bad", b"nonsense"), "")


class TestContacts(ChangeStoreCases):
    """Cards."""

    @pytest.fixture
    def stage(self, xandikos) -> Iterator[DavStage]:
        """An empty address book."""
        stage = DavStage(xandikos, "mira", "contacts")
        yield stage
        stage.close()


class TestTodosBesideEvents(ChangeStoreCases):
    """To-dos in a calendar that has events as well, which nothing here is told of."""

    @pytest.fixture
    def stage(self, xandikos) -> Iterator[DavStage]:
        """A calendar with one event."""
        stage = DavStage(xandikos, "mira", "todos", ("VEVENT", "VTODO"))
        stage.put_event()
        yield stage
        stage.close()

    def test_an_event_there_is_not_told(self, stage):
        assert titles(stage, everything(stage)) == []
