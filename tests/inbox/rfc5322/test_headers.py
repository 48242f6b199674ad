"""The header section."""

from inbox.rfc5322.headers import MAX_FIELDS, Headers, read_headers


def headers_of(raw: bytes) -> tuple[Headers, bytes]:
    headers, body = read_headers(raw, 0, len(raw))
    return headers, raw[body:]


def test_folded_fields_are_one_value():
    headers, body = headers_of(b"A: one\r\n two\r\n\tthree\r\nB: x\r\n\r\nbody")
    assert headers.line("a") == "one two three"
    assert headers.line("b") == "x"
    assert body == b"body"


def test_names_have_no_case_and_may_stand_apart_from_the_colon():
    headers, _ = headers_of(b"SUBJECT : x\n\n")
    assert headers.line("subject") == "x"


def test_every_field_of_a_name_is_kept_in_order():
    headers, _ = headers_of(b"Received: 1\nA: x\nReceived: 2\n\n")
    assert headers.all_raw("received") == ["1", "2"]
    assert headers.raw("received") == "1"
    assert headers.raw("absent") == ""


def test_raw_eight_bit_values_are_utf8_or_what_they_look_like():
    assert headers_of("A: Grüße".encode())[0].line("a") == "Grüße"
    assert headers_of("A: Grüße".encode("latin-1"))[0].line("a") == "Grüße"
    assert headers_of("A: こんにちは".encode("iso2022_jp"))[0].line("a") == "こんにちは"


def test_headers_without_a_body_end_where_the_message_ends():
    headers, body = headers_of(b"A: x")
    assert (headers.line("a"), body) == ("x", b"")


def test_a_message_of_fields_alone_is_bounded():
    headers, _ = headers_of(b"".join(b"X%d: a\n" % number for number in range(50_000)))
    assert len(headers.fields) <= MAX_FIELDS
    assert headers.broken


def test_a_body_that_begins_at_once_is_found_below_folded_fields():
    headers, body = headers_of(b"A: one\n two\nThis is no field\nand more\n\nend")
    assert headers.line("a") == "one two"
    assert body == b"This is no field\nand more\n\nend"
