"""Meetings that are moved and called off, how long they take, and whose address and number is given."""

from tests.cases import in_one_test
from tests.inbox.extract.test_documents import extraction

TEXT, DAY = {"type": "string"}, {"type": "string", "format": "date"}
MEETING = {
    "date": {**DAY, "description": "The day of the meeting"},
    "time": TEXT,
    "duration_minutes": {"type": "integer"},
}
CONTACT = {
    "company": TEXT,
    "email": {"type": "string", "format": "email"},
    "phone": TEXT,
    "website": TEXT,
    "address": TEXT,
}


@in_one_test(
    ("text", "language", "data"),
    [
        ("Leider muss ich unseren Termin am 16.09. um 10 Uhr absagen. Passt Ihnen Montag, der 21.09.2026, um 11:30 Uhr?",
         "de", {"date": "2026-09-21", "time": "11:30"}),
        # Who asks to be told if somebody cannot come calls nothing off.
        ("We meet on 24 September at 2pm. If you can't make it on that day, tell me before 20 September.", "en",
         {"date": "2026-09-24", "time": "14:00"}),
        ("Wir treffen uns am 16. September von 17 bis 18 Uhr.", "de", {"time": "17:00", "duration_minutes": 60}),
        ("Sprint review on 2 October, 3pm - 3:45pm", "en", {"time": "15:00", "duration_minutes": 45}),
        ("La réunion du 18 septembre à 8h45 : comptez deux heures.", "fr", {"time": "08:45", "duration_minutes": 120}),
        ("Your appointment is on 25 September at 11:20. Please arrive ten minutes early.", "en",
         {"time": "11:20", "duration_minutes": None}),
        ("Site visit on Thursday the 24th, 3.15 at the gate.", "en", {"date": "2026-09-24", "time": "15:15"}),
        ("Wir schieben den Aufbau auf Donnerstag, den 24., um 10 Uhr. Ich bin ab 9 Uhr da.", "de",
         {"date": "2026-09-24", "time": "10:00"}),
        ("Le rendez-vous est fixé au jeudi 24 à 16 h.", "fr", {"date": "2026-09-24", "time": "16:00"}),
        ("We meet on Friday at 18:00.", "en", {"date": "2026-09-18", "time": "18:00"}),
        ("Zullen we donderdag om 13.00 uur bellen? Kwartiertje is genoeg.", "nl", {"duration_minutes": 15}),
    ],
)  # fmt: skip
def test_a_meeting_is_when_it_takes_place_and_as_long_as_it_takes(text, language, data):
    given = extraction(text, MEETING, language=language).data
    assert {name: given.get(name) for name in data} == data


@in_one_test(
    ("text", "sender", "data"),
    [
        # A colleague's address and number are none of the writer's; a bare domain is a website.
        ("Talk to my colleague Joan (joan@copperbeech.example, 020 7946 0011).\n\n"
         "Wendell Pryce | Partner | Copper Beech Ventures\nm 07700 900733 | wp@copperbeech.example | copperbeech.example",
         ("Wendell Pryce", "wp@copperbeech.example"),
         {"company": "Copper Beech Ventures", "email": "wp@copperbeech.example", "phone": "07700 900733",
          "website": "copperbeech.example"}),
        ("Estimada Sra. Byron:\n\nUn cordial saludo,\n\nLucía Bermejo\nTELARES BERMEJO\nC/ Elvira, 88 - 18010 Granada\n"
         "Tfno.: 958 22 10 47", ("Lucía Bermejo", "lucia@telaresbermejo.example"),
         {"company": "TELARES BERMEJO", "phone": "958 22 10 47", "address": "C/ Elvira, 88 - 18010 Granada"}),
        ("Best wishes,\nImogen Farrow\nFarrow & Slate Ltd\nUnit 6, Tannery Yard, Leeds LS10 1AB", ("", "i@f.example"),
         {"company": "Farrow & Slate Ltd", "address": "Unit 6, Tannery Yard, Leeds LS10 1AB"}),
        ("hiya its kev, my number its now 07700 900412, old one doesnt work", ("kev", "kev@post.example"),
         {"phone": "07700 900412"}),
        # A robot writes for nobody.
        ("Your profile was changed.", ("Account Services", "no-reply@loginservices.example"),
         {"company": None, "email": None}),
    ],
)  # fmt: skip
def test_who_writes_is_told_by_their_own_lines(text, sender, data):
    given = extraction(text, CONTACT, sender=sender).data
    assert {name: given.get(name) for name in data} == data


PLACE = {**MEETING, "location": {"type": "string"}}


@in_one_test(
    ("text", "language", "location"),
    [
        ("La commission se réunira le 8 décembre 2026 à 18h30, salle des mariages, mairie de Saint-Just.", "fr",
         "salle des mariages, mairie de Saint-Just"),
        ("Graag verwachten wij u op 15 december om 10u00 op ons kantoor, Grote Markt 9, Lier, voor de akte.", "nl",
         "Grote Markt 9, Lier"),
        ("Ortstermin am Montag, 30.11.2026 um 8:15 Uhr? Treffpunkt ist der Baucontainer an der Rosenstraße 4.", "de",
         "Baucontainer an der Rosenstraße 4"),
        ("Können wir uns am 1. Dezember um 9.30 Uhr im Rathaus, Zimmer 214 treffen? Pläne liegen im Bauamt.", "de",
         "Rathaus, Zimmer 214"),
        # No place: where somebody is anyway, a link that is to come, and the address of who signs.
        ("Site meeting on 30 November at 10am, meet by the main gate. I am in the office from 8.", "en", None),
        ("Thursday 26 Nov at 16:00 it is. I'll send a Teams link beforehand.", "en", None),
        ("Passt der 26. November um 14:30 Uhr?\n\nViele Grüße\nClara Weiss\nWeiss Legal, Lindenstr. 4, 50674 Köln", "de", None),
    ],
)  # fmt: skip
def test_a_place_is_where_it_is_said_to_be(text, language, location):
    assert extraction(text, PLACE, language=language).data.get("location") == location


def test_of_two_days_the_one_that_is_not_instead_of_another_holds():
    text = (
        "Could we do Tuesday 22 September at 3pm instead of Monday at 10? I leave at 5 on Friday."
    )
    given = extraction(text, MEETING).data
    assert (given["date"], given["time"]) == ("2026-09-22", "15:00")


def test_hours_may_be_written_without_anything_between():
    given = extraction("Date: 14/12/2026\nTime: 0900 hrs", MEETING).data
    assert given["time"] == "09:00"
