"""Flowed lines and mbox escapes."""

from inbox.rfc5322.parse import parse_message
from inbox.rfc5322.text.flowed import rejoin, unescape_from, unflow
from tests.cases import in_one_test


@in_one_test(
    ("text", "unflowed"),
    [
        ("one \ntwo\nthree", "one two\nthree"),
        ("> one \n> two\nmine", "> one two\nmine"),
        (">> one \n> two", ">> one \n> two"),
        (" >stuffed", ">stuffed"),
        (" From here", "From here"),
        ("text \n-- \nAnn", "text \n-- \nAnn"),
        ("plain", "plain"),
    ],
)
def test_flowed_paragraphs_are_joined(text: str, unflowed: str):
    assert unflow(text, delete_space=False) == unflowed


def test_delsp_joins_without_a_space():
    raw = "Content-Type: text/plain; charset=utf-8; format=flowed; delsp=yes\n\n東京 \n都".encode()
    assert parse_message(raw).text == "東京都"


def test_an_mbox_escape_is_undone_but_a_quote_is_not():
    assert unescape_from("a\n>From here\nb") == "a\nFrom here\nb"
    assert unescape_from("> a\n>From here\n> b") == "> a\n>From here\n> b"


WRAPPED = (
    "This paragraph was broken by a mail program where its column of seventy\n"
    "characters ended, which looks ragged in a column that is narrower than\n"
    "that."
)


def test_breaks_that_a_mail_program_put_in_are_taken_out_for_display():
    assert (
        rejoin(f"Hello,\n\n{WRAPPED}\n\nAda") == f"Hello,\n\n{WRAPPED.replace(chr(10), ' ')}\n\nAda"
    )


@in_one_test(
    "text",
    [
        "Ada Moss\nLantern Ltd\n12 Quay Street",
        "We need three things from you before we can go on with the order, please:\nthe address\nthe date",
        "The first of the lines is as long as the column of a mail program is wide\n- one\n- two",
        "> The quoted words of somebody else, as long as a mail program makes lines\n> and more",
        "Item                                     Price          Number of pieces\nLamp        120 EUR      2",
        "この文章は日本語で書かれていて、単語の間に空白がありませんので、行をつなぐと余計な空白が入ります。この行は長い行です、はい\nそうです",
        "https://shop.example/a/very/long/address/that/no/program/breaks/anywhere/at/all\nnext",
        "A line that ends early\nbeside one that goes up to the column where the mail program breaks.",
        "",
        "\n\n\n",
    ],
)  # fmt: skip
def test_breaks_that_are_meant_stay(text: str):
    assert rejoin(text) == text


def test_rejoining_takes_linear_time():
    text = ("lorem ipsum dolor " * 4 + "\n") * 30_000
    assert len(rejoin(text)) == len(text)
