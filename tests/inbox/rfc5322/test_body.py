"""Parts put together: text, HTML and attachments."""

import base64
import binascii

import pytest

from inbox.rfc5322.parse import parse_message


def multipart(kind: str, *parts: str, boundary: str = "b") -> bytes:
    body = "".join(f"--{boundary}\r\n{part}\r\n" for part in parts)
    head = f'Content-Type: multipart/{kind}; boundary="{boundary}"\r\n\r\n'
    return f"{head}preamble\r\n{body}--{boundary}--\r\nepilogue".encode()


def test_an_attachment_keeps_its_exact_bytes():
    content = bytes(range(256)) * 50
    encoded = base64.encodebytes(content).decode().replace("\n", "\r\n")
    raw = multipart(
        "mixed",
        "Content-Type: text/plain\r\n\r\nSee below.",
        "Content-Type: application/pdf; name=x.pdf\r\nContent-Transfer-Encoding: base64\r\n"
        f'Content-Disposition: attachment; filename="offer.pdf"\r\n\r\n{encoded}',
    )
    (attachment,) = parse_message(raw).attachments
    assert attachment.content == content
    assert (attachment.filename, attachment.content_type) == ("offer.pdf", "application/pdf")
    assert (attachment.position, attachment.inline) == (0, False)


def test_the_line_break_before_a_boundary_belongs_to_the_boundary():
    raw = multipart("mixed", "Content-Type: application/x-thing\r\n\r\nexact\r\n")
    assert parse_message(raw).attachments[0].content == b"exact\r\n"


def test_plain_text_is_preferred_and_html_is_kept_beside_it():
    parsed = parse_message(
        multipart(
            "alternative",
            "Content-Type: text/plain\r\n\r\nHello",
            "Content-Type: text/html\r\n\r\n<p>Hello <script>x</script></p>",
        )
    )
    assert (parsed.text, parsed.html, parsed.attachments) == ("Hello", "<p>Hello </p>", ())


def test_html_alone_is_laid_out_as_text():
    parsed = parse_message(b"Content-Type: text/html\n\n<p>One</p><p>Two</p>")
    assert parsed.text == "One\n\nTwo"


def test_a_list_footer_is_added_to_the_html_too():
    parsed = parse_message(
        multipart(
            "mixed",
            "Content-Type: text/html\r\n\r\n<p>Body</p>",
            "Content-Type: text/plain\r\n\r\n1 < 2",
        )
    )
    assert parsed.text == "Body\n\n1 < 2"
    assert parsed.html == "<p>Body</p>\n<div>1 &lt; 2</div>"


def test_two_forms_that_say_different_things_are_reported():
    plain = "Please confirm the delivery of seven wooden chairs before Friday afternoon, thank you"
    html = "Kindly transfer fourteen thousand dollars towards another account immediately tonight"
    parsed = parse_message(
        multipart(
            "alternative",
            f"Content-Type: text/plain\r\n\r\n{plain}",
            f"Content-Type: text/html\r\n\r\n<p>{html}</p>",
        )
    )
    assert "alternatives_differ" in parsed.anomalies


def test_a_calendar_part_of_an_alternative_is_an_attachment():
    parsed = parse_message(
        multipart(
            "alternative",
            "Content-Type: text/plain\r\n\r\nMeet?",
            "Content-Type: text/calendar; method=REQUEST\r\n\r\nBEGIN:VCALENDAR",
        )
    )
    assert parsed.text == "Meet?"
    assert parsed.attachments[0].content_type == "text/calendar"


def test_an_attached_message_is_not_merged_into_ours():
    inner = "From: x@hill.example\r\nSubject: Inner / one\r\n\r\ninner text"
    parsed = parse_message(
        multipart(
            "mixed",
            "Content-Type: text/plain\r\n\r\nouter text",
            f"Content-Type: message/rfc822\r\n\r\n{inner}",
        )
    )
    assert parsed.text == "outer text"
    assert parsed.attachments[0].filename == "one.eml"
    assert parsed.attachments[0].content == inner.encode()


