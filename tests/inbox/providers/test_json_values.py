"""JSON that somebody else wrote."""

import pytest

from inbox.providers.http.json_values import read_json


def test_what_no_database_takes_is_left_out():
    body = rb'{"a\u0000": "\ud800x\u0000", "b": ["\ud83d\ude00", 1e400, -1e400, NaN, 1.5]}'
    assert read_json(body) == {"a": "?x", "b": ["\U0001f600", None, None, None, 1.5]}
    assert read_json(b'\xef\xbb\xbf{"a": "\xc3\xbc"}') == {"a": "\u00fc"}


@pytest.mark.parametrize(
    "body", [b"", b"[" * 100_000, b'"\xed\xa0\x80"', b'"\xff"', b"9" * 5000, b'"\x00"', b"<html>"]
)
def test_what_is_no_json_is_said(body):
    with pytest.raises(ValueError):  # noqa: PT011 (the words are those of Python)
        read_json(body)
