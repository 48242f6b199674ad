"""The one sender, and what is suspicious about it."""

from inbox.rfc5322.addresses.parsing import Address
from inbox.rfc5322.addresses.senders import Senders, read_senders
from inbox.rfc5322.headers import read_headers
from tests.cases import in_one_test


def senders(*lines: str) -> Senders:
    raw = "\r\n".join((*lines, "", "")).encode()
    return read_senders(read_headers(raw, 0, len(raw))[0])


def test_of_two_from_fields_the_first_counts_and_it_is_said():
    found = senders("From: a@hill.example", "From: evil@other.example")
    assert found.sender == Address("a@hill.example")
    assert [one.email for one in found.from_all] == ["a@hill.example", "evil@other.example"]
    assert found.anomalies == {"many_from", "several_authors"}


def test_of_several_authors_the_first_counts_and_it_is_said():
    found = senders("From: a@hill.example, evil@other.example")
    assert found.sender == Address("a@hill.example")
    assert found.anomalies == {"several_authors"}


def test_another_sender_is_said():
    found = senders("From: a@hill.example", "Sender: evil@other.example")
    assert found.sender == Address("a@hill.example")
    assert found.anomalies == {"sender_differs"}


def test_a_mailing_list_may_send_for_its_members():
    found = senders(
        "From: a@hill.example",
        "Sender: chairs-owner@lists.example",
        "List-Id: <chairs.lists.example>",
    )
    assert found.anomalies == frozenset()


def test_without_from_the_sender_is_taken_from_what_there_is():
    assert senders("Sender: s@hill.example").sender == Address("s@hill.example")
    assert senders("Return-Path: <r@hill.example>").sender == Address("r@hill.example")
    assert "missing_from" in senders("Return-Path: <r@hill.example>").anomalies


def test_a_from_without_an_address_is_sent_by_who_handed_it_in_under_the_name_shown():
    bounces = "Return-Path: <b12@parcels.example>"
    for field in (
        '"Parcels" <>',
        "Parcels",
        "Parcels <parcels,example>",
        "Parcels <@parcels.example>",
    ):
        found = senders(f"From: {field}", bounces)
        assert found.sender.email == "b12@parcels.example", field
        assert found.sender.name.startswith("Parcels"), field
        assert "bad_address" in found.anomalies, field
    found = senders("From: Parcels <>", "Sender: s@hill.example", bounces)
    assert found.sender == Address("s@hill.example", "Parcels")
    assert senders("From: Parcels <>").sender == Address("", "Parcels")


def test_an_address_in_quotes_inside_of_its_brackets_is_read():
    assert senders('From: "Club"<"news@club.example">').sender == Address(
        "news@club.example", "Club"
    )
    odd = Address('"two words"@club.example')
    assert senders('From: <"two words"@club.example>').sender == odd


def test_a_comma_that_nobody_quoted_belongs_to_the_name():
    found = senders("From: Prize Team ,_<win@prize.example>")
    assert found.sender.email == "win@prize.example"
    assert senders("From: Home, com <a@b.example>").sender == Address("a@b.example", "Home, com")


def test_answers_that_go_elsewhere_are_said():
    found = senders("From: a@hill.example", "Reply-To: a@other.example")
    assert found.anomalies == {"reply_to_differs"}


@in_one_test(
    ("header", "anomaly"),
    [
        ('"ceo@brook.example" <x@other.example>', "deceptive_name"),
        ("=?utf-8?q?ceo=40brook=2Eexample?= <x@other.example>", "deceptive_name"),
        ('"Ann <ann@brook.example>" <x@other.example>', "deceptive_name"),
        ("<ann@brook.example> x@other.example", "deceptive_name"),
        ('"Р\u0430yРal" <x@other.example>', "deceptive_name"),
        ('"CEO\u202emoc.koorb" <x@other.example>', "bidi_in_name"),
        ("=?utf-8?b?Q0VP4oCubW9j?= <x@other.example>", "bidi_in_name"),
        ('"Bank\u200b Support" <x@other.example>', "invisible_in_name"),
        ("Shop <x@br\u043eok.example>", "lookalike_domain"),
        ("Shop <x@xn--brok-4ye.example>", "lookalike_domain"),
        ("Somebody", "bad_address"),
    ],
)
def test_a_deceptive_sender_is_said(header: str, anomaly: str):
    assert anomaly in senders(f"From: {header}").anomalies


@in_one_test(
    "header",
    [
        "Ann Brook <ann@brook.example>",
        '"ann@brook.example" <ann@brook.example>',
        "=?utf-8?b?5p2x5Lqs44Gr44GV44KT?= <t@brook.example>",
        "Анна <anna@brook.example>",
        "Jörg <j@xn--bcher-kva.example>",
    ],
)
def test_an_honest_sender_is_not_suspected(header: str):
    assert senders(f"From: {header}").anomalies == frozenset()


