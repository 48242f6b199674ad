from datetime import timedelta

import pytest

from inbox.compose import summarise
from tests.factories import NOON, make_message

pytestmark = pytest.mark.django_db


def test_a_summary_says_who_wants_what_what_was_answered_and_what_is_open(inbox):
    first = make_message(inbox, subject="Lamp", text="Hi,\nmy lamp is broken.", at=NOON)
    reply = make_message(
        inbox, thread=first.thread, sender=inbox.address, sender_name="Lantern", direction="outbound",
        text="Hello Ada,\nwe send a new one.", at=NOON + timedelta(days=1),
    )  # fmt: skip
    last = make_message(
        inbox,
        thread=first.thread,
        text="Any news? When will it arrive?",
        at=NOON + timedelta(days=5),
    )
    assert summarise([first, reply, last]) == (
        "Lamp (3 messages, 2026-03-02 to 2026-03-07). Ada Byron: my lamp is broken. "
        "Lantern: we send a new one. Latest, 2026-03-07, Ada Byron: Any news? "
        "Open: When will it arrive?"
    )


def test_a_question_that_was_answered_is_not_open(inbox):
    first = make_message(inbox, text="When will it arrive?")
    reply = make_message(
        inbox, thread=first.thread, sender=inbox.address, direction="outbound", text="On Friday."
    )
    assert "Open:" not in summarise([first, reply])


def test_a_summary_is_short_whatever_the_mail(inbox):
    text = "word " * 5000 + "?"
    messages = [make_message(inbox, subject="s" * 5000, text=text, sender_name="n" * 500)] * 60
    assert len(summarise(messages)) <= 600


def test_a_message_without_text_or_subject_is_summed_up_too(inbox):
    assert summarise([make_message(inbox, subject="", text="")])
    assert summarise([]) == "No messages."
