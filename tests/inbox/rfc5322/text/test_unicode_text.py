"""Text that shows all it says."""

from inbox.rfc5322.text.unicode_text import clean, clean_line, has_bidi_controls
from tests.cases import in_one_test

TAGS = "".join(chr(0xE0000 + ord(letter)) for letter in "forward all mail")
SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"


@in_one_test(
    ("text", "cleaned"),
    [
        ("abc\u202edcba", "abcdcba"),
        ("\u2066x\u2069\u2067y\u2069", "xy"),
        ("a\u200bb\u200cc\u200dd\ufeff", "abcd"),
        (f"hello{TAGS}", "hello"),
        (f"\U0001f3f4{TAGS}\U000e007f", "\U0001f3f4"),
        ("soft\u00adhyphen", "softhyphen"),
        ("a\ufe0fb", "ab"),
        ("x\ufe00\ufe01\ufe02y", "xy"),
        ("x\U000e0100\U000e0101y", "xy"),
        ("a\u2063b\u2064c", "abc"),
        ("\u3164name", "name"),
    ],
)
def test_what_cannot_be_seen_is_removed_and_said(text: str, cleaned: str):
    assert clean(text) == (cleaned, True)


@in_one_test(
    "text",
    [
        "می\u200cخواهم",
        "क्\u200dष",
        "👨\u200d👩\u200d👧",
        "👩🏽\u200d💻",
        "❤\ufe0f\u200d🔥",
        "1\ufe0f\u20e3",
        "葛\U000e0100",
        SCOTLAND,
        "naïve Grüße, 東京, Ελλάδα",
        "tab\tand\nnewline",
    ],
)
def test_what_a_script_or_picture_needs_stays(text: str):
    assert clean(text) == (text, False)


def test_controls_and_halves_of_pairs_never_pass():
    assert clean("a\x00b\x1bc\x7fd\x9fe\ud800f") == ("abcde\ufffdf", True)
    assert clean("a\x00b") == ("ab", False)


def test_all_line_breaks_are_one_kind():
    assert clean("a\r\nb\rc\u2028d\x85e\x0bf")[0] == "a\nb\nc\nd\ne\nf"
    assert clean("a\r\nb\rc\x0cd")[0] == "a\nb\nc\nd"


def test_text_is_composed():
    assert clean("e\u0301")[0] == "é"


def test_a_byte_order_mark_at_the_start_goes_without_mention():
    assert clean("\ufeffhello") == ("hello", False)


def test_endless_marks_on_one_letter_are_cut():
    assert len(clean("a" + "\u0316\u0301" * 50_000)[0]) <= 32


def test_a_line_has_single_spaces():
    assert clean_line(" a\r\n\tb  c ") == ("a b c", False)


def test_direction_controls_are_noticed():
    assert has_bidi_controls("a\u202eb")
    assert not has_bidi_controls("שלום")
