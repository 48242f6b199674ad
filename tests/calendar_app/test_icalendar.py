"""Reading invitations, well-meant and hostile."""

from datetime import UTC, datetime, timedelta

import pytest

from calendar_app.icalendar import MAX_BYTES, Invitee, read_itip
from calendar_app.recurrence import Budget, Series, find_starts
from tests.cases import in_one_test

BERLIN = """BEGIN:VTIMEZONE
TZID:Our town
BEGIN:DAYLIGHT
DTSTART:16010325T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
END:DAYLIGHT
BEGIN:STANDARD
DTSTART:16011028T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
END:STANDARD
END:VTIMEZONE
"""


def ics(event: str = "", *, method: str = "REQUEST", zone: str = "", **lines: str) -> bytes:
    """Return a calendar with one event; keyword lines replace the usual ones, "" leaves one out."""
    usual = {
        "UID": "UID:one@customer.example",
        "DTSTAMP": "DTSTAMP:20260301T080000Z",
        "DTSTART": "DTSTART:20260302T120000Z",
        "DTEND": "DTEND:20260302T130000Z",
    }
    body = "\n".join(line for line in {**usual, **lines}.values() if line)
    return (
        (
            f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//Ada//EN\nMETHOD:{method}\n{zone}"
            f"BEGIN:VEVENT\n{body}\n{event}\nEND:VEVENT\nEND:VCALENDAR\n"
        )
        .replace("\n", "\r\n")
        .encode()
    )


def only(content: bytes):
    (event,) = read_itip(content).events
    return event


def at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)


def test_a_request_is_read_whole():
    itip = read_itip(
        ics(
            'ORGANIZER;CN="Byron, Ada":MAILTO:Ada@Customer.example\n'
            "ATTENDEE;PARTSTAT=ACCEPTED;CN=Bo:mailto:bo@customer.example\n"
            "SUMMARY:Lamps\\, and oil\nDESCRIPTION:First line\\nsecond\nLOCATION:Yard\n"
            "SEQUENCE:3\nSTATUS:CONFIRMED\nRRULE:FREQ=WEEKLY;BYDAY=MO,WE;COUNT=10"
        )
    )
    (event,) = itip.events
    assert itip.method == "REQUEST"
    assert (event.uid, event.sequence, event.status) == ("one@customer.example", 3, "confirmed")
    assert (event.start, event.end) == (at(2026, 3, 2, 12), at(2026, 3, 2, 13))
    assert event.organizer == Invitee("ada@customer.example", "Byron, Ada")
    assert event.attendees == (Invitee("bo@customer.example", "Bo", "accepted"),)
    assert event.summary == "Lamps, and oil"
    assert event.description == "First line\nsecond"
    assert event.rrule == "FREQ=WEEKLY;BYDAY=MO,WE;COUNT=10"


def test_folded_lines_are_joined_without_the_space():
    event = only(ics("SUMMARY:Lan\n terns"))
    assert event.summary == "Lanterns"


@in_one_test(
    "line",
    [
        "DTSTART;TZID=Europe/Berlin:20260702T120000",
        "DTSTART;TZID=europe/berlin:20260702T120000",
        'DTSTART;TZID="W. Europe Standard Time":20260702T120000',
        "DTSTART;TZID=/their-own.example/2024a/Europe/Berlin:20260702T120000",
        "DTSTART;TZID=Our town:20260702T120000",
        "DTSTART:20260702T100000Z",
    ],
)
def test_every_way_to_name_a_zone_means_the_same_instant(line):
    event = only(ics(zone=BERLIN, DTSTART=line, DTEND=""))
    assert event.start == at(2026, 7, 2, 10)


@in_one_test(
    ("local", "utc"),
    [
        ("20260115T120000", at(2026, 1, 15, 11)),
        ("20260329T010000", at(2026, 3, 29, 0)),
        ("20260329T040000", at(2026, 3, 29, 2)),
        ("20261025T010000", at(2026, 10, 24, 23)),
        ("20261025T040000", at(2026, 10, 25, 3)),
        ("19500101T120000", at(1950, 1, 1, 10)),
    ],
)
def test_a_zone_that_the_calendar_defines_itself_follows_its_own_changes(local, utc):
    event = only(ics(zone=BERLIN, DTSTART=f"DTSTART;TZID=Our town:{local}", DTEND=""))
    assert event.start == utc
    assert event.timezone == ""


@in_one_test(
    ("old", "new", "line"),
    [
        # Lotus Notes
        ("FREQ=YEARLY;", "FREQ=YEARLY;BYMINUTE=0;BYHOUR=2;", "TZID=Our town"),
        # Novell GroupWise
        ("TZID:Our town", "TZID:Our town ", "TZID=Our town "),
        # Outlook
        ("TZID:Our town", "TZID:Our town\\, and yours", 'TZID="Our town, and yours"'),
        ("DTSTART:16010325T020000", "DTSTART;VALUE=DATE:16010325", "TZID=Our town"),
    ],
)
def test_a_zone_of_its_own_is_found_as_other_programs_write_it(old, new, line):
    event = only(
        ics(zone=BERLIN.replace(old, new), DTSTART=f"DTSTART;{line}:20260702T120000", DTEND="")
    )
    assert event.start == at(2026, 7, 2, 10)


