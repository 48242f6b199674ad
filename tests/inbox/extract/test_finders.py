"""Dates, sums, numbers, times and contact data in the notations people use."""

from datetime import date
from decimal import Decimal

import regex

from inbox.extract.readers.contacts import (
    find_companies,
    find_emails,
    find_ibans,
    find_phones,
    find_urls,
)
from inbox.extract.readers.dates import find_dates
from inbox.extract.readers.identifiers import find_identifiers, find_matching
from inbox.extract.readers.numbers import find_amounts, read_number
from inbox.extract.readers.places import find_postal_addresses
from inbox.extract.readers.times import find_lengths, find_times
from tests.cases import in_one_test

MONDAY = date(2026, 3, 2)


@in_one_test(
    ("text", "language", "days"),
    [
        ("2026-03-14", "en", ["2026-03-14"]),
        ("14.03.2026 und 15.3.", "de", ["2026-03-14", "2026-03-15"]),
        ("14/03/2026", "en", ["2026-03-14"]),
        ("03/04/2026 at 3 pm", "en", ["2026-03-04"]),
        ("03/04/2026", "fr", ["2026-04-03"]),
        ("March 14th, 2026", "en", ["2026-03-14"]),
        ("the 3rd of April 2026", "en", ["2026-04-03"]),
        ("14-Mar-2026", "en", ["2026-03-14"]),
        ("Friday, 13 March 2026", "en", ["2026-03-13"]),
        ("14. März", "de", ["2026-03-14"]),
        ("am 5. Dezember", "de", ["2025-12-05"]),
        ("14 de marzo de 2026", "es", ["2026-03-14"]),
        ("le 1er mars 2026", "fr", ["2026-03-01"]),
        ("2026年3月14日(土)", "ja", ["2026-03-14"]),
        ("3月14日", "ja", ["2026-03-14"]),
        ("١٤ مارس ٢٠٢٦", "ar", ["2026-03-14"]),
        ("from 14 to 17 May 2026", "en", ["2026-05-14", "2026-05-17"]),
        ("vom 3. bis 7. August", "de", ["2026-08-03", "2026-08-07"]),
        ("June 3-5, 2026", "en", ["2026-06-03", "2026-06-05"]),
        ("6-7 May 2026", "en", ["2026-05-06", "2026-05-07"]),
        ("6./7. Mai", "de", ["2026-05-06", "2026-05-07"]),
        ("les 6 et 7 mai", "fr", ["2026-05-06", "2026-05-07"]),
        ("op 6 en 7 mei", "nl", ["2026-05-06", "2026-05-07"]),
        ("il 6 e 7 maggio", "it", ["2026-05-06", "2026-05-07"]),
        ("de 6 a 8 de maio", "pt", ["2026-05-06", "2026-05-08"]),
        ("6 i 7 maja", "pl", ["2026-05-06", "2026-05-07"]),
        ("den 6 och 7 maj", "sv", ["2026-05-06", "2026-05-07"]),
        ("on 7, 8 and 9 May", "en", ["2026-05-07", "2026-05-08", "2026-05-09"]),
        ("in room 4, 9 May", "en", ["2026-05-09"]),
        ("page 9-7 May", "en", ["2026-05-07"]),
        ("next Tuesday", "en", ["2026-03-10"]),
        ("on Friday", "en", ["2026-03-06"]),
        ("nächsten Dienstag", "de", ["2026-03-10"]),
        ("Guten Morgen, bis morgen", "de", ["2026-03-03"]),
        ("übermorgen", "de", ["2026-03-04"]),
        ("hier", "de", []),
        ("hier", "fr", ["2026-03-01"]),
        ("mañana por la mañana", "es", ["2026-03-03"]),
        ("innerhalb von 14 Tagen", "de", ["2026-03-16"]),
        ("in two weeks", "en", ["2026-03-16"]),
        ("来週の火曜日", "ja", ["2026-03-10"]),
        ("غداً", "ar", ["2026-03-03"]),
        ("Ende des Monats", "de", ["2026-03-31"]),
        ("31.02.2026", "de", []),
        ("version 1.2.3 at 192.168.1.1, part 12-34-56", "en", []),
        ("total 12.50 EUR, 10.30 Uhr", "de", []),
    ],
)
def test_a_date_is_read_as_its_writer_meant_it(text, language, days):
    assert [it.day.isoformat() for it in find_dates(text, MONDAY, language)] == days


@in_one_test(
    ("text", "amounts"),
    [
        ("1,234.56 EUR", ["1234.56 EUR"]),
        ("Total: € 1.234,56", ["1234.56 EUR"]),
        ("¥12,000 or \uffe53,000", ["12000 JPY", "3000 JPY"]),
        ("12.000 €", ["12000 EUR"]),
        ("USD 99", ["99 USD"]),
        ("12,- €", ["12 EUR"]),
        ("٢٥٠ يورو", ["250 EUR"]),
        ("1'234.50 CHF", ["1234.50 CHF"]),
        ("3万円", ["30000 JPY"]),
        ("合計12,300円です", ["12300 JPY"]),
        ("$15k", ["15000 USD"]),
        ("1.5 million dollars", ["1500000.0 USD"]),
        ("order 4711 USD 12", ["12 USD"]),
        ("12,50 EUR 25,00 EUR", ["12.50 EUR", "25.00 EUR"]),
        ("-50 €", ["-50 EUR"]),
        ("10 try again, room 12", []),
    ],
)
def test_an_amount_is_read_with_its_currency(text, amounts):
    assert [f"{it.value} {it.currency}" for it in find_amounts(text)] == amounts


