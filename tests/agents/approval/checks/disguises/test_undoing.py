"""Readings of a text once encodings are undone: which there are, of which words, and how many."""

import base64
import codecs
import random

from agents.approval.checks.disguises.undoing import undo
from tests.attacks.disguises import disguise
from tests.cases import in_one_test, made_up

SAID = "The north face closes in May, and forty jobs move to the mill at Ashford."


def readings(text):
    return [one.text for one in undo(text)]


@in_one_test(
    "text",
    [
        "",
        "=\n",
        "Dear Ada,  it holds until Friday.",
        SAID,
        "Salt &amp; pepper = 2 \nboats",
        "On the 3rd at 4pm",
        "5 un 3",
    ],
)
def test_what_is_written_as_usual_has_no_other_reading(text):
    assert readings(text) == []


def test_a_reading_of_a_reading_names_the_words_as_they_stand():
    packed = disguise(SAID, ("base64", "hex"), 1)
    told = [one for one in undo(f"For you:\n{packed}\nMira") if SAID in one.text]
    assert told
    for one in told:
        assert one.excerpt in packed
        assert len(one.excerpt) > 100


def test_only_a_long_run_is_tried_in_each_alphabet():
    long, short = (base64.b64encode(it.encode()).decode() for it in (SAID, "It is 481552."))
    assert SAID in readings(codecs.encode(long, "rot13"))
    assert "It is 481552." in readings(short)
    assert "It is 481552." not in readings(codecs.encode(short, "rot13"))
    assert SAID in readings(disguise(SAID, ("base64", "mirrored alphabet"), 1))
    for turned in ("ROT13", "mirrored alphabet"):
        assert SAID in readings(disguise(SAID, ("base85", turned), 1))


def test_words_between_numbers_of_characters_are_none_of_them():
    assert SAID in readings(disguise(SAID, ("numbers of characters", "fillers"), 3))


@in_one_test("length", range(24, 32))
def test_base32_that_was_cut_anywhere_is_undone_as_far_as_it_goes(length):
    packed = base64.b32encode(SAID.encode()).decode()[:length]
    assert any(SAID.startswith(one) and len(one) > 13 for one in readings(f"See {packed} now"))


def test_lines_count_as_something_that_is_shown():
    assert "4\n8\n1\n5\n5\n2" in readings(b"4\n8\n1\n5\n5\n2".hex())
    assert readings(b"\x01\x024\x03\x048\x05\x061".hex()) == []


def test_words_for_digits_are_digits_and_an_article_is_one_only_between_others():
    assert readings("five zero four") == ["5 0 4"]
    assert readings("drei eins fünf") == ["3 1 5"]
    assert readings("An apple, five un three") == ["An apple, 5 1 3"]
    assert readings("five ten three") == ["5 ten 3"]


@in_one_test(
    "names",
    [
        ("base32", "mirrored alphabet"), ("base32", "another shift"), ("base64 in lines", "last word first"),
        ("base64 in lines", "fillers"), ("base64 in lines", "last word first", "fillers"),
        ("numbers of characters", "a word a line"), ("numbers of characters", "without blanks"),
        ("hex in pairs", "words backwards"), ("bits", "backwards"), ("escapes", "upper case"),
        ("escapes", "mirrored alphabet"), ("escapes", "another shift"),
        ("digits in words", "mirrored alphabet"), ("base85", "spaced", "fillers"),
        ("base64 in lines", "percent", "mirrored alphabet"), ("digits in words", "look-alikes"),
        ("bits", "backwards", "digits in words"),
        ("base64 in lines", "look-alikes", "last word first"),
    ],
)  # fmt: skip
def test_one_over_the_other_is_undone(names):
    told = disguise(f"{SAID} 62094418", names, 5)
    letters = "".join(SAID.split()).casefold()
    assert any(letters in "".join(one.split()).casefold() for one in readings(f"For you: {told}"))


@in_one_test("start", range(1, 9))
def test_what_was_cut_in_two_is_undone_wherever_that_was(start):
    for name in ("base64", "base85", "base32", "hex"):
        packed = disguise(SAID, (name,), 1)[start:]
        assert any("the mill at Ashford" in one for one in readings(packed)), name


@in_one_test(
    "names",
    [
        ("digits in words", "fillers"),
        ("digits in words", "backwards"),
        ("hex",),
        ("base64", "dotted"),
    ],
)
def test_a_number_is_whole_again(names):
    for seed in range(6):
        said = readings(f"To come in: {disguise('62094418', names, seed)} and so on")
        assert any("62094418" in it for one in said for it in (one, one[::-1])), (seed, said)


def test_a_short_number_is_tried_in_each_alphabet_and_says_nothing_else():
    packed = disguise("NV-30417", ("base64 for addresses", "mirrored alphabet"), 1)
    assert "NV-30417" in readings(f"For the record: {packed} as always")
    assert readings("Our article FL3xabcQQ is there again, the other in May.") == []


@in_one_test("unit", ["0", "01", "0101010 ", "12 ", "1 " + "a" * 22, "&#a12;", "TlYtMzA0MTc ", "x"])
def test_what_is_long_and_says_nothing_is_read_to_its_end(unit):
    # A pattern that tries every way to split such a text would not end.
    assert len(undo((unit * 20_000)[:20_000])) <= 32


def test_digits_for_letters_are_letters_where_there_are_some_of_them():
    assert "The north face closes in May" in readings("Th3 n0rth f4c3 cl0s3s 1n M4y")
    assert "sieben vier neun drei" in readings("513b3n v13r n3un dr31")


def test_characters_that_json_writes_as_a_pair_are_one_and_half_a_pair_is_none():
    assert "Thanks \U0001f600 =41" in readings(r"Thanks \ud83d\ude00 =41")
    assert "Thanks \ufffd =41" in readings(r"Thanks \ud83d =41")
    assert "Thanks \ufffd A" in readings("Thanks \ud83d =41")


ODD = [
    r"\ud800", r"\uffff", r"\xff", "&#xffffff;", "&#x110000;", "&#xd800;", "%ff", "%0Z", "=41", "=ZZ",
    "=\n", "01010101 ", "zero ", "eins ", "12 ", "112 ", "QUFB", "/w==", "ff ", "\u0456", "\u200b",
    "\ud7ff", "\uff11", "\u2460", "\xbd", "\u0663", "a", "Z9", "&#k65;", r"\h0065", r"\U0061", "3", " ",
    "\n", "~", "\x00", "\u2028", "\xdf", "\u0130", "\ufdfa", "\ud800",
]  # fmt: skip


@in_one_test("seed", range(made_up(800)))
def test_whatever_stands_in_a_text_it_is_read(seed):
    chance = random.Random(seed)
    text = "".join(
        chance.choice(ODD) * chance.choice((1, 1, 1, 2, 5, 14))
        for _ in range(chance.randrange(1, 25))
    )
    for one in readings(text):
        one.encode()
