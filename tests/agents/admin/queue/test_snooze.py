"""For how long one puts things off, by the reader's clock."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from agents.admin.queue.snooze import SNOOZES, offered_snoozes, snooze_end
from tests.cases import in_one_test

# A Friday, 22:30 in Berlin and 11:30 in Honolulu.
NOW = datetime(2026, 3, 27, 21, 30, tzinfo=UTC)


@in_one_test(
    ("code", "zone", "expected"),
    [
        ("3h", "Europe/Berlin", "2026-03-28T00:30"),
        ("evening", "Europe/Berlin", "2026-03-28T17:00"),
        ("evening", "Pacific/Honolulu", "2026-03-28T04:00"),
        ("tomorrow", "Europe/Berlin", "2026-03-28T07:00"),
        # The clocks go forward in between.
        ("monday", "Europe/Berlin", "2026-03-30T06:00"),
        ("week", "Europe/Berlin", "2026-04-03T06:00"),
        ("tomorrow", "UTC", "2026-03-28T08:00"),
    ],
)
def test_days_are_those_of_the_reader(code, zone, expected):
    end = snooze_end(code, NOW, ZoneInfo(zone))
    assert end.isoformat(timespec="minutes") == f"{expected}+00:00"


def test_next_monday_is_never_today():
    monday = datetime(2026, 3, 30, 5, 0, tzinfo=UTC)
    assert snooze_end("monday", monday, UTC).date().isoformat() == "2026-04-06"


def test_every_choice_ends_in_the_future():
    for hour in range(24):
        now = datetime(2026, 10, 25, hour, 30, tzinfo=UTC)
        assert all(snooze_end(code, now, ZoneInfo("Europe/Berlin")) > now for code, _ in SNOOZES)


def test_only_what_ends_before_it_expires_is_offered():
    offered = offered_snoozes(NOW, UTC, datetime(2026, 3, 28, 9, tzinfo=UTC))
    assert [code for code, _, _ in offered] == ["3h", "tomorrow"]


def test_another_code_is_none():
    with pytest.raises(KeyError):
        snooze_end("year", NOW, UTC)
