"""What a feed says, as another program reads it, beside what we say takes place."""

import icalendar
import pytest
import recurring_ical_events
from django.test import Client

from calendar_app.models import Event, FeedDetail
from calendar_app.operations.busy import list_busy
from calendar_app.operations.calendar_files import import_calendar
from calendar_app.operations.keeping import default_calendar
from calendar_app.operations.occurrences import list_occurrences
from inbox.models import Role
from tests import factories
from tests.calendar_app.feeds.made import at, changed, ics, on, once, share, weekly

pytestmark = pytest.mark.django_db
SINCE, UNTIL = at(-7), at(70)
BUSY = FeedDetail.BUSY


@pytest.fixture
def calendar(inbox):
    return default_calendar(inbox.account)


@pytest.fixture
def owner(workspace):
    return factories.person_actor(factories.make_person_user(workspace, Role.OWNER))


@pytest.fixture
def fed(calendar, owner):
    """Bring events in, and return the text of a feed of them."""

    def fed(*events: str, detail: str = FeedDetail.FULL) -> str:
        import_calendar(calendar=calendar, content=ics(*events))
        _feed, place = share(calendar, owner, detail)
        return Client().get(place).content.decode()

    return fed


def read(text: str):
    """What takes place by another reader, in order: (summary, start, end)."""
    found = recurring_ical_events.of(icalendar.Calendar.from_ical(text)).between(SINCE, UNTIL)
    times = (
        (str(one["SUMMARY"]), aware(one["DTSTART"].dt), aware(one["DTEND"].dt)) for one in found
    )
    return sorted(times, key=lambda one: (one[1], one[0]))


def aware(moment):
    return moment.astimezone(SINCE.tzinfo) if hasattr(moment, "hour") else at(0).replace(
        year=moment.year, month=moment.month, day=moment.day
    )  # fmt: skip


def ours():
    found = list_occurrences(Event.objects.kept(), since=SINCE, until=UNTIL, limit=500)
    times = ((one.event.summary, one.start, one.end) for one in found)
    return sorted(times, key=lambda one: (one[1], one[0]))


def taken(text: str):
    """The times that are taken by another reader: those that touch or overlap joined."""
    joined: list[list] = []
    for _summary, start, end in read(text):
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    return [tuple(one) for one in joined]


DAYS = f"""UID:days@lantern.example
SUMMARY:Market
DTSTART;VALUE=DATE:{on(2)}
DTEND;VALUE=DATE:{on(3)}
RRULE:FREQ=WEEKLY;COUNT=6
EXDATE;VALUE=DATE:{on(9)}"""
SYDNEY = f"""UID:sydney@lantern.example
SUMMARY:Call
DTSTART;TZID=Australia/Sydney:{on(3)}T080000
DTEND;TZID=Australia/Sydney:{on(3)}T090000
RRULE:FREQ=WEEKLY;INTERVAL=2;UNTIL={on(60)}T000000Z
RDATE;TZID=Australia/Sydney:{on(5)}T080000"""
LEFT_OUT = f"\nEXDATE;TZID=Europe/Berlin:{on(14)}T090000,{on(35)}T090000"


def test_another_reader_finds_what_takes_place_here(fed):
    text = fed(weekly(LEFT_OUT), changed(7, 15), changed(28, 7), DAYS, SYDNEY, once("a", 1, 9))
    found = read(text)
    assert found == ours()
    mondays = [start for summary, start, _ in found if summary == "Standup"]
    # Summer time begins between the third and the fifth week.
    assert {start.hour for start in mondays} == {7, 8}
    assert at(14, 8) not in mondays
    assert at(35, 7) not in mondays
    assert ("Standup, late", at(7, 14), at(7, 14, 30)) in found


def test_what_was_called_off_or_declined_is_left_out_of_its_series_too(fed, calendar, owner):
    fed(weekly(), changed(7, 15, "\nSTATUS:CANCELLED"), changed(14, 15), once("b", 1, 9),
        once("c", 2, 9, "\nSTATUS:CANCELLED"))  # fmt: skip
    rows = Event.objects.filter(calendar=calendar)
    rows.filter(recurrence_id__startswith=on(14)).update(partstat="declined")
    rows.filter(uid="b").update(partstat="declined")
    for detail in FeedDetail:
        starts = [
            start for _, start, _ in read(Client().get(share(calendar, owner, detail)[1]).content)
        ]
        assert starts[:2] == [at(0, 8), at(21, 8)], detail
        assert at(1, 9) not in starts
        assert at(2, 9) not in starts


