"""The office of a test, of every kind."""

from collections.abc import Iterator

import pytest

from tests.agents.every_kind.offices import KINDS, Office, office_of
from tests.inbox.providers.dav.conftest import radicale, wsgidav

__all__ = ["radicale", "wsgidav"]


@pytest.fixture(params=KINDS)
def office(request, inbox, actor, reviewer) -> Iterator[Office]:
    """An account of each kind, in which the test calls the operations that it says it calls."""
    with office_of(request.param, inbox, actor, reviewer, request) as office:
        yield office
    assert office.called == getattr(request.function, "calls", office.called)
