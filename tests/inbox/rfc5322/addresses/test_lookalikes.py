"""Domains and addresses that imitate others."""

from inbox.rfc5322.addresses.lookalikes import domain_deceives, is_lookalike, skeleton
from tests.cases import in_one_test

KNOWN = ("lantern.example", "brooktools.example", "ann@brooktools.example")


@in_one_test(
    ("text", "imitated"),
    [
        ("lantem.example", "lantern.example"),
        ("1antern.example", "lantern.example"),
        ("l\u0430ntern.example", "lantern.example"),
        ("lanterm.example", "lantern.example"),
        ("lantren.example", "lantern.example"),
        ("lanternn.example", "lantern.example"),
        ("lan-tern.example", "lantern.example"),
        ("lantern.test", "lantern.example"),
        ("lantern-billing.example", "lantern.example"),
        ("lantern.example.hill.test", "lantern.example"),
        ("x@brookt00ls.example", "brooktools.example"),
    ],
)
def test_an_imitation_names_what_it_imitates(text: str, imitated: str):
    assert is_lookalike(text, KNOWN) == imitated


@in_one_test(
    "text",
    [
        "lantern.example",
        "ann@lantern.example",
        "mail.lantern.example",
        "hill.example",
        "ben@brooktools.example",
    ],
)
def test_what_is_known_or_unlike_imitates_nothing(text: str):
    assert is_lookalike(text, KNOWN) is None


def test_a_name_that_looks_like_a_known_one_in_the_same_domain_is_found():
    assert is_lookalike("bil1ing@hill.example", ["billing@hill.example"]) == "billing@hill.example"


def test_short_names_are_not_compared_loosely():
    assert is_lookalike("ab.example", ["ac.example"]) is None


def test_a_domain_all_of_look_alike_letters_deceives():
    assert domain_deceives("\u0430\u0440\u0440\u0435.example")
    assert not domain_deceives("пример.example")
    assert not domain_deceives("bücher.example")


def test_pairs_of_letters_look_like_one():
    assert skeleton("rnodem") == skeleton("modem")


def test_a_subdomain_of_a_known_domain_imitates_no_other_known_one():
    known = ["lantern.example", "lantern.test"]
    assert is_lookalike("news.lantern.example", known) is None
    assert is_lookalike("news.lantern.example", ["lantern.test"]) == "lantern.test"
    assert is_lookalike("lantern.example.evil.test", known) == "lantern.example"
