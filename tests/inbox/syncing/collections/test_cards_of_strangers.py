"""What other programs leave in cards: marks that were copied along, names without parts, NULs."""

import pytest

from inbox.models import Person
from inbox.operations.contacts.cards import CardChanges, CardEmail
from inbox.operations.contacts.contacts import update_contact
from inbox.syncing.collections.reading import uid_of
from tests.cases import in_one_test
from tests.inbox.syncing.collections.cards import card
from tests.inbox.syncing.collections.mirrored import found, keep, make_collection, written

pytestmark = pytest.mark.django_db
# As iOS and browsers copy them, and as people type them.
NUMBERS = [
    "\u202a+49 170 1\u202c", "+49\u00a0170\u00a01", "+49  170   1", "+49\t170 1",
]  # fmt: skip
ADDRESSES = {
    "a@x.example": "Ada <a@x.example>", "b@x.example": "<b@x.example>",
    "c@x.example": "mailto:c@x.example", "d@x.example": "\u202ad@x.example\u202c",
    "e@x.example": "e@x.example\u200b", "f@x.example": "F@X.example",
    "g@xn--bcher-kva.example": "g@bücher.example",
}  # fmt: skip


@pytest.fixture
def book(inbox):
    return make_collection(inbox.account, "contacts")


def change(actor, key, **changes):
    update_contact(actor=actor, person=Person.objects.get(pk=key), changes=CardChanges(**changes))


def lines_of(raw, name):
    return [line for line in raw.decode().split("\r\n") if line.startswith(name)]


@in_one_test("said", NUMBERS)
def test_a_number_is_found_on_its_card_however_it_is_written(book, actor, said):
    [key] = keep(book, card("Ada", f"TEL;TYPE=CELL:{said}", "TEL;TYPE=HOME:+1"))
    assert found(book, key)["tel/+49 170 1"] == "mobile"
    change(actor, key, phones={"mobile": [], "business": ["+49 170 1"]})
    assert lines_of(written(book, key), "TEL") == [f"TEL;TYPE=WORK:{said}", "TEL;TYPE=HOME:+1"]
    change(actor, key, phones={"business": []})
    assert lines_of(written(book, key), "TEL") == ["TEL;TYPE=HOME:+1"]


@in_one_test(("email", "said"), list(ADDRESSES.items()))
def test_an_address_is_found_on_its_card_however_it_is_written(book, actor, email, said):
    other = f"other-{email}"
    [key] = keep(book, card("Ada", f"EMAIL:{other}", f"EMAIL;TYPE=HOME:{said}"))
    change(actor, key, emails=[CardEmail(email, kind="work"), CardEmail(other)])
    assert lines_of(written(book, key), "EMAIL") == [
        f"EMAIL:{other}", f"EMAIL;TYPE=WORK;TYPE=pref:{said}",
    ]  # fmt: skip
    change(actor, key, emails=[CardEmail(other)])
    assert lines_of(written(book, key), "EMAIL") == [f"EMAIL:{other}"]


def test_a_number_that_stands_twice_on_its_card_goes_with_both_lines(book, actor):
    raw = card("Ada", *(f"TEL;TYPE=CELL:{said}" for said in NUMBERS))
    [key] = keep(book, raw)
    change(actor, key, phones={"mobile": []})
    assert lines_of(written(book, key), "TEL") == []


@in_one_test(
    ("lines", "wanted"),
    [
        (["FN:Ada Byron"], "N:;Ada Byron;;Dr."),
        (["FN:Ada Byron", "N:;;;;"], "N:;Ada Byron;;Dr.;"),
        # What stands in place of a name is none.
        (["FN:ada@x.example", "N:;;;;", "EMAIL:ada@x.example"], "N:;;;Dr.;"),
        (["FN:Lantern Works", "N:;;;;", "ORG:Lantern Works"], "N:;;;Dr.;"),
    ],
)
def test_a_name_that_only_the_whole_one_says_is_kept(book, actor, lines, wanted):
    body = "".join(f"{line}\r\n" for line in lines)
    [key] = keep(book, f"BEGIN:VCARD\r\nVERSION:3.0\r\n{body}END:VCARD\r\n".encode())
    change(actor, key, name_prefix="Dr.")
    assert lines_of(written(book, key), "N:") == [wanted]


def test_a_uid_has_no_nul():
    assert uid_of(b"BEGIN:VCARD\r\nUID:a\x00b\r\nEND:VCARD\r\n") == "ab"
