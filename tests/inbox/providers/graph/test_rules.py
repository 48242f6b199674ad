"""Rules of recurrence as Graph says them, where it can, and back."""

from datetime import datetime, timedelta
from itertools import islice

import pytest
from dateutil.rrule import rrulestr

from inbox.formats.calendar_lines import Moment
from inbox.providers.graph.calendars.patterns import essence, to_rule
from inbox.providers.graph.calendars.rules import UnsaidError, to_recurrence
from tests.machines.graph import series

BERLIN = "Europe/Berlin"
RULES = [
    ("20260302T090000", "FREQ=DAILY"),
    ("20260302T090000", "FREQ=DAILY;INTERVAL=3;COUNT=10"),
    ("20260302T090000", "FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20260601T070000Z"),
    ("20260304T090000", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,SU;WKST=SU;COUNT=20"),
    ("20260315T090000", "FREQ=MONTHLY;BYMONTHDAY=15"),
    ("20260331T090000", "FREQ=MONTHLY;BYMONTHDAY=-1"),
    ("20260330T090000", "FREQ=MONTHLY;BYMONTHDAY=28,29,30;BYSETPOS=-1;COUNT=14"),
    ("20260309T090000", "FREQ=MONTHLY;BYDAY=2MO"),
    ("20260331T090000", "FREQ=MONTHLY;INTERVAL=2;BYDAY=-1TU"),
    ("20260331T090000", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1"),
    ("20260315T090000", "FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=15"),
    ("20260228T090000", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1"),
    ("20260310T090000", "FREQ=YEARLY;BYMONTH=3;BYDAY=2TU"),
]
OTHERS = [
    ("20260302T090000", "FREQ=WEEKLY", "FREQ=WEEKLY;BYDAY=MO"),
    ("20260302T090000", "FREQ=DAILY;BYDAY=MO,TU", "FREQ=WEEKLY;BYDAY=MO,TU"),
    ("20260315T090000", "FREQ=MONTHLY", "FREQ=MONTHLY;BYMONTHDAY=15"),
    ("20260315T090000", "FREQ=YEARLY", "FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=15"),
    ("20260302T090000", "FREQ=DAILY;UNTIL=20260310T060000Z", "FREQ=DAILY;UNTIL=20260309T080000Z"),
]
UNSAID = [
    "FREQ=HOURLY", "FREQ=DAILY;BYHOUR=9", "FREQ=WEEKLY;BYDAY=TU", "FREQ=MONTHLY;BYMONTHDAY=2,15",
    "FREQ=MONTHLY;BYMONTHDAY=31", "FREQ=MONTHLY;BYDAY=MO", "FREQ=MONTHLY;BYDAY=5MO",
    "FREQ=YEARLY;BYDAY=10MO", "FREQ=YEARLY;BYMONTH=3,9", "FREQ=YEARLY;BYWEEKNO=10",
    "FREQ=DAILY;COUNT=1000", "FREQ=DAILY;UNTIL=20260101T000000Z", "FREQ=DAILY;INTERVAL=0",
    "FREQ=DAILY;INTERVAL=x", "FREQ=MONTHLY;BYDAY=1MO,3MO", "INTERVAL=1", "FREQ=WEEKLY;WKST=XX",
    "FREQ=DAILY;UNTIL=soon", "FREQ=MONTHLY;BYMONTH=3", "FREQ=MONTHLY;BYMONTHDAY=1,2;BYSETPOS=-1",
]  # fmt: skip


def start_at(text: str) -> Moment:
    return Moment(datetime.strptime(text, "%Y%m%dT%H%M%S"), BERLIN)  # noqa: DTZ007


@pytest.mark.parametrize(("start", "rule"), RULES)
def test_a_rule_is_said_and_read_back(start, rule):
    moment = start_at(start)
    assert to_rule(to_recurrence(rule, moment), moment) == rule


@pytest.mark.parametrize(("start", "rule", "again"), OTHERS)
def test_a_rule_in_other_words_is_read_back_in_ours(start, rule, again):
    moment = start_at(start)
    assert to_rule(to_recurrence(rule, moment), moment) == again


@pytest.mark.parametrize(("start", "rule"), [*RULES, *(one[:2] for one in OTHERS)])
def test_graph_takes_place_when_the_rule_does(start, rule):
    moment = start_at(start)
    recurrence = series.checked(to_recurrence(rule, moment), moment.local.date(), "Europe/Berlin")
    naive = rule.replace("Z", "").replace("T070000", "T090000").replace("T060000", "T070000")
    expected = [at.date() for at in islice(rrulestr(naive, dtstart=moment.local), 40)]
    horizon = moment.local.date() + series.HORIZON - timedelta(days=1)
    found = list(islice(series.dates(recurrence), 40))
    assert found == [day for day in expected if day <= horizon]
    assert essence(recurrence) == essence(to_recurrence(rule, moment))


@pytest.mark.parametrize("rule", UNSAID)
def test_what_graph_has_no_words_for_is_said_so(rule):
    with pytest.raises(UnsaidError):
        to_recurrence(rule, start_at("20260302T090000"))


@pytest.mark.parametrize(
    "broken",
    [
        {}, {"pattern": None, "range": None}, {"pattern": {"type": "daily"}, "range": {}},
        {"pattern": {"type": "hourly", "interval": 1}, "range": {"type": "noEnd"}},
        {
            "pattern": {"type": "relativeMonthly", "interval": 1, "daysOfWeek": ["monday"],
                        "index": "sixth"},
            "range": {"type": "noEnd", "startDate": "2026-03-02"},
        },
        {"pattern": {"type": "daily", "interval": 1}, "range": {"type": "noEnd", "startDate": "x"}},
    ],
)  # fmt: skip
def test_a_recurrence_that_is_none_is_not_read(broken):
    with pytest.raises(ValueError):  # noqa: PT011
        to_rule(broken, start_at("20260302T090000"))
