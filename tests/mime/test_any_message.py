"""Of any message a reviewer is shown what others read, or told that it may be otherwise."""

from collections import Counter

from inbox.rfc5322.parse import parse_outgoing
from tests.cases import in_one_test
from tests.hostile import CASES
from tests.mime.generating import Generator
from tests.mime.outside_reader import leaves_outside, read_outside
from tests.mime.promise import find_silent, try_generated, try_message

SOME = 300
PLAIN = (
    b"From: Lantern <office@lantern.example>\r\nTo: ann@brook.example\r\nSubject: Offer\r\n"
    b"MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nHello.\r\n"
)


def test_of_some_hundred_messages_none_is_shown_in_silence_otherwise_than_others_read_it():
    tried = [try_generated(seed) for seed in range(SOME)]
    assert {seed: one.broken for seed, one in enumerate(tried) if one.broken} == {}
    counts = Counter((one.kind, bool(one.flags)) for one in tried)
    # Nothing that the product writes itself is flagged, and of what others write not everything.
    assert counts["built", True] == 0
    assert counts["built", False] > SOME / 10
    assert counts["written", False] > SOME / 10
    assert counts["broken", True] > SOME / 10


def test_the_same_seed_makes_the_same_message():
    assert Generator(7).message() == Generator(7).message() != Generator(8).message()


@in_one_test("harmful", CASES[::7])
def test_hostile_html_as_a_text_is_shown_to_the_letter_and_as_a_page_it_is_told(harmful):
    text = try_message("hostile", PLAIN + harmful.encode("utf-8", "replace") + b"\r\n")
    page = PLAIN.replace(b"text/plain", b"text/html") + harmful.encode("utf-8", "replace")
    assert (text.broken, try_message("hostile", page).broken) == ([], [])
    assert "uninspectable/html" in try_message("hostile", page).reasons


def test_the_other_reader_is_one_that_finds_what_is_there():
    """A reader that found nothing would agree with everything."""
    reading = read_outside(PLAIN)
    assert reading is not None
    assert reading.sender == (("Lantern", "office@lantern.example"),)
    assert (reading.to, reading.subject) == ((("", "ann@brook.example"),), "Offer")
    assert (reading.texts, reading.files) == (("Hello.\r\n",), ())
    assert [part.content for part in leaves_outside(PLAIN)] == [b"Hello.\r\n"]


def test_a_page_that_keeps_silent_is_found():
    """What the promise is worth: with the flags left out, it is broken by many messages."""
    messages = [Generator(seed).message()[1] for seed in range(60)]
    broken = [words for raw in messages for words in find_silent(raw, parse_outgoing(raw), [])]
    assert any("subject" in words for words in broken)
    assert any("text" in words for words in broken)
    assert any("absent" in words for words in broken)
