"""The tree of parts."""

from inbox.rfc5322.headers import read_headers
from inbox.rfc5322.mime import MAX_PARTS, Part, PartReader
from inbox.rfc5322.parse import parse_message


def parts_of(raw: bytes) -> tuple[list[Part], set[str]]:
    headers, body = read_headers(raw, 0, len(raw))
    reader = PartReader(raw)
    return reader.read(headers, body, len(raw)), reader.problems


def contents(raw: bytes) -> list[bytes]:
    return [raw[part.start : part.end] for part in parts_of(raw)[0]]


def test_a_boundary_that_begins_with_another_is_another():
    raw = (
        b"Content-Type: multipart/mixed; boundary=ab\n\n--ab\n"
        b"Content-Type: multipart/mixed; boundary=abc\n\n--abc\n\none\n--abc--\n--ab\n\ntwo\n--ab--\n"
    )
    assert contents(raw) == [b"one", b"two"]


def test_the_end_of_the_outer_part_ends_the_inner_ones():
    raw = (
        b"Content-Type: multipart/mixed; boundary=o\n\n--o\n"
        b"Content-Type: multipart/mixed; boundary=i\n\n--i\n\none\n--o\n\ntwo\n--o--\n"
    )
    assert contents(raw) == [b"one", b"two"]
    assert "broken_multipart" in parts_of(raw)[1]


def test_a_missing_boundary_is_found_in_the_body():
    raw = b"Content-Type: multipart/mixed\n\n--x1\nContent-Type: text/plain\n\none\n--x1--\n"
    assert contents(raw) == [b"one"]


def test_a_multipart_without_parts_is_text():
    parts, problems = parts_of(b"Content-Type: multipart/mixed; boundary=b\n\njust text")
    assert [part.content_type for part in parts] == ["text/plain"]
    assert problems == {"broken_multipart"}


def test_five_thousand_levels_stop_at_the_limit():
    raw = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (level, level)
        for level in range(5000)
    )
    parts, problems = parts_of(raw)
    assert len(parts) == 1
    assert "too_deep" in problems


def test_a_million_parts_stop_at_the_limit():
    raw = b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 100_000
    parts, problems = parts_of(raw)
    assert len(parts) == MAX_PARTS
    assert "too_many_parts" in problems


def test_the_parts_of_a_digest_are_messages():
    raw = b"Content-Type: multipart/digest; boundary=b\n\n--b\n\nSubject: one\n\nx\n--b--\n"
    assert parse_message(raw).attachments[0].content_type == "message/rfc822"


def test_a_media_type_holds_no_control_characters():
    assert parts_of(b"Content-Type: text/\x00ht\x01ml\n\nx")[0][0].content_type == "text/html"


def test_what_is_no_media_type_is_text():
    for value in (b"text", b"/", b"a/", "ü/ü".encode()):
        assert parts_of(b"Content-Type: " + value + b"\n\nx")[0][0].content_type == "text/plain"
