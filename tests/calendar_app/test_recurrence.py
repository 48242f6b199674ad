"""Rules of recurrence: as RFC 5545 says, as other readers count, and within bounds."""

import random
from datetime import UTC, datetime, timedelta
from itertools import islice, takewhile

import pytest
from dateutil.rrule import rrulestr

from calendar_app.recurrence import (
    Budget,
    Series,
    find_last_start,
    find_starts,
    is_start,
    read_rule,
)
from tests.cases import in_one_test
from tests.growth import seconds_of

DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


def at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)


def starts(rule, start=None, *, since=None, most=10, **series):
    start = start or at(2026, 3, 2, 12)
    made = Series(start, rrule=rule, **series)
    return list(islice(find_starts(made, since or start, Budget()), most))


def days(rule, *args, **kwargs):
    return [f"{one:%m-%d}" for one in starts(rule, *args, **kwargs)]


@in_one_test(
    ("rule", "expected"),
    [
        ("FREQ=DAILY;COUNT=3", ["03-02", "03-03", "03-04"]),
        ("FREQ=WEEKLY;BYDAY=MO,WE;COUNT=4", ["03-02", "03-04", "03-09", "03-11"]),
        ("FREQ=WEEKLY;INTERVAL=2;COUNT=3", ["03-02", "03-16", "03-30"]),
        ("FREQ=MONTHLY;BYDAY=1MO;COUNT=3", ["03-02", "04-06", "05-04"]),
        ("FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=3", ["03-02", "03-31", "04-30"]),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=3", ["03-02", "03-31", "04-30"]),
        ("FREQ=DAILY;UNTIL=20260304T115959Z", ["03-02", "03-03"]),
        ("FREQ=DAILY;UNTIL=20260304T120000Z", ["03-02", "03-03", "03-04"]),
        ("FREQ=DAILY;UNTIL=20260304", ["03-02", "03-03", "03-04"]),
        ("FREQ=YEARLY;COUNT=2", ["03-02", "03-02"]),
    ],
)
def test_rules_mean_what_the_rfc_says(rule, expected):
    assert days(rule) == expected


def test_the_31st_is_left_out_where_there_is_none():
    assert days("FREQ=MONTHLY;COUNT=3", at(2026, 1, 31, 9)) == ["01-31", "03-31", "05-31"]


def test_a_leap_day_recurs_in_leap_years():
    assert [one.year for one in starts("FREQ=YEARLY;COUNT=2", at(2024, 2, 29))] == [2024, 2028]


def test_a_series_keeps_its_hour_when_the_clock_changes():
    found = starts("FREQ=WEEKLY;COUNT=3", at(2026, 3, 22, 9), timezone="Europe/Berlin")
    assert [one.hour for one in found] == [9, 8, 8]


def test_an_hour_that_the_clock_skips_is_held_when_it_would_have_been():
    found = starts("FREQ=DAILY;COUNT=3", at(2026, 3, 28, 1, 30), timezone="Europe/Berlin")
    assert found == [at(2026, 3, 28, 1, 30), at(2026, 3, 29, 1, 30), at(2026, 3, 30, 0, 30)]


def test_days_are_those_of_the_zone_and_not_of_utc():
    found = starts("FREQ=WEEKLY;BYDAY=TU;COUNT=2", at(2026, 3, 2, 15), timezone="Asia/Tokyo")
    assert found[1] == at(2026, 3, 2, 15) + timedelta(days=7)


def test_what_is_left_out_is_counted_all_the_same():
    exdate = (at(2026, 3, 3, 12),)
    assert days("FREQ=DAILY;COUNT=3", exdate=exdate) == ["03-02", "03-04"]


def test_further_dates_stand_in_order_and_once():
    rdate = (at(2026, 3, 2, 18), at(2026, 3, 3, 12))
    found = starts("FREQ=DAILY;COUNT=2", rdate=rdate)
    assert found == [at(2026, 3, 2, 12), at(2026, 3, 2, 18), at(2026, 3, 3, 12)]


def test_a_rule_may_say_that_it_goes_by_the_usual_calendar():
    usual = starts("FREQ=MONTHLY;COUNT=3")
    assert starts("RSCALE=GREGORIAN;FREQ=MONTHLY;COUNT=3") == usual
    assert starts("RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP=OMIT;COUNT=3") == usual


def test_a_series_is_known_by_its_starts():
    series = Series(at(2026, 3, 2, 12), rrule="FREQ=WEEKLY")
    assert is_start(series, at(2036, 3, 3, 12))
    assert not is_start(series, at(2036, 3, 3, 13))


