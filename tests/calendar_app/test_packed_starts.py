"""Starts of a series as bytes, cut to a window as a list of times would be."""

import random
from datetime import UTC, datetime, timedelta

from calendar_app.packed_starts import between, pack, to_moment, to_number, to_text


def test_a_window_has_what_a_list_would_have():
    chance = random.Random(8607)
    for _ in range(200):
        zero = datetime(2026, 3, 1, tzinfo=UTC)
        starts = sorted({zero + timedelta(hours=chance.randrange(200)) for _ in range(20)})
        lasts = timedelta(hours=chance.choice([0, 0, 1, 5, 60]))
        since = zero + timedelta(hours=chance.randrange(-10, 210))
        until = since + timedelta(hours=chance.randrange(1, 80))
        expected = [it for it in starts if it < until and (it + lasts > since or it >= since)]
        read, found = between(pack(lasts, starts), to_number(since), to_number(until))
        assert timedelta(microseconds=read) == lasts
        assert [to_moment(it) for it in found] == expected


def test_times_come_back_to_the_microsecond():
    for moment in (
        datetime(1900, 1, 1, tzinfo=UTC),
        datetime(2026, 3, 1, 12, 30, 59, 999_999, tzinfo=UTC),
        datetime(2200, 12, 31, 23, 59, 59, 1, tzinfo=UTC),
    ):
        assert to_moment(to_number(moment)) == moment
        assert to_text(to_number(moment)) == moment.replace(tzinfo=None).isoformat()


def test_the_bytes_are_the_same_on_every_machine():
    one = pack(timedelta(microseconds=1), [datetime(1970, 1, 1, 0, 0, 0, 2, tzinfo=UTC)])
    assert one == b"\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0"


def test_what_never_takes_place_is_in_no_window():
    assert between(pack(timedelta(hours=1), []), 0, 10**18) == (3_600_000_000, [])
