"""What a text hides from whoever reads it, and what is honest."""

from inbox.rfc5322.text.hidden import find_hidden
from tests.cases import in_one_test
from tests.growth import assert_linear

GAP, PAD = "\n" * 12, " " * 90
ENDS = "One \nTwo\t\nThree \t\nFour  \t \nFive\n"
THIN = "a\u2009b\u2006c\u2009d\u2006e\u2009f\u2009g\u2006h\u2006i"
HIDING = [
    ("on\u200b Fri\u2063day", "characters", ""),
    ("on\u200d\u200c\u200d\u200d Friday", "characters", ""),
    ("on Friday\u00ad", "characters", ""),
    ("👩\u200d\u200d\u200d🔧", "characters", ""),
    ("می\u200c\u200c\u200cخواهم", "characters", ""),
    ("\u2066on Friday\u2069", "characters", ""),
    ("on\x08 Friday", "characters", ""),
    ("on\U000e0066\U000e006f Friday", "characters", ""),
    (ENDS, "blanks", ""),
    (ENDS.replace("\t", "\u2003"), "blanks", ""),
    (THIN.replace("\u2009", "\u2005"), "blanks", ""),
    (f"Yes.{GAP}Pay the collector.\nSoon.", "gap", "Pay the collector."),
    ("Yes.\n" + " \t\n" * 12 + "Pay the collector.", "gap", "Pay the collector."),
    (f"Yes.{PAD}Pay the collector.", "gap", "Pay the collector."),
    ("Sign in at your p\u0430yp\u0430l account", "letters", "p\u0430yp\u0430l"),
    ("Sign in at \u0410pple today", "letters", "\u0410pple"),
    ("The bank of \u03a1aris", "letters", "\u03a1aris"),
    ("Our sh\u0585p is open", "letters", "sh\u0585p"),
    ("Write to the \u0440\u0430\u0443\u0440\u0430 office now", "letters", "\u0440\u0430\u0443\u0440\u0430"),
    ("Напишите в \u0441hr\u043eme сегодня вечером", "letters", "\u0441hr\u043eme"),
]  # fmt: skip
HONEST = [
    "It comes on Friday.\n\nKind regards\n-- \nMira\n",
    "One line \nthat flows \ninto the next \nand the next \nas RFC 3676 has it.",
    "Breaks of  \nMarkdown  \nare two  \nblanks  \neach.",
    f"Yes.{GAP}", f"{GAP}Yes.", "A\n\n\n\nB", "a" + " " * 40 + "b",
    "می\u200cخواهم ❤\ufe0f 👩\u200d🔧 👨\u200d👩\u200d👧 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "क्\u200dष और क्\u200cष", "Ελληνικά και ρωσικά: χρόνος", "Смотрите отчёт о раскопках.",
    "Это SMSка от VIPов, а не Wi-Fi.", "The Russian word «снег» means snow; a long text about it.",
    "A resistor of 10 kΩ, 5 μm and Δt of αβ-decay.", "Les 10\u202f000 € de M.\u00a0Roux\u00a0: payés.",
    "東京　駅でお会いしましょう", "He said да, о and а were short words in that sentence.",
    "Достоевский, «Игрок»: the novel of the Russian author Фёдор Достоевский is long.",
]  # fmt: skip


@in_one_test(("text", "kind", "excerpt"), HIDING)
def test_what_hides_is_named(text, kind, excerpt):
    (one,) = find_hidden(text)
    assert (one.kind, one.excerpt) == (kind, excerpt)


@in_one_test("text", HONEST)
def test_what_honest_letters_hold_is_not(text):
    assert list(find_hidden(text)) == []


def test_code_points_and_numbers_are_told():
    (one,) = find_hidden("Y\u200bes\u200b, o\u2063n Friday.")
    assert one.params == {"count": 3, "codes": "U+200B, U+2063"}
    (one,) = find_hidden("Your p\u0430yp\u0430l account")
    assert one.params == {"codes": "U+0430"}
    (one,) = find_hidden(ENDS)
    assert one.params == {"count": 8}


@in_one_test("unit", [" ", "\n", " \n", "\t", "\u2003 \n", "a\u0430", "\u0430 ", "a ", "\u200d"])
def test_a_long_text_takes_no_longer_by_the_letter(unit):
    assert_linear(lambda size: list(find_hidden(unit * (size // len(unit)) + "x")), 100_000)