def test_free_busy_has_the_times_that_are_taken_and_no_others(fed, calendar, owner):
    text = fed(
        weekly(LEFT_OUT), changed(7, 15), changed(21, 15, "\nTRANSP:TRANSPARENT"), SYDNEY,
        once("a", 1, 9), once("b", 1, 10, "\nSTATUS:TENTATIVE"), once("free", 2, 9, "\nTRANSP:TRANSPARENT"),
        f"UID:moment\nDTSTART:{on(4)}T120000Z\nDTEND:{on(4)}T120000Z", detail=BUSY,
    )  # fmt: skip
    account = calendar.account_id
    busy = list_busy(actor=owner, accounts=[account], since=SINCE, until=UNTIL)[account]
    joined: list[list] = []
    for one in busy:
        if joined and one.start <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], one.end)
        else:
            joined.append([one.start, one.end])
    assert taken(text) == [tuple(one) for one in joined]
    assert at(21, 8) not in {start for start, _ in taken(text)}


def test_what_is_not_certain_is_tentative_until_we_accept(fed, calendar, owner):
    fed(once("a", 1, 9, "\nSTATUS:TENTATIVE"), once("b", 2, 9, "\nSTATUS:TENTATIVE"))
    Event.objects.filter(uid="b").update(partstat="accepted")
    for detail in FeedDetail:
        text = Client().get(share(calendar, owner, detail)[1]).content
        found = icalendar.Calendar.from_ical(text).walk("VEVENT")
        assert {(one["DTSTART"].dt, str(one["STATUS"])) for one in found} == {
            (at(1, 9), "TENTATIVE"), (at(2, 9), "CONFIRMED"),
        }  # fmt: skip


SECRETS = """
LOCATION:Vault 7
DESCRIPTION:The merger
ORGANIZER;CN=Boss:mailto:boss@rival.example
ATTENDEE;CN=Spy:mailto:spy@rival.example
SEQUENCE:17"""


def test_free_busy_tells_nothing_but_times(fed, calendar):
    calendar.name = "Takeover"
    calendar.save()
    told = once("merger@rival.example", 1, 9, SECRETS)
    rule = weekly(";X-NOTE=RIVAL").replace("Standup", "Rival")
    zoned = f"UID:z\nDTSTART;TZID=Asia/Tokyo:{on(3)}T090000\nDURATION:PT1H"
    text = fed(told, rule, zoned, detail=BUSY)
    for word in (
        "merger",
        "vault",
        "rival",
        "boss",
        "spy",
        "takeover",
        "standup",
        "tokyo",
        "about",
    ):
        assert word not in text.lower(), word
    assert "SEQUENCE:17" not in text
    events = icalendar.Calendar.from_ical(text).walk("VEVENT")
    assert {str(one["SUMMARY"]) for one in events} == {"Busy"}
    assert len({str(one["UID"]) for one in events}) == 3


def test_uids_of_free_busy_stay_and_differ_from_those_of_another_address(fed, calendar, owner):
    text = fed(once("a", 1, 9), detail=BUSY)
    fed(once("b", 2, 9))
    again = Client().get(share(calendar, owner, BUSY)[1]).content.decode()
    uid = icalendar.Calendar.from_ical(text).walk("VEVENT")[0]["UID"]
    assert uid not in again


def test_a_full_feed_names_nobody_who_is_invited(fed):
    text = fed(once("merger@rival.example", 1, 9, SECRETS))
    (event,) = icalendar.Calendar.from_ical(text).walk("VEVENT")
    assert (str(event["LOCATION"]), str(event["DESCRIPTION"])) == ("Vault 7", "The merger")
    assert "boss" not in text.lower()
    assert "spy" not in text.lower()


def test_texts_of_others_make_no_lines_of_their_own(fed, calendar):
    calendar.name = "Main\nX-EVIL:1"
    calendar.save()
    evil = "x\\nEND:VEVENT\\nATTENDEE:mailto:m@evil.example\u2028y" + "ü" * 200
    text = fed(once("a", 1, 9).replace("About a", evil) + f"\nDESCRIPTION:{evil}")
    assert all(len(line.encode()) <= 75 for line in text.split("\r\n"))
    (event,) = icalendar.Calendar.from_ical(text).walk("VEVENT")
    assert "ATTENDEE" not in event
    assert "\nX-EVIL" not in text
    assert "\n" not in str(event["SUMMARY"])


def test_it_says_its_name_and_when_to_come_again(fed):
    text = fed(once("a", 1, 9))
    assert "X-WR-CALNAME:Calendar\r\nNAME:Calendar\r\n" in text
    assert "REFRESH-INTERVAL;VALUE=DURATION:PT1H\r\n" in text
    assert "Busy times" in fed(detail=BUSY)
