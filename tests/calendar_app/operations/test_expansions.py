"""When series take place is kept, and reading it says what following their rules would."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from calendar_app.icalendar import ItipEvent, write_stamp
from calendar_app.models import Calendar, Event, Expansion
from calendar_app.operations.busy import list_busy
from calendar_app.operations.deletions import delete_event, restore_event
from calendar_app.operations.expansions import work_out_due
from calendar_app.operations.keeping import (
    AHEAD,
    BEHIND,
    MOST_STARTS,
    RENEWED,
    default_calendar,
    keep_ours,
    lock_uid,
    series_of,
)
from calendar_app.operations.occurrences import Occurrence, list_occurrences
from calendar_app.packed_starts import pack
from calendar_app.recurrence import Budget, find_starts
from inbox.actor import system_actor
from tests.cases import in_one_test, made_up

pytestmark = pytest.mark.django_db

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
ZONES = ("", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu")
RULES = (
    "FREQ=WEEKLY", "FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR", "FREQ=MONTHLY;BYDAY=-1TU,1FR",
    "FREQ=MONTHLY;BYMONTHDAY=31", "FREQ=DAILY;COUNT=40", "FREQ=WEEKLY;INTERVAL=3;BYDAY=SU,MO",
    "FREQ=HOURLY;INTERVAL=7;COUNT=90", "FREQ=YEARLY", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
    "FREQ=DAILY;UNTIL=20991231T000000Z", "",
)  # fmt: skip


@pytest.fixture
def calendar(inbox):
    return default_calendar(inbox.account)


def said(uid, start, lasts=HOUR, **fields):
    values = {
        "sequence": 0, "recurrence_id": "", "dtstamp": start, "all_day": False, "timezone": "",
        "rrule": "", "summary": uid, "description": "", "location": "", "status": "confirmed",
        "organizer": None, "attendees": (),
    }  # fmt: skip
    return ItipEvent(uid=uid, start=start, end=start + lasts, **{**values, **fields})


def keep(calendar, *events):
    with transaction.atomic():
        rows = lock_uid(calendar, events[0].uid)
        return [keep_ours(calendar, event, rows) for event in events]


def now():
    return timezone.now().replace(microsecond=0)


def shape(one):
    return one.start, one.event.pk, one.end, one.public_id, one.recurrence_id


def followed(since, until):
    """List what takes place as the rules say, one row after the other."""
    rows = list(Event.objects.kept())
    named = {(it.calendar_id, it.uid, it.recurrence_id): it for it in rows}
    found = []
    for event in rows:
        lasts = event.dtend - event.dtstart
        if event.recurrence_id or not event.recurs:
            series = named.get((event.calendar_id, event.uid, ""))
            first = None
            if event.recurrence_id and series:
                form = "%Y%m%dT%H%M%SZ" if "T" in event.recurrence_id else "%Y%m%d"
                first = datetime.strptime(event.recurrence_id, form).replace(tzinfo=UTC)
            starts = [(event.dtstart, event.recurrence_id and series, first)]
        else:
            starts = [
                (start, event, start)
                for start in take_until(starts_until(event, since - lasts, until), until)
                if (event.calendar_id, event.uid, write_stamp(start, all_day=event.all_day))
                not in named
            ]
        found += [
            Occurrence(event, start, start + lasts, series or None, first)
            for start, series, first in starts
            if start < until and (start + lasts > since or start >= since)
        ]
    return sorted(found, key=lambda one: (one.start, one.event.pk))


def starts_until(event, since, until):
    """Yield starts until long after then: what a rule never makes is looked for no further."""
    return find_starts(series_of(event), since, Budget(), until + 400 * DAY)


def take_until(starts, until):
    for start in starts:
        if start >= until:
            return
        yield start


class World:
    """Calendars of one account in which series are made, changed, deleted and brought back."""

    def __init__(self, calendar, seed):
        self.chance = random.Random(seed)
        other = Calendar.objects.create(
            workspace_id=calendar.workspace_id, account=calendar.account, name=f"Other {seed}"
        )
        self.calendars = [calendar, other]
        self.start = now().replace(minute=0, second=0) - 60 * DAY
        self.made = 0

    def make(self):
        self.made += 1
        chance, all_day = self.chance, self.chance.random() < 0.2
        start = self.start + chance.randrange(90 * 24) * HOUR
        if all_day:
            start = start.replace(hour=0)
        lasts = (
            chance.choice([1, 2, 9]) * DAY if all_day else chance.choice([0, 1, 5, 30, 300]) * HOUR
        )
        moments = [
            write_stamp(start + n * DAY, all_day=all_day) for n in chance.sample(range(60), 4)
        ]
        uid = f"{self.made}@x.example"
        series = said(
            uid, start, lasts, all_day=all_day, timezone="" if all_day else chance.choice(ZONES),
            rrule=chance.choice(RULES), is_transparent=chance.random() < 0.1,
            status=chance.choice(["confirmed", "confirmed", "tentative"]),
            rdate=tuple(moments[:2]) if chance.random() < 0.3 else (),
            exdate=tuple(moments[1:3]) if chance.random() < 0.3 else (),
        )  # fmt: skip
        (event,) = keep(chance.choice(self.calendars), series)
        starts = list(
            take_until(starts_until(event, self.start, now() + 40 * DAY), now() + 40 * DAY)
        )
        for first in chance.sample(starts, min(len(starts), chance.choice([0, 0, 1, 3]))):
            stamp = write_stamp(first, all_day=all_day)
            moved = first + chance.choice([0, 0, 3, -2, 900]) * HOUR
            keep(event.calendar, said(uid, moved, lasts, recurrence_id=stamp, all_day=all_day))

    def change(self):
        """Change a row by the operations, or past them."""
        chance = self.chance
        event = chance.choice(
            list(Event.objects.select_related("calendar__account").order_by("pk"))
        )
        of_event = Event.objects.filter(pk=event.pk)
        ways = (
            lambda: delete_event(occurrence=Occurrence(event, event.dtstart, event.dtend)),
            self._leave_out,
            lambda: event.deleted_at and restore_event(event=event),
            lambda: of_event.update(status=chance.choice(["cancelled", "tentative"])),
            lambda: of_event.update(partstat=chance.choice(["declined", "accepted"])),
            lambda: of_event.update(
                rrule="" if event.recurrence_id else chance.choice(RULES), last_end=None
            ),
            lambda: of_event.update(exdate=[write_stamp(event.dtstart, all_day=event.all_day)]),
            lambda: of_event.update(
                dtstart=event.dtstart + HOUR, dtend=event.dtend + HOUR, last_end=None
            ),
            lambda: event.recurrence_id and event.delete(),
            lambda: Calendar.objects.filter(pk=self.calendars[1].pk).update(
                deleted_at=chance.choice([None, now()])
            ),
            lambda: Expansion.objects.filter(pk=event.pk).update(
                since=None, until=None, starts=None, renew_at=now()
            ),
            work_out_due,
        )
        chance.choice(ways)()

    def _leave_out(self):
        rows = Event.objects.kept().select_related("calendar__account")
        listed = list_occurrences(rows, since=now(), until=now() + 30 * DAY, limit=50)
        if instances := [one for one in listed if one.series]:
            delete_event(occurrence=self.chance.choice(instances))

    def check(self):
        since = now() + self.chance.randrange(-150, 430) * DAY + self.chance.randrange(24) * HOUR
        until = since + self.chance.choice([1, 7, 31, 62]) * DAY
        expected = list(map(shape, followed(since, until)))
        for limit in (10_000, 5):
            found = list_occurrences(Event.objects.kept(), since=since, until=until, limit=limit)
            assert list(map(shape, found)) == expected[:limit]
        account = self.calendars[0].account
        busy = list_busy(
            actor=system_actor(account.workspace_id, "test"), accounts=[account.pk],
            since=since, until=until,
        )  # fmt: skip
        taken = [(one.start, one.end, one.is_tentative) for one in busy.get(account.pk, [])]
        assert taken == joined(followed(since, until), since, until)


def joined(found, since, until):
    """Return the taken times minute by minute."""
    result = []
    for is_tentative in (False, True):
        edges = []
        for one in found:
            event = one.event
            gone = event.status == "cancelled" or event.partstat == "declined"
            uncertain = event.status == "tentative" and event.partstat != "accepted"
            if gone or event.transparency != "opaque" or uncertain is not is_tentative:
                continue
            edges += [(max(one.start, since), -1), (min(one.end, until), 1)] * (one.end > one.start)
        depth, begin = 0, None
        for moment, edge in sorted(edges):
            begin = moment if not depth else begin
            depth -= edge
            if not depth:
                result.append((begin, moment, is_tentative))
    return sorted(result, key=lambda it: it[0])


def test_what_is_read_is_what_the_rules_say_whatever_was_changed_and_by_whom(calendar):
    for seed in range(made_up(24)):
        world = World(calendar, seed)
        for _ in range(6):
            world.make()
        for _ in range(5):
            world.check()
            world.change()
        world.check()
        Event.objects.all().delete()
        Calendar.objects.exclude(pk=calendar.pk).delete()


def test_a_series_is_worked_out_as_it_is_saved(calendar):
    (event,) = keep(calendar, said("a@x", now() - 20 * DAY, rrule="FREQ=DAILY"))
    kept = Expansion.objects.get(pk=event.pk)
    # The first number says how long each lasts.
    assert len(kept.starts) // 8 == 2 + (AHEAD + 20 * DAY).days
    assert kept.since < now() - BEHIND + 2 * HOUR
    keep(calendar, said("a@x", now() + 20 * DAY, rrule="FREQ=DAILY", sequence=1))
    kept.refresh_from_db()
    assert len(kept.starts) // 8 == 2 + (AHEAD - 20 * DAY).days


def test_what_is_kept_is_what_is_read(calendar):
    start = now() + DAY
    (event,) = keep(calendar, said("a@x", start, rrule="FREQ=DAILY"))
    Expansion.objects.filter(pk=event.pk).update(starts=pack(HOUR, [start + 2 * HOUR]))
    rows = Event.objects.kept()
    (found,) = list_occurrences(rows, since=start, until=start + 5 * DAY, limit=9)
    assert (found.start, found.end) == (start + 2 * HOUR, start + 3 * HOUR)
    # Later than is known, the rule is followed.
    late = start + AHEAD
    assert len(list_occurrences(rows, since=late, until=late + 5 * DAY, limit=9)) == 5


@in_one_test(
    ("column", "value"),
    [
        ("dtstart", datetime(2026, 3, 1, tzinfo=UTC)), ("dtend", datetime(2099, 3, 1, tzinfo=UTC)),
        ("all_day", True), ("timezone", "Asia/Tokyo"), ("rrule", "FREQ=WEEKLY"),
        ("rdate", ["20260301T000000Z"]), ("exdate", ["20260301T000000Z"]),
        ("last_end", datetime(2099, 3, 1, tzinfo=UTC)),
    ],
)  # fmt: skip
def test_the_database_forgets_what_was_worked_out_from_something_else(calendar, column, value):
    (event,) = keep(calendar, said(f"{column}@x", now(), rrule="FREQ=DAILY"))
    Event.objects.filter(pk=event.pk).update(summary="Another", status="cancelled")
    assert Expansion.objects.get(pk=event.pk).starts
    Event.objects.filter(pk=event.pk).update(**{column: value})
    assert Expansion.objects.get(pk=event.pk).starts is None


def test_what_ceases_to_recur_is_found_by_its_start_again(calendar):
    (event,) = keep(calendar, said("a@x", now() + HOUR, rrule="FREQ=DAILY"))
    Event.objects.filter(pk=event.pk).update(rrule="", last_end=event.dtend)
    assert not Expansion.objects.exists()
    found = list_occurrences(Event.objects.kept(), since=now(), until=now() + 9 * DAY, limit=9)
    assert [one.start for one in found] == [event.dtstart]


def test_what_lasts_for_weeks_is_found_long_after_it_began(calendar):
    keep(calendar, said("a@x", now() - 300 * DAY, 350 * DAY))
    keep(calendar, said("b@x", now() - 9 * DAY, 8 * DAY))
    keep(calendar, said("c@x", now() - 9 * DAY, 8 * DAY + 2 * DAY))
    found = list_occurrences(Event.objects.kept(), since=now(), until=now() + DAY, limit=9)
    assert [one.event.uid for one in found] == ["a@x", "c@x"]


def test_what_takes_place_once_is_not_left_out_by_its_own_exdate(calendar):
    start = now() - 9 * DAY
    stamp = write_stamp(start, all_day=False)
    for n, lasts in enumerate([HOUR, 8 * DAY, 12 * DAY]):
        keep(calendar, said(f"{n}@x", start, lasts, exdate=(stamp,)))
    found = list_occurrences(Event.objects.kept(), since=start, until=start + DAY, limit=9)
    assert [one.event.uid for one in found] == ["0@x", "1@x", "2@x"]


def test_what_takes_place_once_stays_beside_an_instance_that_names_it(calendar):
    start = now() - 9 * DAY
    stamp = write_stamp(start, all_day=False)
    for lasts in [HOUR, 12 * DAY]:
        keep(calendar, said(f"{lasts}@x", start, lasts))
        keep(calendar, said(f"{lasts}@x", start + HOUR, lasts, recurrence_id=stamp))
    found = list_occurrences(Event.objects.kept(), since=start, until=start + DAY, limit=9)
    assert [one.start - start for one in found] == [0 * HOUR, 0 * HOUR, HOUR, HOUR]


def test_what_came_in_past_the_operations_is_worked_out_by_the_job_and_again_each_month(calendar):
    start = now() + HOUR
    Event.objects.bulk_create(
        Event(
            workspace_id=calendar.workspace_id, calendar=calendar, uid=f"{n}@x", dtstart=start,
            dtend=start + HOUR, rrule="FREQ=DAILY" if n % 2 else "", last_end=None,
        )
        for n in range(60)
    )  # fmt: skip
    assert Expansion.objects.filter(starts=None).count() == 30
    assert work_out_due() == 30
    assert not Expansion.objects.filter(starts=None).exists()
    assert work_out_due() == 0
    until = Expansion.objects.first().until
    assert work_out_due(timezone.now() + RENEWED + HOUR) == 30
    assert Expansion.objects.first().until >= until + RENEWED


def test_a_series_that_takes_place_all_the_time_is_kept_as_far_as_there_is_room(calendar):
    often = "FREQ=HOURLY;BYMINUTE=0,15,30,45"
    (event,) = keep(calendar, said("a@x", now() - 2 * DAY, HOUR / 4, rrule=often))
    kept = Expansion.objects.get(pk=event.pk)
    assert len(kept.starts) // 8 == 1 + MOST_STARTS
    assert kept.until < now() + AHEAD / 4
    for since in (now(), kept.until - DAY, kept.until + DAY):
        found = list_occurrences(
            Event.objects.kept(), since=since, until=since + 2 * DAY, limit=999
        )
        assert len(found) in {192, 193}


def test_a_rule_that_never_comes_true_is_looked_at_once(calendar):
    keep(calendar, said("a@x", now() - DAY, rrule="FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"))
    kept = Expansion.objects.get()
    assert len(kept.starts) // 8 == 2
    # One that has to be counted from long ago is left to each reading.
    Event.objects.update(
        dtstart=datetime(1900, 1, 1, tzinfo=UTC), dtend=datetime(1900, 1, 1, 1, tzinfo=UTC),
        rrule="FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;COUNT=3", rdate=["20260301T000000Z"],
    )  # fmt: skip
    work_out_due()
    assert Expansion.objects.get().starts is None
    assert work_out_due() == 0


def test_a_rule_that_cannot_be_read_keeps_no_other_from_being_worked_out(calendar):
    for uid in ("a@x", "b@x"):
        keep(calendar, said(uid, now(), rrule="FREQ=DAILY"))
    Event.objects.filter(uid="a@x").update(rrule="FREQ=SOMETIMES")
    Event.objects.filter(uid="b@x").update(rrule="FREQ=WEEKLY")
    assert work_out_due() == 2
    assert [one.starts is None for one in Expansion.objects.order_by("event__uid")] == [True, False]


def test_the_queries_are_as_many_however_many_series_there_are(calendar, django_assert_num_queries):
    for number in range(5):
        keep(calendar, said(f"{number}@x", now() + HOUR, rrule="FREQ=DAILY"))
        stamp = write_stamp(now().replace(microsecond=0) + HOUR + DAY, all_day=False)
        keep(calendar, said(f"{number}@x", now() + 2 * DAY, recurrence_id=stamp))
    rows, window = Event.objects.kept(), {"since": now(), "until": now() + 30 * DAY}
    with django_assert_num_queries(4):
        list_occurrences(rows, limit=100, **window)
    actor, accounts = system_actor(calendar.workspace_id, "test"), [calendar.account_id]
    with django_assert_num_queries(3):
        list_busy(actor=actor, accounts=accounts, **window)


def test_nobody_reads_the_taken_times_of_calendars_that_they_may_not_see(calendar, workspace):
    keep(calendar, said("a@x", now() + HOUR, rrule="FREQ=DAILY"))
    window = {"since": now(), "until": now() + 3 * DAY}
    for actor in (
        system_actor(calendar.workspace_id + 1, "test"),
        system_actor(calendar.workspace_id, "test"),
    ):
        found = list_busy(actor=actor, accounts=[calendar.account_id], **window)
        assert bool(found) is (actor.workspace_id == calendar.workspace_id)
    assert list_busy(actor=actor, accounts=[], **window) == {}
