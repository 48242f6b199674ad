"""Files that go with a message are opened on its page: words, tables, pictures, and what is in them."""

import pytest
from django.urls import reverse

from agents.admin.evidence.highlights import Flagged, Highlight
from agents.admin.review.enclosures import (
    LARGEST_OPENED,
    LONGEST_SHOWN,
    MOST_ROWS,
    open_file,
    why_unread,
)
from agents.approval import due
from agents.dispatching.dispatch import call
from agents.exchange.folders import write_file
from inbox.rfc5322.parsed import ParsedAttachment
from tests import factories
from tests.documents import encrypted_pdf, pdf_of

pytestmark = pytest.mark.django_db

# One black pixel.
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b55"
    "0000000a49444154789c6360000000020001e221bc330000000049454e44ae426082"
)
TABLE = b"item;price\nBelt;348,00\nRoller;27,50\n"


def opened(name, content, content_type="application/octet-stream"):
    return open_file(ParsedAttachment(0, name, content_type, "", False, content), ())


def words_of(found):
    return "".join(one.text for one in found.words)


def cells_of(found):
    return [["".join(one.text for one in cell) for cell in row] for row in found.rows]


def test_each_kind_of_file_is_shown_as_what_it_is():
    assert cells_of(opened("list.csv", TABLE)) == [
        ["item", "price"], ["Belt", "348,00"], ["Roller", "27,50"],
    ]  # fmt: skip
    assert words_of(opened("note.txt", b"See you at 10.")) == "See you at 10."
    assert "348 EUR" in words_of(opened("invoice.pdf", pdf_of("Total 348 EUR")))
    picture = opened("logo.png", PNG).picture
    assert (picture.content_type, picture.width, picture.height) == ("image/png", 1, 1)
    assert opened("what.bin", b"\x00\x01\x02" * 30) is None


def test_a_document_without_words_says_why():
    def why(name, content):
        return why_unread(ParsedAttachment(0, name, "application/octet-stream", "", False, content))

    assert why("scan.pdf", pdf_of([])) == "no_words"
    assert why("locked.pdf", encrypted_pdf("secret")) == "encrypted"
    assert why("offer.docx", b"PK\x03\x04 no zip") == "damaged"
    assert why("offer.pdf", pdf_of("One") + b" " * LARGEST_OPENED) == "too_large"
    films = (
        ("film.mp4", b"\x00" * (LARGEST_OPENED + 1)),
        ("what.bin", b"\x00\x01" * 30),
        ("logo.png", PNG),
    )
    assert [why(*one) for one in (*films, ("offer.pdf", pdf_of("One")))] == [""] * 4


def test_what_a_file_is_called_makes_it_no_picture_and_no_table():
    assert opened("logo.png", b"<svg onload=alert(1)>") is None
    broken = opened("list.csv", b'a,"b\nc')
    assert "".join(cells_of(broken)[0]) == "ab\nc"
    assert opened("list.csv", b"\n\n") is None


def test_what_is_doubted_is_marked_in_a_cell_however_it_is_quoted():
    doubt = Flagged(Highlight("flag", 1), 'the "blue" belt', "")
    file = ParsedAttachment(0, "a.csv", "text/csv", "", False, b'x,"The ""Blue"" belt, 2 m"\n')
    found = open_file(file, [doubt])
    assert found.marked == 1
    assert [one.text for one in found.rows[0][1] if one.marks] == ['The "Blue" belt']


def test_what_is_long_is_cut_and_says_so():
    many = opened("list.csv", b"a,b\n" * (MOST_ROWS + 1))
    assert len(many.rows) == MOST_ROWS
    assert many.is_cut
    long = opened("note.txt", b"word " * LONGEST_SHOWN)
    assert len(words_of(long)) == LONGEST_SHOWN
    assert long.is_cut


@pytest.fixture
def approval(inbox, actor):
    for name, content in (("list.csv", TABLE), ("logo.png", PNG), ("note.txt", b"<b>Hi</b>\x01")):
        write_file(actor, f"out/{name}", content)
    given = {
        "account_id": inbox.account.public_id, "to": "ada@customer.example", "confirm": True,
        "subject": "Prices", "body": "Dear Ada,\n\nthe belt is 384.00 EUR, as in list.csv.",
        "attachments": ["out/list.csv", "out/logo.png", "out/note.txt"],
    }  # fmt: skip
    waits = call("email_send", given, actor).approval
    due.check_due([waits])
    return waits


def test_the_page_opens_them_and_marks_what_is_found_in_them(client, approval, reviewer):
    approval.marks = [{
        "kind": "amount", "part": "body", "excerpt": "384.00 EUR", "start": 25, "end": 35,
        "state": "differs", "expected": "348,00",
        "sources": [{"type": "attachment", "id": "", "excerpt": "Belt;348,00"}],
    }]  # fmt: skip
    approval.save(update_fields=["marks"])
    client.force_login(reviewer)
    text = client.get(reverse("review", args=[approval.public_id])).content.decode()
    assert '<mark class="mark-claim" data-marks="claim-1">348,00</mark>' in text
    assert "1 mark in it" in text
    assert "&lt;b&gt;Hi&lt;/b&gt;" in text
    assert text.count("<img ") == 1


def test_a_picture_is_handed_out_as_one_and_nothing_else_is(client, approval, reviewer):
    client.force_login(reviewer)
    answers = [
        client.get(reverse("review-picture", args=[approval.public_id, position]))
        for position in range(4)
    ]
    shown = [one for one in answers if one.status_code == 200]
    assert [one.status_code for one in answers].count(404) == 3
    assert [one["Content-Type"] for one in shown] == ["image/png"]
    assert shown[0]["X-Content-Type-Options"] == "nosniff"
    client.force_login(factories.make_person_user(factories.make_workspace("other"), name="eve"))
    assert client.get(shown[0].request["PATH_INFO"]).status_code == 404
