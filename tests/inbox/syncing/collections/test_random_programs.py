"""Two programs and we ourselves change a calendar at random: in the end nothing differs.

In between our sync is killed where it happens to be, and goes on.
"""

from datetime import timedelta

import pytest

from calendar_app.icalendar import read_calendar
from calendar_app.mirroring.event_fields import fields_of
from calendar_app.models import Calendar, Event
from calendar_app.operations.deletions import delete_event
from calendar_app.operations.events import EventValues, plan_event, plan_update
from calendar_app.operations.keeping import said_of
from calendar_app.operations.occurrences import Occurrence
from calendar_app.operations.sent import apply
from inbox.models import RemoteItem
from inbox.syncing.collections.merging import differing
from tests.factories import NOON
from tests.inbox.syncing.collections.random_places import place_of
from tests.inbox.syncing.collections.random_runs import ROUNDS, SEED, Ourselves, run_together
from tests.inbox.syncing.collections.sources import connect, sync

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


class OurEvents(Ourselves):
    """Events here, named by their UID."""

    def __init__(self, calendar, seed):
        super().__init__(seed)
        self.calendar = calendar

    def acts(self):
        return {self._make: 3, self._change: 6, self._remove: 2}

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


def differences(calendar, said):
    """What differs, to be shown: which fields of which items, and what our rows say of them."""
    ours, theirs = comparable(here(calendar)), comparable(said)
    fields = {
        uid: {name: (ours.get(uid, {}).get(name), theirs.get(uid, {}).get(name)) for name in names}
        for uid in ours.keys() | theirs.keys()
        if (names := differing(ours.get(uid, {}), theirs.get(uid, {})))
    }
    columns = ("key", "href", "etag", "dirty", "stale", "gone", "touched", "problem")
    return fields, list(RemoteItem.objects.filter(key__in=fields).values(*columns))


def comparable(said):
    """What both sides say; that nothing is said of a status is that it is confirmed."""
    return {uid: {"status": "confirmed", **fields} for uid, fields in said.items()}


@pytest.mark.parametrize(
    "name",
    ["radicale", "xandikos", "davical", "cyrus_dav", "cyrus-jmap", "jmap", "graph", "google"],
)
def test_nothing_differs_nothing_is_lost_and_nothing_echoes(inbox, request, name):
    with place_of(name, request) as place:
        run_programs(inbox, place)


def run_programs(inbox, place):
    stage = place.stage
    wanted = {stage.collection.id}
    source = connect(inbox.account, place.provider, place.settings, place.secret, only=wanted)
    calendar = Calendar.objects.select_related("account").get(remote__isnull=False)

    def sync_now(*, busy=place.busy):
        now = sync(source)
        is_busy = any(said in now.reply for said in busy)
        assert now.failures == 0 or is_busy, (now.words, now.reply)

    programs = [place.program(seed, ROUNDS) for seed in (SEED, SEED + 1)]
    made, removed = run_together(programs, OurEvents(calendar, SEED), source.pk, sync_now)
    for _ in range(3):
        sync_now(busy=())
    said, etags, raws = there(stage)
    assert comparable(said) == comparable(here(calendar)), str(differences(calendar, said))
    assert made - removed <= said.keys()
    place.check(raws)
    assert not RemoteItem.objects.exclude(problem="").exists()
    sync_now(busy=())
    assert there(stage)[1] == etags
    assert not RemoteItem.objects.filter(dirty=True).exists()
    stage.close()
