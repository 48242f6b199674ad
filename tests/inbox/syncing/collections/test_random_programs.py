"""Two programs and we ourselves change a calendar at random: in the end nothing differs.

`SYNC_ROUNDS=500` has each of them make so many changes; `SYNC_SEED` repeats a run. In between our
sync is killed where it happens to be, and goes on.
"""

import os
import random
import subprocess
import sys
import time
from datetime import timedelta

import pytest
from django.utils import timezone

from calendar_app.icalendar import read_calendar
from calendar_app.mirroring.event_fields import fields_of
from calendar_app.models import Calendar, Event
from calendar_app.operations.deletions import delete_event
from calendar_app.operations.events import EventValues, plan_event, plan_update
from calendar_app.operations.keeping import said_of
from calendar_app.operations.occurrences import Occurrence
from calendar_app.operations.sent import apply
from inbox.errors import DomainError
from inbox.models import RemoteItem, RemoteSource
from tests.factories import NOON
from tests.fork_server import start
from tests.inbox.syncing.collections.random_places import place_of
from tests.inbox.syncing.collections.sources import connect, run_jobs_but_syncs, sync
from tests.processes import process_environment

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
ROUNDS = int(os.environ.get("SYNC_ROUNDS", "40"))
SEED = int(os.environ.get("SYNC_SEED", "0")) or random.randrange(1, 10**6)
_SYNC = """
import django, sys
django.setup()
from inbox.syncing.collections.session import sync_source
print("begun", flush=True)
sync_source(int(sys.argv[1]))
"""


class Ourselves:
    """What people and agents do here meanwhile; `made` and `removed` are UIDs."""

    def __init__(self, calendar, seed):
        self.calendar, self.chance = calendar, random.Random(seed)
        self.made, self.removed = set(), set()

    def act(self):
        act = self.chance.choices((self._make, self._change, self._remove), (3, 6, 2))[0]
        try:
            act()
        except DomainError as error:
            # It was deleted meanwhile.
            if error.code not in {"conflict", "not_found"}:
                raise

    def _make(self):
        start_at = NOON + timedelta(days=self.chance.randrange(30))
        wanted = EventValues(
            summary=f"Ours {self.chance.randrange(1000)}", start=start_at,
            end=start_at + timedelta(hours=1),
        )  # fmt: skip
        invitation = plan_event(calendar=self.calendar, wanted=wanted)
        apply(account=self.calendar.account, message=invitation.message, calendar=self.calendar)
        self.made.add(invitation.event.uid)

    def _change(self):
        if (occurrence := self._any()) is not None:
            name = self.chance.choice(("summary", "location", "description"))
            wanted = EventValues(**{name: f"Changed {self.chance.randrange(1000)}"})
            invitation = plan_update(occurrence=occurrence, wanted=wanted)
            apply(account=self.calendar.account, message=invitation.message)

    def _remove(self):
        if (occurrence := self._any()) is not None:
            delete_event(occurrence=occurrence)
            self.removed.add(occurrence.event.uid)

    def _any(self):
        rows = Event.objects.kept().filter(calendar=self.calendar)
        events = list(rows.select_related("calendar__account").order_by("pk"))
        event = self.chance.choice(events) if events else None
        return Occurrence(event, event.dtstart, event.dtend) if event else None


def sync_and_be_killed(source, after):
    RemoteSource.objects.update(next_at=timezone.now(), leased_until=None)
    worker = start(
        ["-c", _SYNC, source.pk],
        env=process_environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    worker.stdout.readline()
    time.sleep(after)
    worker.kill()
    worker.wait()
    worker.stdout.close()
    RemoteSource.objects.update(leased_until=None)


def there(stage):
    """What lies there, by UID, as fields."""
    store = stage.reopened()
    ids = [entry.id for entry in store.changes(stage.collection, "").present]
    items = list(store.fetch(stage.collection, ids))
    events = [read_calendar(item.raw)[0] for item in items]
    said = {some[0].uid: fields_of(some) for some in events}
    assert len(said) == len(items), "an event twice"
    return said, {item.id: item.etag for item in items}, [item.raw for item in items]


def here(calendar):
    found = {}
    for row in Event.objects.kept().filter(calendar=calendar).order_by("recurrence_id"):
        found.setdefault(row.uid, []).append(said_of(row))
    return {uid: fields_of(rows) for uid, rows in found.items()}


def states(calendar, said):
    """What our rows say of the items that differ, to be shown."""
    ours = comparable(here(calendar))
    keys = {uid for uid in ours.keys() | said.keys() if ours.get(uid) != comparable(said).get(uid)}
    columns = ("key", "href", "etag", "dirty", "stale", "gone", "touched", "problem")
    return list(RemoteItem.objects.filter(key__in=keys).values(*columns)) or keys


def comparable(said):
    """What both sides say; that nothing is said of a status is that it is confirmed."""
    return {uid: {"status": "confirmed", **fields} for uid, fields in said.items()}


@pytest.mark.parametrize("name", ["radicale", "xandikos", "graph", "google"])
def test_nothing_differs_nothing_is_lost_and_nothing_echoes(inbox, request, name):
    # Shown where it fails.
    sys.stderr.write(f"SYNC_SEED={SEED}\n")
    with place_of(name, request) as place:
        run_programs(inbox, place)


def run_programs(inbox, place):
    stage = place.stage
    wanted = {stage.collection.id}
    source = connect(inbox.account, place.provider, place.settings, place.secret, only=wanted)
    calendar = Calendar.objects.select_related("account").get(remote__isnull=False)
    ours, chance = Ourselves(calendar, SEED), random.Random(SEED)
    programs = [place.program(seed, ROUNDS) for seed in (SEED, SEED + 1)]
    for program in programs:
        program.start()
    kills = 0
    while any(program.is_alive() for program in programs):
        for _ in range(chance.randint(0, 3)):
            ours.act()
        run_jobs_but_syncs()
        if kills < 3 + ROUNDS // 40 and chance.random() < 0.3:
            sync_and_be_killed(source, chance.uniform(0.0, 0.6))
            kills += 1
        source = sync(source)
        is_busy = bool(place.busy) and place.busy in source.reply
        assert source.failures == 0 or is_busy, (source.words, source.reply)
    for _ in range(3):
        source = sync(source)
        assert source.failures == 0, (source.words, source.reply)
    said, etags, raws = there(stage)
    assert comparable(said) == comparable(here(calendar)), str(states(calendar, said))
    made = ours.made.union(*(program.made for program in programs))
    removed = ours.removed.union(*(program.removed for program in programs))
    assert made - removed <= said.keys()
    place.check(raws)
    assert not RemoteItem.objects.exclude(problem="").exists()
    sync(source)
    assert there(stage)[1] == etags
    assert not RemoteItem.objects.filter(dirty=True).exists()
    stage.close()
