"""Addresses that a person types."""

import pytest

from inbox.rfc5322.addresses.parsing import Address
from inbox.rfc5322.addresses.typed import read_typed_addresses
from tests.cases import in_one_test


@in_one_test(
    ("text", "found"),
    [
        ("", ()),
        ("bob@ok.example", (Address("bob@ok.example"),)),
        ("Bob <bob@ok.example>, eve@ok.example", (Address("bob@ok.example", "Bob"), Address("eve@ok.example"))),
        ('"Byron, Ada" <ada@ok.example>', (Address("ada@ok.example", "Byron, Ada"),)),
        (r'"Ada \"A\" \\ Byron" <ada@ok.example>', (Address("ada@ok.example", 'Ada "A" \\ Byron'),)),
        ('"ada@ok.example" <ada@ok.example>', (Address("ada@ok.example", "ada@ok.example"),)),
        ("佐藤 健一 <sato@ok.example>,", (Address("sato@ok.example", "佐藤 健一"),)),
        ("<bob@ok.example>", (Address("bob@ok.example"),)),
    ],
)  # fmt: skip
def test_plain_lines_are_read(text, found):
    assert read_typed_addresses(text) == found


@in_one_test(
    "text",
    [
        "x\r\nBcc: evil@other.example", "x\u2028Bcc: evil@other.example", "x\x85Bcc: evil@other.example", "bob@ok.example\u200b",
        "bob@ok.example\u202e", '"a@evil.example" <bob@ok.example>', "bob@ok.example;evil@other.example",
        "<bob@ok.example> evil@other.example", '"bob@ok.example, x" <evil@other.example>',
        "bob@ok.example (evil@other.example)", "bob@ok.example evil@other.example", "nobody", "bob@ok.example,,eve@ok.example",
        "Team: bob@ok.example, eve@ok.example;", '"' * 9000, "a" * 9000, "(" * 9000, '"\\' * 9000, "a " * 20000 + "<",
    ],
)  # fmt: skip
def test_what_can_be_read_in_two_ways_is_refused(text):
    with pytest.raises(ValueError, match=r"address|hidden"):
        read_typed_addresses(text)
