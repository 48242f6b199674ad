"""Addresses as they come in, and the check of those that go out."""

import pytest

from inbox.rfc5322.addresses.parsing import (
    Address,
    check_address,
    parse_addresses,
    parse_authors,
    stands_in,
)
from tests.cases import in_one_test
from tests.growth import assert_linear


@in_one_test(
    ("header", "expected"),
    [
        ("a@hill.example", [("a@hill.example", "")]),
        ("Ann <a@hill.example>", [("a@hill.example", "Ann")]),
        ('"Lee, Kim" <k@hill.example>', [("k@hill.example", "Lee, Kim")]),
        ('"K \\"the\\" L" <k@hill.example>', [("k@hill.example", 'K "the" L')]),
        ("a@hill.example (Ann (the) First)", [("a@hill.example", "Ann (the) First")]),
        ("Ann a@hill.example", [("a@hill.example", "Ann")]),
        ("a@x.example, b@x.example", [("a@x.example", ""), ("b@x.example", "")]),
        ("a@x.example; b@x.example", [("a@x.example", ""), ("b@x.example", "")]),
        ("<a@x.example> <b@x.example>", [("a@x.example", ""), ("b@x.example", "")]),
        ("Team: a@x.example, b@x.example;", [("a@x.example", ""), ("b@x.example", "")]),
        ("undisclosed-recipients:;", []),
        ("<@relay.example:a@x.example>", [("a@x.example", "")]),
        ("<mailto:a@x.example>", [("a@x.example", "")]),
        ('"a b"@x.example', [('"a b"@x.example', "")]),
        ("A@X.Example", [("A@x.example", "")]),
        ("'a@x.example' <a@x.example>", [("a@x.example", "")]),
        ("=?utf-8?q?J=C3=B6rg=2C_K=2E?= <j@x.example>", [("j@x.example", "Jörg, K.")]),
        ("=?utf-8?q?J=C3=B6rg, K.?= <j@x.example>", [("j@x.example", "Jörg, K.")]),
        ('"=?utf-8?b?SsO2cmc=?=" <j@x.example>', [("j@x.example", "Jörg")]),
        ("Somebody", [("", "Somebody")]),
        ("<>", []),
        ("", []),
        ('"never closed <a@x.example>', [("a@x.example", "never closed")]),
        ("(never closed <a@x.example>", [("a@x.example", "never closed")]),
        ("Ann <a@x.example, Ben <b@x.example>", [("a@x.example", "Ann"), ("b@x.example", "Ben")]),
        ("Doe, John <j@x.example>", [("j@x.example", "Doe, John")]),
        (
            "Doe, John <j@x.example>, Roe, Jane, Dr. <r@x.example>, c@x.example",
            [("j@x.example", "Doe, John"), ("r@x.example", "Roe, Jane, Dr."), ("c@x.example", "")],
        ),
        ("root, c@x.example", [("", "root"), ("c@x.example", "")]),
        ('"a@x.example", Ben <b@x.example>', [("a@x.example", ""), ("b@x.example", "Ben")]),
        ("Doe, John", [("", "Doe"), ("", "John")]),
        ("Team: Doe, John <j@x.example>;", [("j@x.example", "Doe, John")]),
        ("Ann <a@x.example.>", [("a@x.example", "Ann")]),
        ("Ann <a@b.example@x.example>", [('"a@b.example"@x.example', "Ann")]),
        ("Ann <@x.example>", [("", "Ann")]),
        ("Ann <local>", [("", "Ann")]),
        ("<local>", [("", "local")]),
        ("Ann <a@x.example (home)>", [("", "Ann")]),
    ],
)
def test_addresses_are_read(header: str, expected: list[tuple[str, str]]):
    assert [(one.email, one.name) for one in parse_addresses(header)] == expected


def test_a_limit_is_kept():
    assert len(parse_addresses("a@x.example, " * 50, 3)) == 3


def test_the_wire_form_leaves_out_an_empty_name():
    assert Address("a@x.example").as_json() == {"email": "a@x.example"}
    assert Address("a@x.example", "Ann").as_json() == {"name": "Ann", "email": "a@x.example"}


def test_an_endless_address_is_none():
    (address,) = parse_addresses(f"<{'x' * 400}@x.example>")
    assert address.email == ""


@in_one_test(
    "mark",
    ['"', "(", "<", ",", "a:", "a@", '"\\', "()", "<a@b>", "@", "a,", '"a@b",', "a, <b@c>,", "a"],
)
def test_repeated_marks_are_read_in_linear_time(mark: str):
    def read(size: int) -> None:
        parse_addresses(mark * size)
        parse_authors(mark * size)
        parse_authors(f"{mark * size} @")

    assert_linear(read, 4_000)


@in_one_test(
    ("text", "address"),
    [
        ("a@hill.example", "a@hill.example"),
        ("  a@hill.example ", "a@hill.example"),
        ("Ann Lee <a.lee+x@Hill.Example>", "a.lee+x@hill.example"),
        ('"Ann" <a@hill.example>', "a@hill.example"),
        ("a@bücher.example", "a@xn--bcher-kva.example"),
        ("jörg@hill.example", "jörg@hill.example"),
    ],
)
def test_an_address_to_send_to_comes_out_bare(text: str, address: str):
    assert check_address(text) == address


@in_one_test(
    "text",
    [
        "",
        "a",
        "@hill.example",
        "a@",
        "a@b@hill.example",
        '"a@other.example" <a@hill.example>',
        "a@hill.example, b@hill.example",
        "a@hill.example;b@hill.example",
        "<a@hill.example> b@other.example",
        '"a@hill.example, x" <b@other.example>',
        "a@hill.example (b@other.example)",
        "a@hill.example\u200b",
        "a@hill.example\u202e",
        "a@hill.example\r\nBcc: b@other.example",
        "a\x00@hill.example",
        '"a b"@hill.example',
        "a b@hill.example",
        ".a@hill.example",
        "a..b@hill.example",
        "a@localhost",
        "a@[127.0.0.1]",
        "a@10.0.0.1",
        "a@-hill.example",
        "a@hill_.example",
        "a@hill..example",
        f"{'x' * 65}@hill.example",
        f"a@{'x' * 64}.example",
        f"a@{'x.' * 130}example",
        "=?utf-8?q?a=40hill=2Eexample?=",
    ],
)
def test_anything_but_one_address_is_refused(text: str):
    with pytest.raises(ValueError, match=r"\w"):
        check_address(text)


@in_one_test(
    ("text", "stands"),
    [
        ("Write to ada@customer.example.", True),
        ("<ADA@customer.example>, bo@other.example", True),
        ("mailto:ada@customer.example?subject=x", True),
        ("joanna.ada@customer.example and then ada@customer.example", True),
        ("ada@customer.example.evil.example", False),
        ("ada@customer.example-evil.example", False),
        ("canada@customer.example", False),
        ("not+ada@customer.example", False),
        ("ada at customer.example", False),
        ("", False),
    ],
)
def test_an_address_stands_in_a_text_only_as_itself(text: str, stands: bool):
    assert stands_in("Ada@customer.example", text) is stands
    assert not stands_in("", text)
