"""vCards as found in the wild, and what is written read again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inbox.formats.vcard import LONGEST_VALUE, Card, Property, TypedValue, read_cards, write_cards
from tests.cases import in_one_test, made_up

OLD = (
    b"BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=B6rg;;Dr.;\r\n"
    b"FN;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:J=F6rg M=FCller\r\n"
    b"TEL;CELL;VOICE:+49 170 5550100\r\nTEL;WORK;FAX:030-1\r\nEMAIL;PREF;INTERNET:joerg@mueller.example\r\n"
    b"NOTE;ENCODING=QUOTED-PRINTABLE:First line=0D=0A=\r\nsecond =3D line\r\n"
    b"PHOTO;JPEG;ENCODING=BASE64:\r\n /9j/4AAQ\r\n SkZJRg==\r\n\r\nEND:VCARD\r\n"
)
THREE = (
    b"BEGIN:VCARD\nVERSION:3.0\nN:Byron;Ada;Augusta,King;Countess;PhD\nFN:Ada Byron\n"
    b"item1.EMAIL;type=INTERNET;type=HOME:ada@home.example\nitem1.X-ABLabel:_$!<Home>!$_\n"
    b'EMAIL;TYPE="work,pref":ada@customer.example\n'
    b"TEL;TYPE=WORK:1\nTEL;TYPE=HOME:2\nORG:Customer\\; Sons;Looms\nTITLE:Engineer\\, first\n"
    b"NOTE:One\\nTwo \\\\ three\nBDAY:1815-12-10\nADR;TYPE=HOME:;;12 St James's;London;;;UK\n"
    b"URL:https://ada.example/a\n \tb\nEND:VCARD\n"
)
FOUR = (
    "\ufeffBEGIN:VCARD\r\nVERSION:4.0\r\nUID:urn:uuid:1\r\nFN:陳大文\r\nN:陳;大文;;;\r\n"
    "TEL;VALUE=uri;PREF=2;TYPE=home:tel:+1-555-555;ext=5\r\n"
    'TEL;VALUE=uri;PREF=1;TYPE="cell,voice":tel:+1-555-556\r\n'
    'EMAIL;PREF=1:mailto:chan@x.example\r\nX-ODD;X-SAYS="a:b;c^nd^\'":v\r\nEND:VCARD\r\n'
).encode()


def one(data):
    [card] = read_cards(data)
    return card


def test_a_card_of_2_1_is_read_in_its_charsets():
    card = one(OLD)
    assert (card.fn, card.family, card.given, card.prefix) == (
        "Jörg Müller",
        "Müller",
        "Jörg",
        "Dr.",
    )
    assert card.phones == (TypedValue("+49 170 5550100", "mobile"), TypedValue("030-1", "fax"))
    assert card.emails == (TypedValue("joerg@mueller.example"),)
    assert card.note == "First line\nsecond = line"
    assert card.others == (
        Property("PHOTO", "/9j/4AAQSkZJRg==", {"TYPE": ["JPEG"], "ENCODING": ["b"]}),
    )


@in_one_test(
    ("repeated", "wanted"),
    [
        (False, ["a@x.example", "b@x.example"]),
        (True, ["a@x.example", "b@x.example", "A@x.example"]),
    ],
)
def test_an_address_that_stands_twice_keeps_its_first_place(repeated, wanted):
    lines = "EMAIL:b@x.example\r\nEMAIL:A@x.example\r\nEMAIL;TYPE=pref:a@x.example\r\n"
    data = f"BEGIN:VCARD\r\nVERSION:3.0\r\nFN:A\r\n{lines}END:VCARD\r\n".encode()
    [card] = read_cards(data, repeated=repeated)
    assert [it.value for it in card.emails] == wanted


def test_a_card_of_3_0_is_read_with_groups_escapes_and_preference():
    card = one(THREE)
    assert (card.given, card.additional, card.prefix, card.suffix) == (
        "Ada",
        "Augusta King",
        "Countess",
        "PhD",
    )
    assert card.emails == (
        TypedValue("ada@customer.example", "work"),
        TypedValue("ada@home.example", "home"),
    )
    assert (card.org, card.department, card.title) == ("Customer; Sons", "Looms", "Engineer, first")
    assert card.note == "One\nTwo \\ three"
    assert [(each.group, each.name) for each in card.others] == [
        ("item1", "X-ABLABEL"), ("", "BDAY"), ("", "ADR"), ("", "URL"),
    ]  # fmt: skip
    assert card.others[3].value == "https://ada.example/a\tb"


def test_a_card_of_4_0_is_read_with_its_addresses_and_carets():
    card = one(FOUR)
    assert (card.fn, card.family, card.emails) == ("陳大文", "陳", (TypedValue("chan@x.example"),))
    assert card.phones == (TypedValue("+1-555-556", "mobile"), TypedValue("+1-555-555", "home"))
    assert card.others[1].params == {"X-SAYS": ['a:b;c\nd"']}


@in_one_test("data", [OLD, THREE, FOUR])
@in_one_test("version", ["3.0", "4.0"])
def test_what_is_unknown_is_written_back(data, version):
    card = one(data)
    again = one(write_cards([card], version))
    names = [each.name for each in card.others]
    assert [each.name for each in again.others] == names
    if version == "3.0" or "PHOTO" not in names:
        assert again == card


def test_a_photograph_becomes_a_data_address_in_4_0():
    assert b"PHOTO:data:image/jpeg;base64,/9j/4AAQSkZJRg==" in write_cards([one(OLD)])


text = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=60).map(
    lambda words: " ".join(words.split())
)
typed = st.builds(
    TypedValue,
    st.from_regex(r"[a-z0-9+]{1,40}", fullmatch=True),
    st.sampled_from(["work", "home", ""]),
)
phone = st.builds(
    TypedValue, st.from_regex(r"[0-9+ ]{0,5}[0-9]{1,20}", fullmatch=True).map(str.strip),
    st.sampled_from(["business", "home", "mobile", "fax", "other"]),
)  # fmt: skip
cards = st.builds(
    Card, fn=text.filter(bool), family=text, given=text, additional=text, prefix=text, suffix=text,
    emails=st.lists(typed, max_size=4, unique_by=lambda each: each.value).map(tuple),
    phones=st.lists(phone, max_size=4, unique_by=lambda each: each.value).map(tuple),
    org=text, department=text, title=text, note=st.lists(text, max_size=4).map(lambda lines: "\n".join(lines).strip()),
)  # fmt: skip


def test_a_component_that_ends_with_a_semicolon_keeps_it():
    written = [Card(fn="a", org="b", department=";")]
    assert read_cards(write_cards(written)) == written


@settings(max_examples=made_up(200))
@given(st.lists(cards, min_size=1, max_size=3), st.sampled_from(["3.0", "4.0"]))
def test_what_is_written_is_read_again_and_no_line_is_too_long(written, version):
    data = write_cards(written, version)
    assert read_cards(data) == written
    assert all(len(line) <= 75 for line in data.split(b"\r\n"))


@settings(max_examples=made_up(200))
@given(st.binary(max_size=300))
def test_whatever_stands_in_a_card_is_read_and_can_be_written(noise):
    [card] = read_cards(
        b"BEGIN:VCARD\r\nFN:a\r\n" + noise.replace(b"VCARD", b"") + b"\r\nEND:VCARD\r\n"
    )
    again = read_cards(write_cards([card]))
    assert len(again) == 1


@in_one_test("data", [b"", b"hello", b"BEGIN:VCARD\r\nFN:a", b"\x00" * 100, b"END:VCARD"])
def test_what_holds_no_card_is_refused(data):
    with pytest.raises(ValueError, match="contains no vCard"):
        read_cards(data)


def test_hostile_cards_are_bounded():
    many = b"\r\n".join(b"X-A%d:1" % number for number in range(2000))
    long = b"NOTE:" + b"x" * (LONGEST_VALUE + 1)
    card = one(b"BEGIN:VCARD\r\nFN:a\r\n" + long + b"\r\n" + many + b"\r\nEND:VCARD\r\n")
    assert (len(card.others), card.note) == (499, "")
    nested = b"BEGIN:VCARD\r\nFN:in\r\n" * 5000 + b"END:VCARD\r\n" * 5000
    assert one(nested).fn == "in"
    with pytest.raises(ValueError, match="more than"):
        read_cards(b"BEGIN:VCARD\nEND:VCARD\n" * 20_001)


def test_a_line_of_many_parameters_is_read_in_linear_time():
    assert one(b"BEGIN:VCARD\nTEL" + b';A="' * 15_999 + b":1\nEND:VCARD\n").phones == ()
    assert one(b"BEGIN:VCARD\nN:" + b"\\" * 60_000 + b"\nEND:VCARD\n").fn == "\\" * 30_000


@in_one_test("charset", [b"undefined", b"idna", b"punycode", b"zip", b"a\0b", b"no"])
def test_a_strange_charset_costs_no_other_card(charset):
    card = b"BEGIN:VCARD\nFN;CHARSET=" + charset + b":xn--\xff.\nEND:VCARD\n"
    assert len(read_cards(card + b"BEGIN:VCARD\nFN:Ada\nEND:VCARD\n")) == 2


def test_a_value_that_would_end_the_card_does_not():
    card = Card(
        fn="a\r\nEND:VCARD",
        note="b\nEND:VCARD\r\nBEGIN:VCARD",
        others=(Property("X-A", "1\nEND:VCARD"),),
    )
    assert one(write_cards([card])).others[0].value == "1\\nEND:VCARD"
