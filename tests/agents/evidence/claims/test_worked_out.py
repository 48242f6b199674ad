"""What a message reads, counts and works out rightly is not doubted: days, times, amounts, names."""

from datetime import date, time

import pytest

from agents.evidence.claims.check import check_claims
from agents.evidence.claims.readers.moments import TIMES
from agents.evidence.claims.records import Mark, Named, ProposedMessage, Source
from inbox.rfc5322.text.language import detect_language
from tests.cases import in_one_test

# A Tuesday.
TODAY = date(2026, 11, 24)
NORA = Named("Nora Quinn", "nora@quarry.example")


def mail(text: str, language: str = "en", day: int = 20) -> Source:
    return Source(
        "message", f"mail {day}", f"Our matter\n{text}", date(2026, 11, day), language=language,
        by=NORA.email, people=(NORA,),
    )  # fmt: skip


def file(text: str) -> Source:
    return Source("file", text[:9], f"/files/{text[:9]}.txt\n{text}", TODAY, is_ours=True)


def doubts(body: str, *sources: Source, to: Named = NORA, language: str = "") -> list[Mark]:
    proposed = ProposedMessage(
        "", body, TODAY, language or detect_language(body), (to,), zone="Europe/Berlin"
    )
    return [it for it in check_claims(proposed, sources, known=(to,)) if it.state != "found"]


def told(*given, **fields) -> list[tuple[str, str, str]]:
    return [(it.kind, it.excerpt, it.state) for it in doubts(*given, **fields)]


def test_a_day_without_its_year_is_of_the_year_that_its_source_has():
    offer = mail("We open on 5 September 2027 and close on 14 November 2027.")
    assert told("So you open on Sunday, 5 September, and close on 14 November.", offer) == []
    assert told("So you open on Saturday, 5 September 2026.", offer) != []
    assert told("So you open on Friday, 5 September.", offer)[0][1] == "Friday"


def test_a_day_without_its_year_may_be_of_that_of_another_day_of_the_message():
    body = "The loan runs until 30 November 2027, and we call on Sunday, 29 August."
    source = mail("Until 30 November 2027, and call on 29 August, please.")
    assert [it for it in told(body, source) if it[0] == "weekday"] == []
    assert told("We call on Sunday, 29 August.", mail("Call on 29 August, please.")) == [
        ("weekday", "Sunday", "differs")
    ]


def test_months_may_be_written_without_their_accents():
    paper = file("La garantie court du 15 fevrier 2027 au 9 aout 2027.")
    asked = mail("Quand la garantie court-elle ?", "fr")
    assert (
        told("La garantie court du 15 février au 9 août 2027.", asked, paper, language="fr") == []
    )
    late = told("La garantie court du 17 février au 9 août 2027.", asked, paper, language="fr")
    assert late[0][:2] == ("date", "17 février")


def test_a_day_of_a_week_that_the_message_names_is_found():
    source = mail("You may start in the week of 7 December, on a Wednesday.")
    body = "We start in the week of 7 December, so the first day is Wednesday, 9 December."
    assert told(body, source) == []
    assert told("We start on Wednesday, 16 December.", source) != []


def test_a_day_by_its_number_is_of_the_month_right_before_it():
    source = mail("The report is due on 31 January. I am away from the 25th.")
    body = "It is due on 31 January, a Sunday, so you will have it by Friday the 29th."
    assert told(body, source) == []


READ = [
    ("de", "Dass Raum 3 am 18. Januar belegt ist, wissen wir.", []),
    ("en", "We open at 3 am on Monday.", [time(3)]),
    ("en", "The lorry is 9.80 m long and 3.45 m high.", []),
    ("fr", "Vous partez à 8 h 30 et arrivez vers 11 heures.", [time(8, 30), time(11)]),
    ("fr", "Le dépôt est à 2 heures de route.", []),
]


@in_one_test(("language", "text", "times"), READ)
def test_what_is_no_time_is_read_as_none_and_what_is_one_as_one(language, text, times):
    assert [it.key for it in TIMES.read(text, TODAY, language)] == times, text


def test_a_time_ends_the_length_that_is_spoken_of():
    source = mail("Could we begin at 10:30, for 45 minutes? Nora")
    assert told("10:30 suits me, I keep the time until 11:15 free.", source) == []
    assert told("10:30 suits me, I keep the time until 11:45 free.", source) != []
    offer = mail("We start at 4 pm. You would have 30 minutes plus 15 for questions.")
    assert told("30 minutes and 15 for questions: that is 4 pm to 4:45 pm.", offer) == []


def test_one_moment_is_told_on_two_clocks():
    phone = "+353 1 555 0462"
    source = mail(f"Shall we speak on Tuesday, 8 December, at 3pm, Irish time?\n{phone}")
    body = "I choose Tuesday, 8 December, 3pm Irish time, {} for me."
    assert told(body.format("4pm"), source) == []
    assert told(body.format("5pm"), source) != []


def test_whose_clock_a_time_is_on_is_not_told_by_the_next_sentence():
    source = mail("2 pm my time is fine. Our dock is open until 4 pm.\n+44 20 7946 0958")
    assert (
        told("We speak at 2 pm your time, and you are open until 4 pm. Here is more.", source) == []
    )


CREDIT = (
    file("Invoice 3381, 690.80 EUR in all, 2 % discount if paid by Friday."),
    mail("We give you a credit of 29.75 EUR for the missing posters."),
)


