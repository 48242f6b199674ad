"""Times that a message agrees to, held against our calendar and against what others ruled out."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest

from agents.evidence.claims.check import check_claims
from agents.evidence.claims.records import Mark, Named, ProposedMessage, Source
from tests.cases import in_one_test

# A Monday.
WRITTEN = date(2026, 3, 9)
LISBON = ZoneInfo("Europe/Lisbon")


def event(summary: str, start: tuple[int, int, int], end: tuple[int, int, int], **fields) -> Source:
    begins, ends = (datetime(2026, 3, *it, tzinfo=LISBON) for it in (start, end))
    text = f"{summary}\n2026-03-{start[0]}\n{fields.pop('location', '')}\n"
    return Source(
        "event", summary, text, begins.date(), busy=(begins, ends),
        guests=fields.pop("guests", ()), **fields,
    )  # fmt: skip


STOCKTAKING = event("Stocktaking, closed", (12, 8, 0), (12, 18, 0))
FITTING = event(
    "Fitting of lamps, Rosa", (17, 10, 0), (17, 12, 0), guests=("Rosa Lima rosa@us.example",)
)
DENTIST = event("Dentist", (18, 14, 0), (18, 15, 30), location="Almada House")


def marks_of(mail: str, body: str, *events: Source, language: str = "", **fields) -> list[Mark]:
    proposed = ProposedMessage(
        "", body, WRITTEN, language, greeted=(Named("Ivo Brandt", "ivo@brandt.example"),), **fields
    )
    sources = [Source("message", "mail", mail, WRITTEN, language=language)]
    return check_claims(proposed, sources, lambda *_: events)


def told_of(mail: str, body: str, *events: Source, **fields) -> list[str]:
    return [it.expected for it in marks_of(mail, body, *events, **fields) if it.state != "found"]


ASKED = (
    "Could you come on Wednesday, 18 March, at 2 pm, or on Tuesday, 17 March, at 11:00? Ivo Brandt"
)


def test_a_time_that_our_calendar_has_taken_is_marked_with_what_takes_it():
    body = "Wednesday, 18 March, at 2 pm works for us."
    (mark,) = [it for it in marks_of(ASKED, body, DENTIST) if it.state != "found"]
    assert (mark.kind, mark.excerpt) == ("time", "18 March, at 2 pm")
    assert mark.expected == "Dentist, 2026-03-18 14:00-15:30"
    assert mark.sources[0].type == "event"


@pytest.mark.parametrize(
    "body",
    [
        "On Wednesday, 18 March, at 2 pm we cannot come.",
        "Would Wednesday, 18 March, at 2 pm suit you?",
        "Wednesday, 18 March, at 4 pm works for us.",
        "The dentist moved: Wednesday, 18 March, at 2 pm works for us.",
    ],
)
def test_what_is_not_agreed_to_or_is_the_meeting_itself_is_no_clash(body):
    marks = marks_of(ASKED, body, DENTIST)
    assert [
        it for it in marks if it.sources and it.sources[0].type == "event" and it.expected
    ] == []


def test_a_colleagues_time_is_taken_for_whoever_speaks_of_that_colleague():
    body = "Tuesday, 17 March, at 11:00 suits us."
    assert told_of(ASKED, body, FITTING) == []
    with_rosa = "Rosa Lima comes. " + body
    assert told_of(ASKED, with_rosa, FITTING) == []
    meeting = event("Budget", (17, 10, 0), (17, 12, 0), guests=FITTING.guests)
    assert told_of(ASKED, with_rosa, meeting) == ["Budget, 2026-03-17 10:00-12:00"]


def test_a_meeting_with_the_reader_is_the_one_that_is_agreed_to():
    call = event("Video call", (18, 14, 0), (18, 15, 30), guests=("Ivo ivo@brandt.example",))
    body = "Dear Mr Brandt,\n\nWednesday, 18 March, at 2 pm works for us."
    assert told_of(ASKED, body, call) == []
    ours = event("Video call", (18, 14, 0), (18, 15, 30), guests=())
    assert told_of(ASKED, body, ours) == ["Video call, 2026-03-18 14:00-15:30"]


def test_a_day_on_which_all_of_us_are_away_is_taken():
    mail = "Shall we deliver on Thursday, 12 March? Ivo Brandt"
    body = "Thursday, 12 March, suits us well."
    assert told_of(mail, body, STOCKTAKING) == ["Stocktaking, closed, 2026-03-12 08:00-18:00"]
    trip = event("Trip", (12, 8, 0), (12, 18, 0))
    assert told_of(mail, body, trip) == []


def test_a_time_without_its_day_is_taken_where_the_room_is():
    mail = "Could we start at 14:00 on Wednesday, 18 March, in Almada House? Ivo Brandt"
    assert told_of(mail, "14:00 is fine, Almada House is free then.", DENTIST)
    assert told_of(mail, "14:00 is fine.", DENTIST) == []


RULED_OUT = [
    ("en", "NOT the 19th, the floor is laid. Ivo", "We deliver on Thursday, 19 March."),
    ("en", "I'm away on March 19. Ivo", "We will ring you on Thursday, March 19."),
    ("de", "Am 19. März geht es leider nicht.", "Wir liefern am Donnerstag, 19. März."),
    ("de", "Auf keinen Fall der 19., da sind wir zu.", "Die Lieferung kommt am 19. März."),
    ("fr", "Le 19 c'est impossible pour nous.", "Nous livrons le jeudi 19 mars."),
    ("es", "El 19 no puede ser.", "Lo entregamos el 19 de marzo."),
    ("it", "Il 19 siamo chiusi.", "Consegniamo il 19 marzo."),
    ("nl", "Op 19 maart kan het niet.", "Wij leveren op 19 maart."),
    ("pl", "19 marca nam nie pasuje.", "Przyjedziemy 19 marca."),
    ("pt", "No dia 19 não podemos.", "Entregamos no dia 19 de março."),
]


@in_one_test(("language", "mail", "body"), RULED_OUT)
def test_a_day_that_the_other_side_ruled_out_is_marked(language, mail, body):
    assert told_of(mail, body, language=language), body


NOT_RULED_OUT = [
    ("en", "NOT the 19th, the floor is laid.", "We will not come on Thursday, 19 March."),
    ("en", "Not before 19 March, please.", "We deliver on Thursday, 19 March."),
    ("en", "Do not forget the fair on 19 March.", "We come to the fair on 19 March."),
    ("de", "Am 18. März geht es nicht, am 19. März gern.", "Wir kommen am 19. März."),
    ("fr", "Pas avant le 19 mars.", "Nous livrons le 19 mars."),
    ("es", "El 18 no puede ser, mejor el 19 de marzo.", "Lo entregamos el 19 de marzo."),
]


@in_one_test(("language", "mail", "body"), NOT_RULED_OUT)
def test_a_day_that_is_not_ruled_out_is_not_marked(language, mail, body):
    assert told_of(mail, body, language=language) == [], body