@in_one_test(
    ("text", "value"),
    [
        ("1,234.56", "1234.56"), ("1.234,56", "1234.56"), ("1.234", "1234"), ("0.999", "0.999"),
        ("1.234.567", "1234567"), ("12,5", "12.5"), ("12 000", "12000"), ("1.2.3,4,5", None), ("", None),
    ],
)  # fmt: skip
def test_a_number_is_read_in_either_notation(text, value):
    assert read_number(text) == (Decimal(value) if value else None)


@in_one_test(
    ("text", "role", "found"),
    [
        ("Rechnung Nr. 2026/114 vom 3.3.2026", "invoice", ["2026/114"]),
        ("Invoice INV-2026-001 of 3 March", "invoice", ["INV-2026-001"]),
        ("order #48213", "order", ["48213"]),
        ("Bestellung 88-1201", "order", ["88-1201"]),
        ("注文番号:A-2041です", "order", ["A-2041"]),
        ("رقم الطلب: 3321", "order", ["3321"]),
        ("ticket [SUP-991]", "ticket", ["SUP-991"]),
        ("tracking number: 1Z999AA10123456784", "tracking", ["1Z999AA10123456784"]),
        ("Flight LH 1234", "flight", ["LH 1234"]),
        ("order 12 chairs", "order", []),
        ("invoice of 3 March 2026", "invoice", []),
        ("invoice total 1,234.50 EUR", "invoice", []),
    ],
)
def test_a_number_is_known_by_what_it_is_called(text, role, found):
    assert [it.value for it in find_identifiers(text, role)] == found


@in_one_test(
    ("text", "times"),
    [
        ("at 14:30", ["14:30"]), ("2:30pm CET", ["14:30"]), ("14.30 Uhr", ["14:30"]), ("14h30", ["14:30"]),
        ("午後3時半", ["15:30"]), ("الساعة 3 مساءً", ["15:00"]), ("noon", ["12:00"]), ("12am", ["00:00"]),
        ("18:30 - 22:00", ["18:30", "22:00"]), ("ratio 3:1", []), ("at 15 Main Street", []),
    ],
)  # fmt: skip
def test_a_time_of_day_is_found(text, times):
    assert [it.at.isoformat("minutes") for it in find_times(text)] == times


@in_one_test(
    ("text", "minutes"),
    [
        ("90 Minuten", 90),
        ("half an hour", 30),
        ("1.5 hours", 90),
        ("eine Stunde", 60),
        ("2時間", 120),
    ],
)
def test_a_length_of_time_is_found_in_minutes(text, minutes):
    assert [it.minutes for it in find_lengths(text)] == [minutes]


@in_one_test(
    ("text", "phones"),
    [
        ("Call +49 30 901820-12", ["+49 30 901820-12"]),
        ("(555) 123-4567", ["(555) 123-4567"]),
        ("電話: 03-1234-5678", ["03-1234-5678"]),
        ("phone ٠٥٠١٢٣٤٥٦٧", ["0501234567"]),
        ("Rechnung 0123 456789", []),
        ("DE89 3704 0044 0532 0130 00", []),
        ("2026-03-14, 14.03.2026, 1234567890", []),
    ],
)
def test_a_phone_number_is_none_of_the_other_numbers(text, phones):
    assert [it.text for it in find_phones(text)] == phones


def test_contact_data_is_found_without_the_punctuation_after_it():
    text = "Mail ada@acme.example. See www.acme.example/a(b), or https://b.example/c?d=e)."
    assert [it.text for it in find_emails(text)] == ["ada@acme.example"]
    assert [it.text for it in find_urls(text)] == [
        "www.acme.example/a(b)", "https://b.example/c?d=e",
    ]  # fmt: skip


def test_an_iban_counts_only_with_the_right_check_digits():
    text = "DE89 3704 0044 0532 0130 00 and DE88 3704 0044 0532 0130 00"
    assert [it.text for it in find_ibans(text)] == ["DE89 3704 0044 0532 0130 00"]


@in_one_test(
    ("text", "company"),
    [
        ("Best,\nJane\nAcme Widgets Ltd.\nLondon", "Acme Widgets Ltd."),
        ("Müller & Söhne GmbH & Co. KG", "Müller & Söhne GmbH & Co. KG"),
        ("株式会社山田商事の田中です", "株式会社山田商事"),
        ("شركة النور التجارية", "شركة النور التجارية"),
    ],
)
def test_a_legal_form_shows_a_company(text, company):
    assert [it.text for it in find_companies(text)] == [company]


@in_one_test(
    ("text", "parts"),
    [
        ("Hauptstraße 12, 10115 Berlin", ("Hauptstraße 12", "10115", "Berlin")),
        ("Lange Reihe 7\nD-20099 Hamburg", ("Lange Reihe 7", "20099", "Hamburg")),
        ("12 Baker Street, London NW1 6XE", ("12 Baker Street", "NW1 6XE", "London")),
        ("350 Fifth Avenue, New York, NY 10118", ("350 Fifth Avenue", "10118", "New York")),
        ("10 rue de la Paix, 75002 Paris", ("10 rue de la Paix", "75002", "Paris")),
        ("Calle Mayor 5, 28013 Madrid", ("Calle Mayor 5", "28013", "Madrid")),
        (
            "〒100-0001 東京都千代田区千代田1-1",
            ("東京都千代田区千代田1-1", "100-0001", "東京都千代田区"),
        ),
    ],
)
def test_a_postal_address_has_its_parts(text, parts):
    (found,) = find_postal_addresses(text)
    assert (found.street, found.postcode, found.city) == parts


def test_a_pattern_that_takes_too_long_finds_nothing():
    slow = regex.compile("(?:(?:a|b|ab|ba)*)*(?:(?:a|b|ab)*)*1[!?z]")
    assert find_matching(f"Your order {'ab' * 28}1y", slow) == []