@in_one_test(
    ("rule", "last"),
    [
        ("", at(2026, 3, 2, 12)),
        ("FREQ=DAILY", None),
        ("FREQ=DAILY;COUNT=3", at(2026, 3, 4, 12)),
        ("FREQ=DAILY;UNTIL=20260401T000000Z", at(2026, 4, 1)),
        ("FREQ=DAILY;COUNT=100000", None),
    ],
)
def test_the_end_of_a_series(rule, last):
    assert find_last_start(Series(at(2026, 3, 2, 12), rrule=rule)) == last


HOSTILE = [
    "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
    "FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30",
    "FREQ=YEARLY;BYWEEKNO=53;BYMONTH=6",
    "FREQ=HOURLY;COUNT=100000;BYMINUTE=" + ",".join(map(str, range(60))),
    "FREQ=YEARLY;BYHOUR=0,1,2,3,4,5,6,7,8,9,10,11,12;BYMINUTE=" + ",".join(map(str, range(60))),
    "FREQ=MONTHLY;INTERVAL=10000;COUNT=100000;BYSETPOS=366",
]


@in_one_test("rule", HOSTILE)
def test_a_hostile_rule_ends_soon(rule):
    series, budget = Series(at(1990, 1, 1), rrule=rule), Budget()

    def follow() -> None:
        list(islice(find_starts(series, at(2026, 1, 1), Budget()), 200))
        find_last_start(series)

    # As a rule that never matches: a step is looking at a period.
    assert seconds_of(follow) < 30 * seconds_of(lambda: all(iter(budget.spend, False)))


def test_a_budget_is_shared_and_its_end_is_an_end():
    budget = Budget(100)
    series = Series(at(2026, 1, 1), rrule="FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30")
    assert list(find_starts(series, at(2026, 1, 2), budget)) == []
    assert budget.steps < 0


@in_one_test(
    "rule",
    ["FREQ=SECONDLY", "FREQ=MINUTELY", "COUNT=3", "FREQ=DAILY;COUNT=0", "FREQ=DAILY;INTERVAL=0",
     "FREQ=DAILY;COUNT=1000000", "FREQ=MONTHLY;BYMONTHDAY=0", "FREQ=DAILY;BYMONTH=13",
     "FREQ=MONTHLY;BYDAY=99MO", "FREQ=DAILY;BYDAY=XX", "FREQ=DAILY;UNTIL=soon", "FREQ=DAILY;BOSS=1",
     "RSCALE=HEBREW;FREQ=YEARLY", "RSCALE=GREGORIAN;SKIP=FORWARD;FREQ=MONTHLY",
     "FREQ=DAILY;BYHOUR=" + "1," * 400 + "1", "FREQ=DAILY;UNTIL=20261341"],
)  # fmt: skip
def test_what_is_no_rule_is_refused(rule):
    with pytest.raises(ValueError, match=r"RRULE|month|day"):
        read_rule(rule)


def test_random_rules_are_counted_as_another_reader_counts_them():
    chosen = random.Random(5)
    compared = 0
    for _ in range(150):
        rule, start = some_rule(chosen)
        since = start + timedelta(days=chosen.choice([0, 3, 100]))
        end = since + timedelta(days=400)
        theirs = rrulestr(rule, dtstart=start).between(since, end, inc=True)[:100]
        ours = takewhile(
            lambda one, end=end: one <= end, find_starts(Series(start, rrule=rule), since, Budget())
        )
        assert [one for one in islice(ours, 101) if one != start][:99] == [
            one for one in theirs if one != start
        ][:99], (rule, start, since)
        compared += bool(theirs)
    assert compared > 50


def some_rule(chosen):
    """A rule that matches often enough for a reader that looks at every day there is."""
    freq = chosen.choice(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"])
    parts = [f"FREQ={freq}", f"INTERVAL={chosen.randint(1, 3)}", f"WKST={chosen.choice(DAYS)}"]
    if freq in {"MONTHLY", "YEARLY"} and chosen.random() < 0.5:
        nth = chosen.choice(["1", "2", "-1", ""])
        parts.append("BYDAY=" + ",".join(nth + day for day in chosen.sample(DAYS, 2)))
    elif chosen.random() < 0.5:
        parts.append("BYDAY=" + ",".join(chosen.sample(DAYS, 3)))
    if freq == "YEARLY" and chosen.random() < 0.5:
        parts.append(f"BYMONTH={chosen.randint(1, 12)}")
    if chosen.random() < 0.3:
        parts.append(f"BYHOUR={chosen.randint(0, 11)},{chosen.randint(12, 23)}")
    start = at(2024, 1, 1) + timedelta(hours=chosen.randint(0, 9000))
    if chosen.random() < 0.3:
        parts.append(f"UNTIL={start + timedelta(days=200):%Y%m%dT%H%M%SZ}")
    return ";".join(parts), start