def test_an_end_without_a_zone_is_on_the_clock_of_its_start():
    start = "DTSTART;TZID=America/New_York:20260702T090000"
    assert only(ics(DTSTART=start, DTEND="DTEND:20260702T100000")).end == at(2026, 7, 2, 14)
    assert only(ics(DTSTART=start, DTEND="DTEND:20260702T140000Z")).end == at(2026, 7, 2, 14)


@in_one_test(
    ("start", "line", "stamp"),
    [
        # Samsung, Nextcloud
        ("DTSTART:20260302T120000Z", "EXDATE;VALUE=DATE:20260303", "20260303T120000Z"),
        ("DTSTART;TZID=Asia/Tokyo:20260302T080000", "EXDATE;VALUE=DATE:20260303",
         "20260302T230000Z"),
        # Thunderbird, of what Outlook had sent
        ("DTSTART;TZID=Asia/Tokyo:20260302T080000", "EXDATE:20260303T080000", "20260302T230000Z"),
        ("DTSTART;VALUE=DATE:20260302", "EXDATE;TZID=Asia/Tokyo:20260303T000000", "20260303"),
        ("DTSTART;VALUE=DATE:20260302", "EXDATE:20260303T000000Z", "20260303"),
        ("DTSTART;TZID=Asia/Tokyo:20260302T080000", "EXDATE:20260302T230000Z", "20260302T230000Z"),
    ],
)  # fmt: skip
def test_what_is_left_out_is_named_in_the_manner_of_the_start(start, line, stamp):
    assert only(ics(line, DTSTART=start, DTEND="")).exdate == (stamp,)


def test_an_instance_named_without_a_zone_is_on_the_clock_of_its_start():
    start = "DTSTART;TZID=Asia/Tokyo:20260303T090000"
    named = only(ics("RECURRENCE-ID:20260303T080000", DTSTART=start, DTEND=""))
    assert named.recurrence_id == "20260302T230000Z"


def test_a_whole_day_of_a_series_may_be_named_by_its_midnight():
    def named(line: str, start: str) -> str:
        return only(ics(line, DTSTART=start, DTEND="")).recurrence_id

    day = "DTSTART;VALUE=DATE:20260304"
    assert named("RECURRENCE-ID;TZID=Asia/Tokyo:20260303T000000", day) == "20260303"
    assert named("RECURRENCE-ID;TZID=Asia/Tokyo:20260303T080000", day) == "20260302T230000Z"
    time = "DTSTART;TZID=Asia/Tokyo:20260304T000000"
    assert named("RECURRENCE-ID;TZID=Asia/Tokyo:20260303T000000", time) == "20260302T150000Z"


def own_zone(*parts: tuple[str, str, str]) -> str:
    lines = "".join(
        f"BEGIN:{kind}\nDTSTART:19700101T020000\nTZOFFSETTO:{offset}\n{rule}END:{kind}\n"
        for kind, offset, rule in parts
    )
    return f"BEGIN:VTIMEZONE\nTZID:Our town\n{lines}END:VTIMEZONE\n"


# As the United States changed their clocks until 2006.
ONCE_IN_AMERICA = own_zone(
    ("DAYLIGHT", "-0400", "RRULE:FREQ=YEARLY;BYMONTH=4;BYDAY=1SU\n"),
    ("STANDARD", "-0500", "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU\n"),
)


@in_one_test(
    ("zone", "start", "hours"),
    [
        (ONCE_IN_AMERICA, "20050215T090000", (14, 14, 13)),
        # Never any summer time, unlike that of others that are now as far off UTC.
        (own_zone(("STANDARD", "+0800", "")), "20090215T090000", (1, 1, 1)),
    ],
)
def test_a_series_in_a_zone_of_its_own_follows_one_that_was_like_it_then(zone, start, hours):
    started = f"DTSTART;TZID=Our town:{start}"
    series = only(ics("RRULE:FREQ=MONTHLY;COUNT=3", zone=zone, DTSTART=started, DTEND=""))
    found = find_starts(
        Series(series.start, series.timezone, rrule=series.rrule), series.start, Budget()
    )
    assert tuple(moment.hour for moment in found) == hours


def test_a_sequence_may_count_seconds():
    assert only(ics("SEQUENCE:1387231331")).sequence == 1_387_231_331


def test_an_all_day_event_lasts_until_the_next_midnight():
    event = only(ics(DTSTART="DTSTART;VALUE=DATE:20260302", DTEND=""))
    assert (event.start, event.end, event.all_day) == (at(2026, 3, 2), at(2026, 3, 3), True)


def test_an_event_without_an_end_has_no_length():
    event = only(ics(DTEND=""))
    assert event.start == event.end


