"""How old what we say of a server's calendar is, and that the server is asked where it must be."""

from datetime import timedelta

import pytest
from django.utils import timezone

from calendar_app.models import Event
from inbox.errors import DomainError
from inbox.models import RemoteCollection, RemoteSource
from inbox.syncing.mirror import consult
from tests.calendar_server import calendar, serving_calendar
from tests.inbox.syncing.collections.sources import connect, sync

pytestmark = pytest.mark.django_db(transaction=True)
FAIR = "UID:fair@team\nDTSTAMP:20260101T000000Z\nDTSTART;VALUE=DATE:20260401\nSUMMARY:Fair\n"


@pytest.fixture
def server():
    with serving_calendar(calendar(FAIR)) as server:
        yield server


@pytest.fixture
def account(inbox, server):
    sync(connect(inbox.account, "ics", {"url": server.url}))
    return inbox.account


def read(account, **more):
    return consult(account=account, resource="event_list", key={}, **more)


def age(account, minutes):
    RemoteCollection.objects.update(current_at=timezone.now() - timedelta(minutes=minutes))


def test_what_was_synced_just_now_is_fresh_as_of_then(account, server):
    before = server.requests
    found = read(account)
    assert (found.status, server.requests) == ("fresh", before)
    assert found.cached_at == RemoteCollection.objects.get().current_at


def test_what_is_some_minutes_old_is_said_so_and_asked_for(account, server):
    age(account, 10)
    found = read(account)
    assert found.status == "stale"
    assert timezone.now() - found.cached_at > timedelta(minutes=9)
    assert RemoteSource.objects.get().next_at <= timezone.now()


def test_what_is_too_old_or_must_be_new_has_the_server_asked_at_once(account, server):
    server.content = calendar(FAIR.replace("Fair", "Market"))
    age(account, 60)
    assert read(account).status == "miss"
    assert Event.objects.get().summary == "Market"
    server.content = calendar(FAIR)
    assert read(account, force_refresh=True).status == "miss"
    assert Event.objects.get().summary == "Fair"


def test_a_server_that_does_not_answer_is_an_error_of_the_provider(account, server):
    server.status = 500
    with pytest.raises(DomainError, match="HTTP 500") as caught:
        read(account, force_refresh=True)
    assert caught.value.code == "provider_error"
