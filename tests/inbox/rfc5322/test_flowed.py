"""Flowed lines and mbox escapes."""

import pytest

from inbox.rfc5322.flowed import unescape_from, unflow
from inbox.rfc5322.parse import parse_message


@pytest.mark.parametrize(
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
