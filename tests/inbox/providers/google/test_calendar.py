"""Google Calendar does what every collection does."""

import pytest

from tests.change_store_cases import ChangeStoreCases
from tests.inbox.providers.google.stages import CalendarStage


class TestCalendar(ChangeStoreCases):
    # The longest description that Google Calendar takes.
    large = 8_000

    @pytest.fixture
    def stage(self, calendar: CalendarStage) -> CalendarStage:
        return calendar
