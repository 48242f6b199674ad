"""Content-Transfer-Encodings and uuencode."""

import binascii

from inbox.rfc5322.transfer import decode_transfer, extract_uuencoded
from tests.cases import in_one_test


@in_one_test(
    ("data", "encoding", "decoded", "broken"),
    [
        (b"aGVsbG8=", "base64", b"hello", False),
        (b"aGVs\r\nbG8=\r\n", "base64", b"hello", False),
        (b"aGVsbG8", "base64", b"hello", True),
        (b"aGVsbG8=\nfooter of a list", "base64", b"hello", False),
        (b"a=3Db=\nc", "quoted-printable", b"a=bc", False),
        (b"50=ZZ", "quoted-printable", b"50=ZZ", False),
        (b"plain", "", b"plain", False),
        (b"\xff", "8bit", b"\xff", False),
        (b"what", "rot13", b"what", True),
    ],
)
def test_an_encoding_is_undone(data: bytes, encoding: str, decoded: bytes, broken: bool):
    assert decode_transfer(data, encoding) == (decoded, broken)


def test_several_uuencoded_files_are_taken_out():
    one, two = (binascii.b2a_uu(data).decode() for data in (b"one", b"two"))
    text = f"a\nbegin 644 1.bin\n{one}`\nend\nb\nbegin 644 2.bin\n{two}`\nend\nc"
    files, rest = extract_uuencoded(text)
    assert files == [("1.bin", b"one"), ("2.bin", b"two")]
    assert rest == "a\n\nb\n\nc"


def test_beginnings_without_an_end_are_text():
    text = "begin 644 x\n" * 5000
    assert extract_uuencoded(text) == ([], text)
