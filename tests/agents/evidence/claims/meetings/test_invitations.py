"""A meeting that is proposed, held against what was offered, the guest's zone and our calendar."""

from dataclasses import replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from agents.evidence.claims.meetings.invitations import Invited, check_invitation
from agents.evidence.claims.records import Mark, Named, ProposedMessage, Source
from tests.cases import in_one_test

# A Monday.
WRITTEN = date(2026, 3, 9)
LISBON = ZoneInfo("Europe/Lisbon")
GUEST = Named("Ivo Brandt", "ivo@brandt.example")
BODY = "You are invited to this meeting.\n\nWhen:  then"


def marks_of(
    mail: str, day: int, hour: int, *events: Source, goal: str = "", language: str = "en",
    today: date = WRITTEN,
) -> list[Mark]:  # fmt: skip
    begins = datetime(2026, 3, day, hour, tzinfo=LISBON)
    invited = Invited(begins, begins + timedelta(hours=1), False, BODY.index("then"), len(BODY))
    proposed = ProposedMessage("Invitation: Plans", BODY, today, greeted=(GUEST,), goal=goal)
    sources = [Source("message", "mail", mail, WRITTEN, language=language, by=GUEST.email), *events]
    return check_invitation(invited, proposed, sources, [GUEST])


def event(summary: str, day: int, hour: int) -> Source:
    begins = datetime(2026, 3, day, hour, tzinfo=LISBON)
    text = f"{summary}\n{begins:%Y-%m-%d %H:%M}\n\n"
    return Source("event", summary, text, begins.date(), busy=(begins, begins + timedelta(hours=1)))


OFFERED = "Could we meet on Tuesday, 17 March, at 10:00, or on Thursday, 19 March, at 14:00? Ivo"


def test_a_meeting_at_a_time_that_was_offered_is_found_with_the_offer():
    (mark,) = marks_of(OFFERED, 19, 14)
    assert (mark.kind, mark.part, mark.excerpt, mark.state) == ("time", "body", "then", "found")
    assert "19 March" in mark.sources[0].excerpt


DIFFERENT = [
    (
        "a day asked for alone",
        "When do we talk about the plans? What about 18 March?",
        17,
        9,
        "18 March",
    ),
    ("a day of the matter", "If 18 March is free I could show the plans.", 17, 9, "18 March"),
    ("a day that would suit", "Would 18 March suit you?", 17, 9, "18 March"),
    ("a time alone", "Could you do 18 March at 10:00?", 17, 9, "18 March at 10:00"),
    ("another day", OFFERED, 18, 14, "17 March, at 10:00"),
    ("another time", OFFERED, 19, 15, "19 March, at 14:00"),
    ("the hour in another zone", "Could we talk on 19 March at 10:00 EDT?", 19, 10, "10:00 EDT"),
    ("a day ruled out", "Not on 19 March, please. Could we meet on 17 March?", 19, 10, "19 March"),
]


@in_one_test(("name", "mail", "day", "hour", "expected"), DIFFERENT)
def test_a_meeting_at_another_time_differs_from_what_was_offered(name, mail, day, hour, expected):
    (mark,) = marks_of(mail, day, hour)
    assert mark.state == "differs", name
    assert expected in mark.expected


RIGHT = [
    ("the moment in another zone", "Could we talk on 19 March at 10:00 EDT?", 19, 14, ""),
    ("a time within what was offered", "Could you come on 19 March between 9:00 and 12:00?", 19, 11, ""),
    ("a part of the day", "Could you come on 19 March, after 14:00?", 19, 16, ""),
    ("what the owner asked for", OFFERED, 18, 9, "Invite Ivo for 18 March at 9"),
    ("nothing was offered", "The plans are ready. Ivo", 18, 9, ""),
    ("a date that is of something else", "We paid on 17 March last year. Ivo", 18, 9, ""),
]  # fmt: skip


@in_one_test(("name", "mail", "day", "hour", "goal"), RIGHT)
def test_a_meeting_that_fits_is_not_said_to_differ(name, mail, day, hour, goal):
    marks = marks_of(mail, day, hour, goal=goal)
    assert [it.state for it in marks if it.state != "found"] == [], name


ANOTHER_MATTER = [
    ("If you can answer both by Monday, Stan has promised to clap. Ivo", "en"),
    ("Could you confirm the meeting by 18 March, please?", "en"),
    ("Könnten wir Ihre Antwort zum Termin bis 18. März haben?", "de"),
    ("Pourriez-vous confirmer le rendez-vous avant le 18 mars?", "fr"),
    ("Could you send the contract on 18 March? Ivo", "en"),
    ("The workshops are booked. If it arrives on Monday, shall I send the invoice?", "en"),
]


@in_one_test(("mail", "language"), ANOTHER_MATTER)
def test_a_day_on_which_nobody_offered_to_meet_is_no_offer(mail, language):
    assert marks_of(mail, 17, 9, language=language) == []


def test_a_day_that_is_over_is_offered_no_more():
    (mark,) = marks_of(OFFERED, 24, 9)
    assert mark.state == "differs"
    assert marks_of(OFFERED, 24, 9, today=date(2026, 3, 20)) == []


def test_what_another_meeting_took_up_is_offered_no_more():
    other = replace(event("The site", 17, 10), guests=("Ivo Brandt ivo@brandt.example",))
    (mark,) = marks_of(OFFERED, 18, 9)
    assert mark.state == "differs"
    assert marks_of(OFFERED, 18, 9, other) == []
    (mark,) = marks_of(OFFERED, 18, 9, replace(other, guests=("eve@other.example",)))
    assert mark.state == "differs"
    # The meeting itself, as it stood before, takes nothing up.
    (mark,) = marks_of(OFFERED, 18, 9, replace(other, text="Plans\n"))
    assert mark.state == "differs"


def test_a_meeting_while_our_calendar_has_another_one_differs():
    (mark,) = marks_of(OFFERED, 19, 14, event("Dentist", 19, 14))
    assert (mark.state, mark.expected) == ("differs", "Dentist, 2026-03-19 14:00-15:00")


def test_the_meeting_itself_and_one_at_another_time_take_nothing():
    for one in (event("Plans", 19, 14), event("Dentist", 19, 16), event("Ivo Brandt", 19, 14)):
        assert [it.state for it in marks_of(OFFERED, 19, 14, one)] == ["found"], one.text
