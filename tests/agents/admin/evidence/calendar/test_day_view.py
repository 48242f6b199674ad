"""How the days of a meeting are drawn."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from agents.admin.evidence.calendar.day_view import HOUR, Block, days_of, draw

BERLIN = ZoneInfo("Europe/Berlin")
TUESDAY = date(2026, 3, 10)


def at(hour, minute=0, day=10):
    return datetime(2026, 3, day, hour, minute, tzinfo=UTC)


def block(start, end, summary="It", **fields):
    return Block(summary, start, end, **fields)


def test_a_meeting_stands_at_its_hour_and_is_as_high_as_it_is_long():
    [one] = draw(TUESDAY, [block(at(10), at(12), kind="proposed")], UTC, None).placed
    assert (one.y, one.height, one.x, one.width) == (2 * HOUR, 2 * HOUR, 0, 100)
    assert one.clock == "10:00–12:00"


def test_what_is_at_the_same_time_stands_side_by_side_with_the_proposal_first():
    blocks = [block(at(9), at(11)), block(at(10), at(12), kind="proposed"), block(at(13), at(14))]
    found = {one.block: (one.x, one.width) for one in draw(TUESDAY, blocks, UTC, None).placed}
    assert found == {blocks[0]: (50, 50), blocks[1]: (0, 50), blocks[2]: (0, 100)}


def test_a_hundred_at_once_are_drawn_and_listed():
    day = draw(TUESDAY, [block(at(9), at(11), f"{one}") for one in range(100)], UTC, None)
    assert len(day.placed) == len(day.listed) == 100
    assert all(one.x + one.width <= 100.1 for one in day.placed)


def test_an_evening_makes_the_drawing_longer_and_the_day_before_does_not():
    assert draw(TUESDAY, [block(at(20), at(21))], UTC, None).height == 13 * HOUR
    assert draw(TUESDAY, [block(at(8, day=9), at(12))], UTC, None).height == 10 * HOUR


def test_working_hours_are_those_of_weekdays():
    assert draw(TUESDAY, [], UTC, None).work_height == 8 * HOUR
    assert draw(date(2026, 3, 14), [], UTC, None).work_height == 0


def test_a_second_clock_stands_beside_the_first():
    day = draw(TUESDAY, [], UTC, BERLIN)
    assert (day.hours[0].label, day.hours[0].other) == ("08:00", "09:00")


def test_a_whole_day_is_that_day_on_every_clock():
    whole = block(at(0), at(0, day=11), all_day=True)
    assert days_of(whole, ZoneInfo("America/New_York")) == [TUESDAY]
    assert draw(TUESDAY, [whole], BERLIN, None).all_day == (whole,)


def test_what_ends_at_midnight_is_not_on_the_next_day():
    assert days_of(block(at(22), at(0, day=11)), UTC) == [TUESDAY]


def test_a_year_is_drawn_as_a_week():
    assert len(days_of(block(at(9), at(9) + timedelta(days=365)), UTC)) == 7


def test_the_night_in_which_the_clock_is_changed_has_its_hours():
    sunday = date(2026, 3, 29)
    early = block(at(6, day=29), at(7, day=29))
    [one] = draw(sunday, [early], BERLIN, UTC).placed
    assert one.clock == "08:00–09:00"
    assert draw(sunday, [early], BERLIN, UTC).hours[0].other == "06:00"
