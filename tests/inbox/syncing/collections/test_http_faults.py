"""At each request of a sync something goes wrong, in each way: nothing is lost, nothing is doubled.

The server hears of what it is told once; where an answer is lost after the server did what was
asked, the next sync finds it done. `HTTP_FAULTS=all` spoils every request, else some of them.
"""

from datetime import timedelta

import pytest
from django.utils import timezone

from calendar_app.models import Calendar, Event
from calendar_app.operations.deletions import delete_event
from calendar_app.operations.events import EventValues, plan_event, plan_update
from calendar_app.operations.occurrences import Occurrence
from calendar_app.operations.sent import apply
from inbox.models import RemoteItem, RemoteSource, SyncConflict
from inbox.syncing.collections.session import sync_source
from tests.dav_servers import PASSWORD
from tests.factories import NOON
from tests.http_faults import WAYS, faulty, some_of
from tests.inbox.providers.dav.stages import DavStage
from tests.inbox.providers.google.stages import CalendarStage
from tests.inbox.syncing.collections.sources import connect, run_jobs_but_syncs, sync
from tests.inbox.syncing.collections.test_random_programs import (
    comparable,
    differences,
    here,
    there,
)
from tests.machines.google.everything import google_server

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
_KIND = {"content-type": "text/calendar; charset=utf-8"}


class Scene:
    """A calendar at a server behind a proxy, changed on both sides, not yet synced."""

    def __init__(self, inbox, stage, proxy, server, user):
        self.stage, self.proxy = stage, proxy
        settings = {"url": f"{proxy.url}/", "username": user}
        proxy.spoil(-1, "")
        self.source = connect(inbox.account, "dav", settings, PASSWORD, only=self._ids())
        self.calendar = Calendar.objects.select_related("account").get(remote__source=self.source)

    def _ids(self):
        return {f"{self.proxy.url}{self.stage.path()}"}

    def prepare(self):
        """Have three events on both sides, then change, remove and make one on each."""
        for number in range(4):
            self.stage.put(f"e{number}", f"Theirs {number}")
        self.source = sync(self.source)
        assert self.source.failures == 0, (self.source.words, self.source.reply)
        self.stage.put("e0", "Theirs, changed")
        self.stage.remove("e1")
        self.stage.put("e4", "Theirs, new")
        self._change("e2@lantern.example", "Ours, changed")
        delete_event(occurrence=self._occurrence("e3@lantern.example"))
        wanted = EventValues(summary="Ours, new", start=NOON, end=NOON + timedelta(hours=1))
        planned = plan_event(calendar=self.calendar, wanted=wanted)
        apply(account=self.calendar.account, message=planned.message, calendar=self.calendar)
        self.made = planned.event.uid

    def _occurrence(self, uid):
        row = Event.objects.select_related("calendar__account").get(calendar=self.calendar, uid=uid)
        return Occurrence(row, row.dtstart, row.dtend)

    def _change(self, uid, words):
        planned = plan_update(occurrence=self._occurrence(uid), wanted=EventValues(summary=words))
        apply(account=self.calendar.account, message=planned.message)

    def sync_once(self):
        """Have what was published heard of, and sync, unless that was asked for and done."""
        run_jobs_but_syncs()
        RemoteSource.objects.filter(pk=self.source.pk).update(next_at=timezone.now())
        sync_source(self.source.pk)

    def check(self):
        """See that both sides say what was last said on either."""
        said, etags, _raws = there(self.stage)
        same = comparable(said) == comparable(here(self.calendar))
        assert same, str(differences(self.calendar, said))
        titles = sorted(str(fields["summary"]) for fields in said.values())
        assert titles == ["Ours, changed", "Ours, new", "Theirs, changed", "Theirs, new"]
        assert self.made in said
        assert not SyncConflict.objects.exists()
        assert not RemoteItem.objects.exclude(problem="").exists()
        sync(self.source)
        assert there(self.stage)[1] == etags
        assert not RemoteItem.objects.filter(dirty=True).exists()


class GoogleScene(Scene):
    """A calendar at the stand-in for Google."""

    def __init__(self, inbox, stage, proxy):
        self.stage, self.proxy = stage, proxy
        proxy.spoil(-1, "")
        settings, token = {"api_url": proxy.url}, stage.server.token()
        only = {stage.collection.id}
        self.source = connect(inbox.account, "google", settings, token, only=only)
        self.calendar = Calendar.objects.select_related("account").get(remote__source=self.source)


def calls_of(scene, proxy):
    """Return how many requests one sync of such a scene takes."""
    scene.prepare()
    proxy.spoil(-1, "")
    scene.sync_once()
    count = proxy.count
    scene.check()
    clear(scene)
    return count


def clear(scene):
    scene.stage.remove_collection()
    scene.stage.close()
    RemoteSource.objects.all().delete()
    Calendar.objects.filter(pk=scene.calendar.pk).delete()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["radicale", "xandikos", "cyrus_dav"])
def test_whatever_goes_wrong_with_a_request_both_sides_agree_in_the_end(inbox, request, name, way):
    server = request.getfixturevalue(name)
    user = "mira" if name == "xandikos" else server.new_user()
    with faulty(server.url) as proxy:
        spoil_each(
            lambda: Scene(inbox, DavStage(server, user, "calendar"), proxy, server, user),
            proxy, way,
        )  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_whatever_goes_wrong_at_google_both_sides_agree_in_the_end(inbox, way):
    with google_server() as google, faulty(google.url) as proxy:
        spoil_each(lambda: GoogleScene(inbox, CalendarStage(google), proxy), proxy, way)
        assert google.violations == []
        assert google.calendars.told == []


def spoil_each(new_scene, proxy, way):
    count = calls_of(new_scene(), proxy)
    assert count >= 8
    for number in some_of(range(count), 2):
        scene = new_scene()
        scene.prepare()
        proxy.spoil(number, way)
        scene.sync_once()
        assert proxy.spoiled, f"request {number} of {count} was not made"
        proxy.spoil(-1, "")
        scene.source = sync(RemoteSource.objects.get(pk=scene.source.pk))
        assert scene.source.failures == 0, (number, scene.source.words, scene.source.reply)
        scene.check()
        clear(scene)