def test_days_of_a_duration_are_counted_on_the_clock():
    # The night of 29 March 2026 has 23 hours in Berlin.
    event = only(
        ics("DURATION:P1DT1H", DTSTART="DTSTART;TZID=Europe/Berlin:20260328T120000", DTEND="")
    )
    assert event.end - event.start == timedelta(hours=24)


def test_a_cancellation_may_leave_the_times_out():
    event = only(ics(method="CANCEL", DTSTART="", DTEND=""))
    assert (event.start, event.end) == (None, None)


def test_the_same_attendee_counts_once_and_one_without_an_address_not():
    event = only(
        ics("ATTENDEE:mailto:bo@x.example\nATTENDEE:mailto:BO@x.example\nATTENDEE:urn:uuid:1")
    )
    assert [one.email for one in event.attendees] == ["bo@x.example"]


def test_a_title_cannot_hold_a_line_of_its_own():
    event = only(ics("SUMMARY:x\u2028ORGANIZER:mailto:evil@x.example\x0bUID:two"))
    assert event.organizer is None
    assert event.uid == "one@customer.example"


def test_bidirectional_controls_do_not_reach_the_title():
    assert only(ics("SUMMARY:pay \u202eecived")).summary == "pay ecived"


@in_one_test(
    ("content", "why"),
    [
        (b"", "no whole VCALENDAR"),
        (b"\xff\xfe\x00", "cannot be read"),
        (b"BEGIN:VCALENDAR\r\nEND:VEVENT\r\n", "closes what is not open"),
        (b"BEGIN:VCALENDAR\r\n" * 2000, "no whole VCALENDAR"),
        (b"BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", "has 0 events"),
        (b"x" * (MAX_BYTES + 1), "larger than 512 KB"),
        (b"\r\n" * 30_000, "more than 20000 lines"),
        (ics(method="ANSWER"), "METHOD:ANSWER"),
        (ics(UID=""), "needs a UID"),
        (ics(UID="UID:" + "u" * 256), "needs a UID"),
        (ics(DTSTART=""), "no DTSTART"),
        (ics(DTSTART="DTSTART:tomorrow"), "is no time"),
        (ics(DTSTART="DTSTART:20260231T000000Z"), "is no time"),
        (ics(DTSTART="DTSTART;VALUE=DATE:20260302T000000Z"), "is no date"),
        (ics(DTSTART="DTSTART:00010101T000000Z"), "outside the years"),
        (ics(DTSTART="DTSTART;TZID=/../../etc/passwd:20260302T120000"), "is not known"),
        (ics(DTSTART="DTSTART;TZID=../Europe:20260302T120000"), "is not known"),
        (ics(DTEND="DTEND:20260302T110000Z"), "ends before it starts"),
        (ics(DTEND="DTEND:20290302T110000Z"), "more than 366 days"),
        (ics("DURATION:-P1D", DTEND=""), "less than nothing"),
        (ics("DURATION:P", DTEND=""), "no duration"),
        (ics("DURATION:P99999D", DTEND=""), "more than 366 days"),
        (ics("SEQUENCE:-1"), "no number from 0"),
        (ics("SEQUENCE:99999999999999999999"), "no number from 0"),
        (ics("SEQUENCE:2147483648"), "no number from 0"),
        (ics("STATUS:MAYBE"), "STATUS:MAYBE"),
        (ics("RECURRENCE-ID:never"), "is no time"),
        (ics("RRULE:FREQ=SECONDLY"), "FREQ must be one of"),
        (ics("RRULE:FREQ=MINUTELY;COUNT=1000000000"), "FREQ must be one of"),
        (ics("RRULE:FREQ=YEARLY;BYDAY=SU;BYHOUR=25"), "BYHOUR=25"),
        (ics("RRULE:FREQ=DAILY;COUNT=1000000000"), "COUNT=1000000000"),
        (ics("RRULE:FREQ=DAILY;DROP=TABLE"), "DROP=TABLE"),
        (ics("RRULE:FREQ=DAILY;" + "BYDAY=MO;" * 200), "longer than 1,000"),
        (
            ics(
                zone=BERLIN.replace("FREQ=YEARLY", "FREQ=SECONDLY"),
                DTSTART="DTSTART;TZID=Our town:20260302T120000",
            ),
            "is not known and not defined",
        ),
    ],
)
def test_what_cannot_be_taken_is_refused_in_words(content, why):
    with pytest.raises(ValueError, match=why):
        read_itip(content)


def test_a_bad_zone_does_no_harm_where_it_is_not_used():
    event = only(ics(zone=BERLIN.replace("+0200", "+9900")))
    assert event.start == at(2026, 3, 2, 12)


def test_every_cut_of_a_calendar_is_read_or_refused():
    whole = ics("ATTENDEE;CN=Bo:mailto:bo@x.example", zone=BERLIN)
    for end in range(0, len(whole), 7):
        with pytest.raises(ValueError, match=r"calendar|VCALENDAR|closes"):
            read_itip(whole[:end])