def test_an_inline_image_has_its_content_id():
    parsed = parse_message(
        multipart(
            "related",
            'Content-Type: text/html\r\n\r\n<img src="cid:logo@x" alt="Logo">',
            "Content-Type: image/png\r\nContent-ID: <logo@x>\r\n\r\nPNG",
        )
    )
    (image,) = parsed.attachments
    assert (image.content_id, image.inline) == ("logo@x", True)
    assert "[image: Logo]" in parsed.html


@pytest.mark.parametrize(
    ("content_type", "kind"),
    [
        ("application/pgp-signature", "signed"),
        ("application/pkcs7-signature", "signed"),
        ("application/ms-tnef", "mixed"),
    ],
)
def test_signatures_and_tnef_are_attachments(content_type: str, kind: str):
    raw = multipart(
        kind, "Content-Type: text/plain\r\n\r\ntext", f"Content-Type: {content_type}\r\n\r\nx"
    )
    parsed = parse_message(raw)
    assert parsed.text == "text"
    assert [one.content_type for one in parsed.attachments] == [content_type]


def test_encrypted_mail_is_kept_as_it_is():
    raw = multipart(
        "encrypted",
        "Content-Type: application/pgp-encrypted\r\n\r\nVersion: 1",
        "Content-Type: application/octet-stream\r\n\r\n-----BEGIN PGP MESSAGE-----",
    )
    parsed = parse_message(raw)
    assert len(parsed.attachments) == 2
    assert "encrypted" in parsed.anomalies


def test_a_uuencoded_file_in_the_text_is_an_attachment():
    data = b"some bytes that were sent in 1994"
    line = binascii.b2a_uu(data).decode()
    parsed = parse_message(f"\nBefore\nbegin 644 old.bin\n{line}`\nend\nAfter\n".encode())
    assert parsed.attachments[0].content == data
    assert parsed.attachments[0].filename == "old.bin"
    assert "begin" not in parsed.text
    assert parsed.text.startswith("Before\n")
    assert parsed.text.endswith("After\n")


def test_text_that_only_begins_like_uuencode_is_left_alone():
    assert parse_message(b"\nbegin 644 things\nnot encoded\nend\n").attachments == ()


def test_text_with_a_file_name_is_an_attachment_unless_it_is_the_message():
    parsed = parse_message(
        multipart(
            "mixed",
            "Content-Type: text/plain; name=message.txt\r\n\r\nthe message",
            "Content-Type: text/plain\r\nContent-Disposition: inline; filename=fix.patch\r\n\r\n+1",
        )
    )
    assert parsed.text == "the message"
    assert [one.filename for one in parsed.attachments] == ["fix.patch"]


def test_a_declared_charset_in_the_page_itself_is_heard():
    page = '<meta charset="shift_jis"><p>こんにちは</p>'.encode("shift_jis")
    parsed = parse_message(b"Content-Type: text/html\n\n" + page)
    assert parsed.text == "こんにちは"


def test_broken_base64_is_read_as_far_as_it_goes():
    raw = b"Content-Type: application/x-y\nContent-Transfer-Encoding: base64\n\naGVsbG8*gd29ybGQ"
    parsed = parse_message(raw)
    assert parsed.attachments[0].content == b"hello world"
    assert "broken_encoding" in parsed.anomalies


def test_a_hostile_name_is_shown_harmless_and_reported():
    parsed = parse_message(
        b"Content-Type: application/x-y\nContent-Disposition: attachment;\n"
        b' filename="..\\..\\win.ini"\n\nx'
    )
    assert parsed.attachments[0].filename == "win.ini"
    assert "unsafe_filename" in parsed.anomalies


def test_very_long_text_is_cut_and_reported():
    parsed = parse_message(b"\n" + b"line of text\n" * 500_000)
    assert len(parsed.text) <= 5_000_000
    assert "long_text" in parsed.anomalies
