"""Lines of iCalendar, taken apart and made; a second library reads what is made."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from icalendar import Event

from inbox.formats.calendar_lines import (
    Moment,
    escape,
    make_line,
    moment_in,
    moments_of,
    split_line,
    text_in,
    text_line,
    unescape,
)
from inbox.formats.content_lines import fold, read_blocks
from tests.cases import in_one_test

_TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc")) | st.sampled_from('\n\\,;:"'))
# Noon of a summer's day in Berlin, which is two hours ahead of UTC then.
_NOON = datetime(2026, 7, 1, 10, tzinfo=UTC)


def event_of(*lines):
    text = "\r\n".join(("BEGIN:VEVENT", *lines, "END:VEVENT", ""))
    return read_blocks(text)[0], Event.from_ical(text)


def test_a_line_is_a_name_parameters_and_a_value():
    line = 'item1.ATTENDEE;CN="Byron; Ada";ROLE=REQ-PARTICIPANT:mailto:ada@lantern.example'
    expected = {"CN": "Byron; Ada", "ROLE": "REQ-PARTICIPANT"}
    assert split_line(line) == ("ATTENDEE", expected, "mailto:ada@lantern.example")
    assert split_line("SUMMARY") == ("SUMMARY", {}, "")


def test_a_parameter_cannot_end_its_line_or_its_quotes():
    line = make_line("ATTENDEE", "mailto:a@b.example", {"CN": 'Eve"\r\nX:', "ROLE": ""})
    assert line == 'ATTENDEE;CN="Eve\' X:":mailto:a@b.example'
    assert split_line(line)[1] == {"CN": "Eve' X:"}


@given(_TEXTS)
def test_texts_come_back_as_they_were(text):
    assert unescape(escape(text)) == text.replace("\r\n", "\n").replace("\r", "\n")


def test_another_library_reads_the_texts():
    text = "Käse, 朝ごはん; ☕ \\ Ελλάδα\nand a second line"
    block, event = event_of(*text_line("SUMMARY", text))
    assert str(event["SUMMARY"]) == text == text_in(block, "SUMMARY")
    assert text_line("SUMMARY", "") == []
    assert text_in(block, "LOCATION") == ""


@pytest.mark.parametrize(
    ("moment", "line"),
    [
        (Moment.of_day(date(2026, 7, 1)), "DTSTART;VALUE=DATE:20260701"),
        (Moment.of_instant(_NOON, "Europe/Berlin"), "DTSTART;TZID=Europe/Berlin:20260701T120000"),
        (Moment.of_instant(_NOON, "UTC"), "DTSTART:20260701T100000Z"),
        (Moment.of_instant(_NOON, "No/Where"), "DTSTART:20260701T100000Z"),
        (Moment(datetime(2026, 7, 1, 10)), "DTSTART:20260701T100000"),  # noqa: DTZ001
    ],
)
def test_times_are_days_or_stand_on_the_clock_of_a_zone(moment, line):
    assert moment.line("DTSTART") == line
    assert [*moments_of(line)] == [moment]
    block, event = event_of(line)
    assert moment_in(block, "DTSTART") == moment
    read = event["DTSTART"].dt
    if isinstance(read, datetime) and read.tzinfo:
        assert read == moment.instant


def test_several_times_stand_in_one_line():
    found = [*moments_of("EXDATE;TZID=Europe/Berlin:20260701T120000,20260702T120000")]
    assert [each.local.day for each in found] == [1, 2]
    assert found[0].instant == _NOON


@pytest.mark.parametrize(
    "line", ["DTSTART:yesterday", "DTSTART:20261301", "DTSTART;TZID=No/Where:20260701T120000"]
)
def test_what_is_no_time_is_refused(line):
    with pytest.raises(ValueError, match=r"match|known|month|range|remains"):
        list(moments_of(line))


@in_one_test("letters", ["x", "ü", "xü", "x灯ü"])
def test_a_line_goes_in_pieces_of_75_octets_that_are_full_and_whole(letters):
    for number in (0, 1, 73, 74, 75, 76, 149, 150, 223, 224, 1000):
        line = (letters * number)[:number]
        pieces = fold(line).split("\r\n")
        assert "".join([pieces[0], *(one.removeprefix(" ") for one in pieces[1:])]) == line
        assert all(one.startswith(" ") for one in pieces[1:])
        widths = [len(one.encode()) for one in pieces]
        assert max(widths) <= 75
        # Another letter has no room: it has 3 octets at most.
        assert all(width > 75 - 3 for width in widths[:-1])
