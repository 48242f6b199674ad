"""Events that a server has by another id than before, or twice."""

import pytest

from calendar_app.models import Event
from inbox.models import RemoteItem
from inbox.reasons.words import worded
from tests.dav_servers import PASSWORD
from tests.inbox.providers.dav.stages import DavStage
from tests.inbox.providers.jmap.stages import EventStage
from tests.inbox.syncing.collections.sources import connect, sync
from tests.machines.jmap.server import ACCOUNT, jmap_server

pytestmark = pytest.mark.django_db


def titles():
    return sorted(Event.objects.kept().values_list("summary", flat=True))


@pytest.mark.services
def test_an_event_that_lies_elsewhere_now_is_the_same_event(inbox, radicale):
    user = radicale.new_user()
    stage = DavStage(radicale, user, "calendar")
    settings = {"url": f"{radicale.url}/", "username": user}
    source = connect(inbox.account, "dav", settings, PASSWORD, only={stage.collection.id})
    stage.put("lamp", "Trim the lamp")
    stage.put("oil", "Buy oil")
    sync(source)
    event = Event.objects.get(summary="Trim the lamp")
    stage.remove("lamp")
    kind = {"content-type": "text/calendar; charset=utf-8"}
    raw = stage.item("lamp", "Trim both lamps")
    stage.client.put(f"{stage.collection.id}moved.ics", content=raw, headers=kind)
    source = sync(source)
    assert (source.failures, source.words) == (0, "")
    event.refresh_from_db()
    assert (event.summary, event.deleted_at) == ("Trim both lamps", None)
    assert titles() == ["Buy oil", "Trim both lamps"]
    row = RemoteItem.objects.get(key=event.uid)
    assert row.href.endswith("/moved.ics")
    stage.close()


@pytest.fixture
def events():
    with jmap_server() as server:
        stage = EventStage(server)
        yield stage
        stage.close()


def test_of_two_events_with_one_uid_one_is_kept_and_the_other_named(inbox, events):
    settings = {"jmap_url": events.server.url, "username": "mira"}
    source = connect(inbox.account, "jmap", settings, events.server.issue(ACCOUNT),
                     only={events.collection.id})  # fmt: skip
    events.put("oil", "Buy oil")
    events.put("lamp", "Trim the lamp")
    events.ids["first"] = events.ids.pop("lamp")
    source = sync(source)
    events.put("lamp", "Trim the other lamp")
    source = sync(source)
    assert (source.failures, source.words) == (0, "")
    assert titles() == ["Buy oil", "Trim the lamp"]
    unfit = RemoteItem.objects.exclude(problem="").get()
    assert unfit.href == events.ids["lamp"]
    assert worded(unfit.problem) == "Another event of the calendar has the same UID."
    # It is there as soon as the other one is not.
    events.remove("first")
    sync(source)
    sync(source)
    assert titles() == ["Buy oil", "Trim the other lamp"]
    assert not RemoteItem.objects.exclude(problem="").exists()


def test_two_new_events_with_one_uid_do_not_keep_the_others_away(inbox, events):
    settings = {"jmap_url": events.server.url, "username": "mira"}
    source = connect(inbox.account, "jmap", settings, events.server.issue(ACCOUNT),
                     only={events.collection.id})  # fmt: skip
    for title in ("Trim the lamp", "Trim the lamp"):
        events.ids.pop("lamp", None)
        events.put("lamp", title)
    events.put("oil", "Buy oil")
    source = sync(source)
    assert source.failures == 0, source.words
    assert titles() == ["Buy oil", "Trim the lamp"]
    assert RemoteItem.objects.exclude(problem="").count() == 1
