"""The stand-in: nothing may be asked of it, or answered by it, that Google does not describe."""

from collections.abc import Iterator

import pytest

from tests.inbox.providers.google.stages import CalendarStage, DriveStage, PeopleStage, TaskStage
from tests.machines.google.everything import Google, google_server


@pytest.fixture
def google() -> Iterator[Google]:
    with google_server() as server:
        yield server
    assert server.violations == []


@pytest.fixture
def calendar(google: Google) -> Iterator[CalendarStage]:
    stage = CalendarStage(google)
    yield stage
    stage.close()


@pytest.fixture
def todos(google: Google) -> Iterator[TaskStage]:
    stage = TaskStage(google)
    yield stage
    stage.close()


@pytest.fixture
def contacts(google: Google) -> Iterator[PeopleStage]:
    stage = PeopleStage(google)
    yield stage
    stage.close()


@pytest.fixture
def drive(google: Google) -> Iterator[DriveStage]:
    stage = DriveStage(google)
    yield stage
    stage.close()