# Left the header, right the name and the address; as phishing writes them, with other names.
BROKEN = [
    ("Shop Gutschein, <s@hill.example>", "Shop Gutschein", "s@hill.example"),
    ("Shop, Gutschein, <s@hill.example>", "Shop, Gutschein", "s@hill.example"),
    ("Shop Gutschein, office <s@hill.example>", "Shop Gutschein, office", "s@hill.example"),
    ("Shop ,_<s@hill.example>", "Shop", "s@hill.example"),
    ("Shop; Gutschein <s@hill.example>", "Shop, Gutschein", "s@hill.example"),
    ('"Shop", <s@hill.example>', "Shop", "s@hill.example"),
    ('"Shop, the big one!", Gutschein <s@hill.example>', "Shop, the big one!, Gutschein", "s@hill.example"),
    ("=?utf-8?q?Gutschein=2C_gratis?=, K. <s@hill.example>", "Gutschein, gratis, K.", "s@hill.example"),
    ("=?utf-8?q?Sch=C3=B6n?=, <s@hill.example>", "Schön", "s@hill.example"),
    ("Schön, gratis, <s@hill.example>", "Schön, gratis", "s@hill.example"),
    ("<s@hill.example>, Shop", "Shop", "s@hill.example"),
    ("s@hill.example, Shop, Gutschein", "Shop, Gutschein", "s@hill.example"),
    ("Shop, s@hill.example", "Shop", "s@hill.example"),
    ("Shop,(<s@hill.example>)", "Shop", "s@hill.example"),
    ("Shop (<s@hill.example>)", "Shop", "s@hill.example"),
    ("Shop (s@hill.example)", "Shop", "s@hill.example"),
    ("Shop <xq7@<s@hill.example>", "Shop", "s@hill.example"),
    ("Team: Shop, <s@hill.example>;", "Shop", "s@hill.example"),
    ("You <You>, Shop <s@hill.example>", "You You, Shop", "s@hill.example"),
    ("you@dale.example ,Thank You! ,_<s@hill.example>", "you@dale.example, Thank You!", "s@hill.example"),
    ('"Movies@Brook.example", <s@hill.example>', "Movies@Brook.example", "s@hill.example"),
]  # fmt: skip


@in_one_test(("header", "name", "email"), BROKEN)
def test_a_broken_from_with_one_address_has_a_sender_and_is_called_broken(header, name, email):
    found = senders(f"From: {header}")
    assert found.sender == Address(email, name)
    assert found.from_all == (found.sender,)
    assert "malformed_from" in found.anomalies
    assert not found.anomalies & {"bad_address", "several_authors", "missing_from"}


@in_one_test(
    ("header", "name", "email"),
    [
        (", <s@hill.example>", "", "s@hill.example"),
        ("Shop s@hill.example", "Shop", "s@hill.example"),
        ("Shop s@hill.example>", "Shop", "s@hill.example"),
        ("Shop <s@hill.example", "Shop", "s@hill.example"),
        ("<s@hill.example> Shop", "Shop", "s@hill.example"),
        ("s@hill.example (Shop, Gutschein)", "Shop, Gutschein", "s@hill.example"),
        ("Dr. J. R. Shop <s@hill.example>", "Dr. J. R. Shop", "s@hill.example"),
        ('"Shop, Gutschein" <s@hill.example>', "Shop, Gutschein", "s@hill.example"),
        ("=?utf-8?q?Gutschein=2C?= <s@hill.example>", "Gutschein,", "s@hill.example"),
        ("Team: Shop <s@hill.example>;", "Shop", "s@hill.example"),
    ],
)
def test_a_from_that_is_only_old_or_lax_is_not_called_broken(header, name, email):
    found = senders(f"From: {header}")
    assert (found.sender, found.anomalies) == (Address(email, name), frozenset())


@in_one_test("header", ["Shop", "Shop, Gutschein", "Shop <Shop>", "(Shop)", "Shop <@hill.example>", "Shop <s@>"])  # fmt: skip
def test_a_from_without_an_address_names_no_sender(header):
    assert senders(f"From: {header}").sender.email == ""


def test_a_from_in_raw_8_bit_has_its_sender():
    raw = "From: Schön, Grüße <s@hill.example>\r\n\r\n".encode("latin-1")
    headers = read_headers(raw, 0, len(raw))[0]
    assert read_senders(headers).sender == Address("s@hill.example", "Schön, Grüße")


@in_one_test(
    "header",
    [
        "ceo@brook.example <x@other.example>",
        '"ceo@brook.example", <x@other.example>',
        "ceo@brook.example, Hello!, <x@other.example>",
        "Ann (ceo@brook.example), <x@other.example>",
        "ceo@brook.example: <x@other.example>",
    ],
)
def test_the_address_in_brackets_is_the_sender_whatever_the_name_says(header):
    assert senders(f"From: {header}").sender.email == "x@other.example"


def test_a_name_that_lies_is_said_to_however_it_is_written():
    for header in (
        '"ceo@brook.example", <x@other.example>',
        "ceo@brook.example, Hello!, <x@other.example>",
        "Hello, ceo@brook.example, Bye <x@other.example>",
    ):
        found = senders(f"From: {header}")
        assert "deceptive_name" in found.anomalies
        assert "ceo@brook.example" in found.sender.name


def test_the_same_author_twice_is_one():
    found = senders("From: Shop, <s@hill.example.>, Shop, <s@Hill.example>")
    assert found.from_all == (Address("s@hill.example", "Shop"),)
    assert found.anomalies == {"malformed_from"}


def test_several_authors_of_a_broken_from_are_all_named():
    found = senders("From: Lee, Ann <a@hill.example>, Ben, <b@hill.example>")
    assert found.from_all == (
        Address("a@hill.example", "Lee, Ann"),
        Address("b@hill.example", "Ben"),
    )
    assert found.anomalies == {"malformed_from", "several_authors"}
