"""An owner at the desk, while the jobs are carried as on a machine of one's own."""

from collections.abc import Iterator

import pytest

from inbox.background.worker import Worker
from inbox.models import Membership, Role
from tests.browser.by_pages.walking import Walk
from tests.inbox.providers.dav.conftest import (
    cyrus_dav,
    davical,
    radicale,
    shallow_apache,
    wsgidav,
    xandikos,
)
from tests.patience import LONG

__all__ = ["cyrus_dav", "davical", "radicale", "shallow_apache", "wsgidav", "xandikos"]


@pytest.fixture
def at_work(transactional_db) -> Iterator[None]:
    """What `manage.py up` runs beside the web."""
    worker = Worker()
    worker.start()
    yield
    assert worker.stop(LONG)


@pytest.fixture
def walk(inbox, reviewer, at_work, desk, request) -> Walk:
    """The owner of the workspace, signed in."""
    Membership.objects.filter(user=reviewer).update(role=Role.OWNER)
    return Walk(desk, inbox.address, request.node.callspec.id)
