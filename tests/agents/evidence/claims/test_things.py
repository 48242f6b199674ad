"""Whether a value is that of the thing a message speaks of, as it is now and where its reader is."""

from datetime import date, time

import pytest

from agents.evidence.claims.check import check_claims
from agents.evidence.claims.records import Named, ProposedMessage, Source

MIRA = Named("Mira Holt", "mira@lantern.example")
WRITTEN = date(2026, 11, 24)


def doubts(body, *sources, to="bev@inn.example", **fields):
    """Return what is doubted of a message: its words, and what they should be."""
    proposed = ProposedMessage(
        "", body, WRITTEN, greeted=(Named("", to),), sender=MIRA, zone="Europe/Madrid", **fields
    )
    found = check_claims(proposed, sources, known=proposed.greeted)
    return {it.excerpt: it.expected for it in found if it.state != "found"}


def mail(text, day=12, by="bev@inn.example", thread="1", **fields):
    return Source(
        "message", f"{by}{day}", text, date(2026, 11, day), by=by, thread=thread, **fields
    )


def file(path, text, day=12):
    return Source("file", path, f"{path}\n{text}", date(2026, 11, day), is_ours=True)


LOWERED = (
    mail("Re: Group\nThe single room is 118 EUR a night, the double room is 146 EUR.", 17),
    mail("Re: Group\nFor the single room I can go down to 115 EUR a night.", 20),
)


def test_a_price_that_its_writer_has_lowered_since_differs():
    assert doubts("We take the single room for 118 EUR a night.", *LOWERED) == {
        "118 EUR": "115 EUR"
    }
    assert doubts("We take the single room for 115 EUR a night.", *LOWERED) == {}
    assert doubts("The double room stays at 146 EUR.", *LOWERED) == {}


def test_a_message_that_has_the_old_value_and_the_new_one_is_right():
    said = "Thank you for 115 EUR a night in place of 118 EUR for the single room."
    assert doubts(said, *LOWERED) == {}


def test_what_somebody_else_wrote_later_changes_nothing():
    other = mail(
        "Re: Group\nThe single room is 99 EUR.", 20, by="ann@elsewhere.example", thread="2"
    )
    assert doubts("We take the single room for 118 EUR a night.", LOWERED[0], other) == {}


def test_a_value_of_the_version_before_differs():
    first = file("/quotes/D-118-v1.txt", "45 people\nDeposit 40 %: 9,147.60 EUR", 3)
    second = file("/quotes/D-118-v2.txt", "42 people\nDeposit 40 %: 8,537.76 EUR", 16)
    asked = mail("How much is the deposit?", 20)
    said = "The deposit is {} EUR."
    assert doubts(said.format("9,147.60"), asked, first, second) == {"9,147.60 EUR": "8,537.76 EUR"}
    assert doubts(said.format("8,537.76"), asked, first, second) == {}
    other = file("/quotes/D-119-v2.txt", "42 people\nDeposit 40 %: 8,537.76 EUR", 16)
    assert doubts(said.format("9,147.60"), asked, first, other) == {}


def test_a_quote_with_a_letter_behind_its_number_follows_the_one_without():
    first = mail("Offer\nQuote D-2207: 320 m² at 84.00 EUR, in all 26,880.00 EUR.", 13)
    second = mail("Re: Offer\nQuote D-2207-B: 300 m² at 86.00 EUR, in all 25,800.00 EUR.", 20)
    assert doubts("We accept the 26,880.00 EUR.", first, second) == {
        "26,880.00 EUR": "25,800.00 EUR"
    }
    other = mail("Re: Offer\nQuote D-2208: 300 m² at 86.00 EUR, in all 25,800.00 EUR.", 20)
    assert doubts("We accept the 26,880.00 EUR.", first, other) == {}


ASKED = mail(
    "Call\nCould we talk on Tuesday 1 December at 11:00? Ken, +81 3 5555 0188",
    20,
    by="ken@aomori.example",
)


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("On 1 December at 11:00 your time, which is 3:00 here.", {}),
        ("On 1 December at 11:00 your time, which is 5:00 here.", {"5:00"}),
        ("Your 11:00 is 3:00 here on 1 December.", {}),
        ("Your 11:00 is 4:00 here on 1 December.", {"4:00"}),
        ("On 1 December at 11:00 for you and 3:00 in Madrid.", {}),
        ("On 1 December at 11:00 for you and 2:00 in Madrid.", {"2:00"}),
    ],
)
def test_a_moment_on_two_clocks_is_held_against_where_its_reader_telephones(said, wrong):
    assert doubts(said, ASKED, to="ken@aomori.example").keys() == set(wrong)


def test_two_clocks_of_nobody_knows_where_are_believed():
    asked = mail("Call\nCould we talk on Tuesday 1 December at 11:00?", 20)
    assert doubts("On 1 December at 11:00 your time, which is 5:00 here.", asked) == {}