def test_what_is_left_after_a_credit_and_a_discount_is_worked_out():
    body = "We pay {} EUR, that is after the credit and the discount."
    assert told(body.format("647.83"), *CREDIT) == []
    assert told(body.format("651.83"), *CREDIT) != []


def test_a_list_without_its_currency_is_added_up_though_the_mail_names_another_one():
    listed = mail(
        "open are\nNorth A-1 577.20\nNorth A-2 657.60\nSouth A-3 1,309.20\nand EUR 612.00 went to Warsaw."
    )
    assert told("That makes £2,544.00, of which £1,234.80 is North's.", listed) == []
    assert told("That makes £2,545.10.", listed) != []


def test_a_sum_with_a_part_that_has_no_figure_is_not_taken_for_the_product_before_it():
    price = mail("One is 118.00 EUR.")
    body = "120 at 118.00 EUR are 14,160.00 EUR, and with the freight it comes to 14,800.00 EUR."
    assert [it for it in told(body, price) if it[2] == "differs"] == []
    wrong = told("120 at 118.00 EUR are 14,800.00 EUR.", price)
    assert wrong == [("amount", "14,800.00 EUR", "differs")]


def test_what_products_make_together_is_added_up_rightly():
    prices = mail("A night is EUR 118, a day is EUR 85.")
    body = "Four nights at EUR 118 make EUR 472, five days at EUR 85 make EUR 425. We set aside EUR {}."
    assert told(body.format(897), prices) == []
    assert [it.expected for it in doubts(body.format(907), prices)] == ["EUR 897"]


def test_a_time_is_no_price():
    body = "There are 22 pupils on Friday at 13.30 uur, dus samen 288,00 euro."
    assert [
        it for it in told(body, mail("22 pupils", "nl"), language="nl") if it[2] == "differs"
    ] == []


def test_a_share_of_all_that_is_added_up_is_worked_out():
    grant = mail("How would the grant be spent?")
    body = (
        "That makes 34,200 EUR for fees, 7,800 EUR for rooms and 6,000 EUR for us."
        " The 3,200 EUR are nearly {} % of the total."
    )
    assert [it for it in told(body.format(7), grant) if it[0] == "percentage"] == []
    assert [it for it in told(body.format(12), grant) if it[0] == "percentage"] != []


def test_what_is_left_of_a_long_count_is_worked_out():
    order = mail("The book has 38,000 words.")
    body = "You get the first {} words on Monday, the other 16,500 words follow."
    assert "16,500 words" not in [it[1] for it in told(body.format("21,500"), order)]
    assert "16,500 words" in [it[1] for it in told(body.format("20,500"), order)]


NAMES = [
    ("Pani Zielińska", "Zieliński"),
    ("panią Zielińską", "Zielińska"),
    ("Pani Zielińskiej", "Zieliński"),
]


@pytest.mark.parametrize(("said", "name"), NAMES)
def test_a_name_that_is_an_adjective_is_declined(said, name):
    to = Named(f"Marek {name}", "marek@mill.example")
    body = f"Dzień dobry,\n\nproszę pozdrowić: {said} czeka na nas we wtorek."
    assert [it for it in told(body, mail("Do zobaczenia!", "pl"), to=to) if it[0] == "name"] == []


def test_a_value_of_the_same_words_is_only_another_ones_where_the_two_stand_together():
    prices = mail("The large room is 410 EUR, the small room is 180 EUR.")
    assert told("We take the small room for 410 EUR.", prices) == [("amount", "410 EUR", "differs")]
    elsewhere = (mail("The large hall is 410 EUR."), mail("The small room is 180 EUR.", day=21))
    assert told("We take the small room for 410 EUR.", *elsewhere) == []


def test_what_a_rule_allows_is_no_other_term_because_of_one_that_is_given_up():
    rule = Source(
        "policy",
        "rules",
        "Firms pay within 14 days; we extend once, to 30 days from the invoice.",
        TODAY,
    )
    asked = mail(
        "About invoice RE-2026-0421 for the course: could you give us 45 days instead of 14 days?"
    )
    body = "Invoice RE-2026-0421 for the course: 45 days are too long, but 30 days we can do."
    assert told(body, asked, rule) == []


def test_so_many_weeks_from_today_to_a_day_that_is_spoken_of_are_no_old_term():
    first = Source(
        "file", "1", "/terms-v1.txt\nReturned within 14 days of the delivery.", TODAY, is_ours=True
    )
    second = Source(
        "file", "2", "/terms-v2.txt\nReturned within 21 days of the delivery.", TODAY, is_ours=True
    )
    visit = mail("See you on Tuesday, 8 December!")
    assert told("We see you on Tuesday in 14 days.", visit, first, second) == []


def test_of_two_numbers_in_a_sentence_an_amount_is_of_the_one_beside_it():
    prices = mail("Course A2 is 650 EUR. If you leave A2 early we keep 25 EUR.")
    listed = file("A1 is 620 EUR\nPL is 295 EUR")
    assert told("A2 is 650 EUR and Polish 295 EUR.", prices, listed) == []


def test_a_slip_is_of_the_same_magnitude():
    source = mail("The order is 1,536.00 EUR.")
    assert [it.expected for it in doubts("You saved us 51.36 EUR!", source)] == [""]
    assert [it.expected for it in doubts("The order is 1,563.00 EUR.", source)] == ["1,536.00 EUR"]
