"""Which times for a meeting a thread proposes."""

from datetime import date, time

import pytest

from inbox.compose.thread.meetings import proposed_times, speaks_of_meeting
from tests.factories import make_message

pytestmark = pytest.mark.django_db
THURSDAY = date(2026, 3, 5)


def _times(*messages):
    return [(it.day, it.at) for it in proposed_times(messages)]


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("Could we meet on Thursday at 2 pm?", [(THURSDAY, time(14))]),
        ("Could we meet on Thursday? At 2 p.m. I am free.", [(THURSDAY, None)]),
        ("Could we meet on Thursday or on Friday?", [(THURSDAY, None), (date(2026, 3, 6), None)]),
        (
            "Could we meet on Thursday at 2 pm or 4 pm?",
            [(THURSDAY, time(14)), (THURSDAY, time(16))],
        ),
        ("Our meeting on Thursday is from 14:00 to 15:00.", [(THURSDAY, time(14))]),
        ("Could we meet on Thursday after 2 pm?", [(THURSDAY, None)]),
        ("Could we meet on Thursday before 10 am or after 5 pm?", [(THURSDAY, None)]),
        ("Können wir uns am 5.3.2026 nach 17 Uhr treffen?", [(THURSDAY, None)]),
        ("Seriez-vous disponible pour une réunion jeudi à partir de 15h ?", [(THURSDAY, None)]),
        ("I cannot meet on Thursday at 2 pm.", []),
        ("Our meeting last Thursday at 2 pm was nice.", []),
        ("The lamp comes on Thursday at 2 pm.", []),
        ("Können wir uns am 5.3.2026 um 14 Uhr treffen?", [(THURSDAY, time(14))]),
        ("Seriez-vous disponible pour une réunion jeudi à 15h ?", [(THURSDAY, time(15))]),
        ("¿Podemos tener una reunión el jueves a las 11:00?", [(THURSDAY, time(11))]),
        ("3月5日の15時に打ち合わせをお願いできますか。", [(THURSDAY, time(15))]),
    ],
)
def test_times_are_proposed_in_sentences_about_meeting(inbox, text, times):
    assert _times(make_message(inbox, subject="Hello", text=text)) == times


def test_a_yes_to_a_day_means_the_time_that_was_proposed_for_it(inbox):
    offer = make_message(inbox, direction="outbound", text="We could meet on Thursday at 16:00.")
    yes = make_message(inbox, thread=offer.thread, text="Thursday works for me, thank you!")
    assert _times(offer, yes) == [(THURSDAY, time(16))]


def test_after_a_no_nothing_is_proposed(inbox):
    offer = make_message(inbox, direction="outbound", text="We could meet on Thursday at 16:00.")
    no = make_message(inbox, thread=offer.thread, text="Sorry, I cannot make it.")
    assert _times(offer, no) == []


def test_a_thread_without_a_meeting_speaks_of_none(inbox):
    assert not speaks_of_meeting([make_message(inbox, subject="Lamp", text="My lamp is broken.")])
    assert speaks_of_meeting([make_message(inbox, subject="Termin", text="Passt es?")])
