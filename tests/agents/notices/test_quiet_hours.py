"""Quiet hours by the clock on the wall, through the nights in which it is turned."""

from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

from agents.notices.quiet_hours import QuietHours, quiet_until
from tests.cases import in_one_test

EVERY_DAY = frozenset(range(7))


def hours(begins=20, ends=7, days=EVERY_DAY, zone="Europe/Berlin"):
    return QuietHours(time(begins), time(ends), frozenset(days), ZoneInfo(zone))


def utc(*parts):
    return datetime(*parts, tzinfo=UTC)


@in_one_test(
    ("now", "until"),
    [
        # Winter, an hour before UTC: from 19:00 to 6:00 UTC.
        (utc(2026, 1, 14, 18, 59), None),
        (utc(2026, 1, 14, 19, 0), utc(2026, 1, 15, 6, 0)),
        (utc(2026, 1, 15, 5, 59), utc(2026, 1, 15, 6, 0)),
        (utc(2026, 1, 15, 6, 0), None),
        # The night of 29 March, when 2:00 becomes 3:00: it ends an hour of UTC sooner.
        (utc(2026, 3, 28, 19, 0), utc(2026, 3, 29, 5, 0)),
        (utc(2026, 3, 29, 5, 0), None),
        # The night of 25 October, when 3:00 becomes 2:00 again.
        (utc(2026, 10, 24, 18, 0), utc(2026, 10, 25, 6, 0)),
        (utc(2026, 10, 25, 5, 30), utc(2026, 10, 25, 6, 0)),
    ],
)
def test_a_night_is_quiet_by_the_clock_of_its_zone(now, until):
    assert quiet_until(hours(), now) == until


def test_hours_within_a_day_and_on_chosen_days_only():
    midday = hours(12, 14, {0})
    monday, tuesday = utc(2026, 1, 12, 12, 0), utc(2026, 1, 13, 12, 0)
    assert quiet_until(midday, monday) == utc(2026, 1, 12, 13, 0)
    assert quiet_until(midday, tuesday) is None


def test_the_day_is_that_on_which_the_night_begins():
    friday = hours(days={4})
    assert quiet_until(friday, utc(2026, 1, 17, 3, 0)) == utc(2026, 1, 17, 6, 0)
    assert quiet_until(friday, utc(2026, 1, 17, 20, 0)) is None


def test_days_that_are_wholly_quiet_follow_one_another():
    weekend = hours(0, 0, {5, 6})
    assert quiet_until(weekend, utc(2026, 1, 17, 12, 0)) == utc(2026, 1, 18, 23, 0)
    assert quiet_until(hours(0, 0), utc(2026, 1, 17, 12, 0)) is not None


def test_an_end_that_the_clock_leaves_out_comes_an_hour_later():
    skipped = QuietHours(time(22), time(2, 30), EVERY_DAY, ZoneInfo("Europe/Berlin"))
    assert quiet_until(skipped, utc(2026, 3, 29, 0, 0)) == utc(2026, 3, 29, 1, 30)