def test_a_time_that_a_mail_came_at_is_known():
    came = mail("Offer\nI am here until 18:00.", 23, at=time(15, 37))
    assert doubts("Your mail of 15:37 is here.", came) == {}
    assert doubts("Your mail of 15:47 is here.", came).keys() == {"15:47"}


def test_a_count_that_no_source_has_is_marked_only_where_counts_are_spoken_of():
    asked = mail("Dinner\nHow many people come? We have room for 60 people.", 20)
    assert doubts("Now 47 people come.", asked).keys() == {"47 people"}
    assert doubts("Now 47 people come.", mail("Dinner\nWho comes?", 20)) == {}
    assert doubts("Now 47 people come.", mail("Dinner\nWe have 60 chairs. Who comes?", 20)) == {}
    assert doubts("It is 196,00 net for you.", mail("Dinner\nIs it 60 net?", 20)) == {}


DINNER = file(
    "/invoices/F-2026-198.txt",
    "INVOICE F-2026-198\nDinner of the sales team, Restaurant Nansa\n70 covers",
)
DEPOSIT = file(
    "/invoices/F-2026-203.txt", "INVOICE F-2026-203\nDeposit for the yearly meeting, Espai Drassana"
)


def test_the_number_of_another_document_than_the_one_that_is_told_of_differs():
    asked = mail("Invoice\nWhich invoice is still open?", 20)
    said = "It is invoice {} for the dinner of your sales team at the Nansa restaurant, 70 covers."
    wrong = doubts(said.format("F-2026-203"), asked, DINNER, DEPOSIT)
    assert wrong == {"F-2026-203": "F-2026-198"}
    assert doubts(said.format("F-2026-198"), asked, DINNER, DEPOSIT) == {}
    both = (
        "F-2026-203 is the deposit for the meeting, F-2026-198 the dinner at the Nansa restaurant."
    )
    assert doubts(both, asked, DINNER, DEPOSIT) == {}


def test_the_bank_account_of_another_house_than_the_one_that_is_named_differs():
    ours = file("/own.txt", "Our bank: Harbour Savings Bank, DE44 5209 0000 0071 3308 12")
    theirs = file("/aero.txt", "Aeropoint\nPayable to DE71 2505 0180 0910 4427 35 in seven days")
    asked = mail("Bank\nWhich?\nWe pay on Friday.\nThe van is red.\nIt rains.\nSee you.\nBev")
    said = "You find us at Harbour Savings Bank, {}."
    account = "DE71 2505 0180 0910 4427 35"
    wrong = doubts(said.format(account), asked, ours, theirs)
    assert wrong == {account: "DE44 5209 0000 0071 3308 12"}
    assert doubts(said.format("DE44 5209 0000 0071 3308 12"), asked, ours, theirs) == {}


CONTRACT = file(
    "/contract.txt", "HALL CONTRACT\nCancellation: 45 days' notice in writing.\nDeposit: 500 EUR"
)
TERMS = file(
    "/suppliers.txt", "SUPPLIERS\nInvoices of suppliers are paid 30 days after their date."
)


def test_the_term_of_something_else_differs():
    asked = mail("Hall\nWhat if the client cancels the hall?", 20)
    said = "For a cancellation the contract wants {} days' notice in writing."
    assert doubts(said.format(30), asked, CONTRACT, TERMS).keys() == {"30 days"}
    assert doubts(said.format(45), asked, CONTRACT, TERMS) == {}


def test_a_term_that_the_message_denies_is_no_other_one():
    asked = mail("Dixon\nHas Gordon said anything about Dixon, who was after 60 days?", 20)
    granted = mail("Terms\n45 days is fine.", 21, by="gordon@lantern.example", thread="2")
    assert doubts("Gordon said yes to 45 days for Dixon, not 60.", asked, granted) == {}
    assert doubts("Gordon said yes to 45 days for Dixon.", asked, granted) == {"45 days": "60 days"}


def test_a_term_that_the_message_counts_itself_is_right():
    asked = mail("Hall\nWhen do you pay?", 20)
    said = "In writing we cancel on 1 December 2026, which is 30 days before 31 December 2026."
    assert doubts(said, asked, CONTRACT, TERMS).keys().isdisjoint({"30 days"})


def test_a_day_and_a_time_that_were_offered_together_belong_together():
    offer = mail(
        "Appel\nJe propose un appel mardi 1er décembre à 10 h ou jeudi 3 décembre à 9 h.", 20
    )
    said = "Pour l'appel, je vous propose le jeudi 3 décembre à 9 h ; mardi à 10 h je suis sorti."
    assert doubts(said, offer, language="fr") == {}
    wrong = "Pour l'appel, je prends le jeudi 3 décembre à 10 h."
    assert doubts(wrong, offer, language="fr").keys() == {"10 h"}


def test_a_weight_of_the_same_number_is_no_length():
    asked = mail("Van\nThe motor weighs 31 kg. What does the journey cost?", 20)
    assert doubts("The journey of 31 miles is free.", asked).get("31 miles", "") == ""
    assert doubts("The motor weighs 31 lb.", asked) == {"31 lb": "31 kg"}
