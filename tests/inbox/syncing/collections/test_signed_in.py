"""A source whose tokens end, or whose host the operator has closed meanwhile."""

import pytest

from inbox.models import RemoteSource, SyncStatus
from tests.calendar_server import calendar, serving_calendar
from tests.inbox.syncing.collections.sources import connect, sync

pytestmark = pytest.mark.django_db
FAIR = "UID:fair@team\nDTSTAMP:20260101T000000Z\nDTSTART;VALUE=DATE:20260401\nSUMMARY:Fair\n"


@pytest.fixture
def source(inbox):
    with serving_calendar(calendar(FAIR)) as server:
        yield sync(connect(inbox.account, "ics", {"url": server.url}))


def test_a_host_that_the_operator_closed_is_not_asked_any_more(source, settings):
    settings.MAIL_HOSTS = frozenset({"*.example.org"})
    source = sync(source)
    assert source.status == SyncStatus.FAILED
    assert "operator does not allow" in source.words


def test_a_password_that_cannot_be_opened_is_said_and_nobody_is_asked(source):
    RemoteSource.objects.update(secret=b"nonsense")
    source = sync(RemoteSource.objects.get())
    assert source.status == SyncStatus.LOCKED
