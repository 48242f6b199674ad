"""Every kind of the deck makes a letter, in each language, that has its fault in it and can be sealed."""

import random
import re
from datetime import date

import pytest

from agents.planted import deck as decks
from agents.planted import facts
from agents.planted.deck import FEWEST, LANGUAGES, DeckError, deck, title_of
from agents.planted.writing import STRANGERS, Source, read_source, suits, write_letter
from calendar_app.icalendar import read_itip
from inbox.operations.drafts.replying import plan_reply_to
from tests.agents.planted.making import make_letter
from tests.cases import in_one_test

TODAY = date(2026, 11, 27)


@pytest.fixture
def source_in(inbox):
    """Return what a message in a language can be answered with."""

    def source_in(language="en", **given) -> Source | None:
        message = make_letter(inbox, language, **given)
        return read_source(plan_reply_to(message), message.new_text, TODAY)

    return source_in


def test_there_are_enough_kinds_of_letters_meetings_and_shares():
    codes = set(deck())
    assert len(codes) >= FEWEST
    assert sum(kind.meeting is not None for kind in deck().values()) >= 3
    assert sum(code.startswith("share_") for code in codes) >= 3


@pytest.mark.django_db
@in_one_test("language", LANGUAGES)
def test_every_kind_makes_a_letter_with_its_fault_in_it(source_in, language):
    source = source_in(language)
    assert source is not None
    for kind in deck().values():
        assert suits(kind, source), kind.code
        letter = write_letter(kind, source, random.Random(3))
        people = " ".join(one["email"] for one in (*letter.to, *letter.cc))
        said = f"{letter.subject} {letter.body} {people}".casefold()
        assert letter.wrong.casefold() in said, kind.code
        assert letter.wrong != letter.expected, kind.code
        assert not re.search(r"[{}]", letter.body + letter.wrong + letter.expected), kind.code
        assert letter.body.startswith(("Dear ", "Guten Tag ")), kind.code
        if kind.meeting is None:
            assert letter.expected.casefold() not in f"{letter.body.casefold()} {people}" or (
                kind.code in _BOTH or not letter.expected
            ), kind.code
        else:
            event = read_itip(letter.calendar.encode()).events[0]
            assert [one.email for one in event.attendees] == [one["email"] for one in letter.to]


# They contradict themselves: what is right stands in them too.
_BOTH = {"link_to_another_host", "another_address_for_goods", "another_name_in_the_greeting"}


@pytest.mark.django_db
def test_nobody_is_written_to_but_the_correspondent_somebody_alike_and_reserved_names(source_in):
    source = source_in()
    for kind in deck().values():
        letter = write_letter(kind, source, random.Random(3))
        people = {one["email"] for one in (*letter.to, *letter.cc)}
        usual = {"ada0@customer.example", facts.likeness_of("ada0@customer.example"), *STRANGERS}
        assert people <= usual, kind.code
    assert all(email.endswith(".example") for email in STRANGERS)


@pytest.mark.django_db
def test_what_a_message_does_not_state_is_not_stated_wrongly(source_in):
    source = source_in(text="Could you call me back?")
    left = [kind.code for kind in deck().values() if not suits(kind, source)]
    assert set(left) == {kind.code for kind in deck().values() if kind.needs}


@pytest.mark.django_db
def test_mail_in_another_language_is_left_alone(source_in):
    assert source_in("fr") is None
    assert source_in("") is None


AMOUNTS = (
    ("over 4.500,00 € until", "4.500,00 €", "5.400,00 €", "45.000,00 €", "4.500,00 $"),
    ("pay €1,200.50 now", "€1,200.50", "€2,100.50", "€12,000.50", "$1,200.50"),
    ("CHF 550 or so", "CHF 550", "CHF 650", "CHF 5500", "USD 550"),
    ("$99 a month", "$99", "$19", "$990", "€99"),
)


@in_one_test(("text", "amount", "other", "tenfold", "foreign"), AMOUNTS)
def test_amounts_are_found_and_made_wrong(text, amount, other, tenfold, foreign):
    assert facts.find_facts(text).amount == amount
    assert facts.tenfold(amount) == tenfold
    assert facts.other_currency(amount) == foreign
    assert facts.transposed(amount) != amount


@in_one_test(
    ("email", "like"),
    (("ada@customer.example", "ada@custorner.example"), ("x@zz.de", "x@zzs.de")),
)
def test_an_address_that_looks_alike_is_another(email, like):
    assert facts.likeness_of(email) == like


def test_years_and_amounts_are_no_reference_numbers():
    assert facts.find_facts("In 2026 we sold it for 4500 EUR").number == "4500"
    assert facts.find_facts("In 2026 we met").number == ""


@in_one_test(
    ("page", "words"),
    (
        ("- code: Bad Code", "code: String should match pattern"),
        ("- code: some_kind\n  more: 1", "Field required"),
        ("[", "while parsing"),
    ),
)
def test_a_file_that_cannot_be_used_names_itself_and_the_field(tmp_path, page, words):
    path = tmp_path / "odd.yaml"
    path.write_text(page)
    with pytest.raises(DeckError, match=r"odd\.yaml") as caught:
        decks._read(path)
    assert words in str(caught.value)


def test_a_kind_of_another_version_is_named_by_its_code():
    assert title_of("gone_since", "en") == "gone since"
    assert title_of("password_in_the_text", "de-at") == "Ein Passwort im Text"
