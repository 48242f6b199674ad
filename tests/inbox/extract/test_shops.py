"""Mail of shops, carriers and small houses: whose it is, what became of an order, and for how much."""

from datetime import UTC, datetime

from inbox.extract import extract_from
from inbox.extract.document import document_of
from tests.cases import in_one_test

TEXT = {"type": "string"}
DAY = {"type": "string", "format": "date"}
STATES = {
    "type": "string",
    "enum": ["confirmed", "shipped", "delivered", "delayed", "cancelled", "refunded"],
}
DUE = {"type": "number", "description": "The amount to be paid"}
BILL = {"invoice_number": TEXT, "total": DUE, "currency": TEXT, "vendor": TEXT}


def found(text, properties, *, subject="", sender=("", "x@shop.example"), language="en"):
    document = document_of(
        subject=subject, new_text=text, text=text, attached=(), sender=sender,
        recipient=("Ada Byron", "ada@lantern.example"), own_emails=frozenset({"ada@lantern.example"}),
        sent_at=datetime(2026, 9, 14, 9, tzinfo=UTC), language=language,
    )  # fmt: skip
    return extract_from(document, {"type": "object", "properties": properties}).data


@in_one_test(
    ("subject", "text", "status"),
    [
        ("Order 1042", "Thanks for your order! It is being processed.", "confirmed"),
        ("We have refunded your lamp", "Your lamp never turned up. We've refunded £22.50 to your card.", "refunded"),
        ("Order 1042", "12 boards, £93 inc VAT delivered. All good, that's booked in.", "confirmed"),
        ("Bestellung 1042", "Wir haben deine Bestellung erhalten und packen sie.", "confirmed"),
        ("Bestellung 1042", "Ihre Retoure ist angekommen, den Betrag haben wir Ihnen erstattet.", "refunded"),
        ("Bestellung 1042", "Angekommen ist bis heute nichts.", "delayed"),
        ("Order 1042", "Could it still be changed to the larger size?", None),
        ("Order 1042", "Confirmed by: Bo Larsen", None),
    ],
)  # fmt: skip
def test_what_became_of_an_order_is_one_of_what_is_asked_for(subject, text, status):
    language = "de" if subject.startswith("Best") else "en"
    assert (
        found(text, {"status": STATES}, subject=subject, language=language).get("status") == status
    )


@in_one_test(
    ("sender", "text", "vendor"),
    [
        (("Parcelway", "no-reply@parcelway.example"), "Your parcel from Bramble & Fern arrives today.", "Bramble & Fern"),
        (("Ledgerline", "mail@ledgerline.example"), "Invoice F-17 from Wildfern Design for Oak & Ember Ltd.", "Wildfern Design"),
        (("Tradehive", "orders@tradehive.example"), "Thanks for shopping at Tradehive.\nSold by StrideGear Ltd", "Tradehive"),
        (("Northgate Timber", "hi@northgate.example"), "Thanks for using Northgate Timber. This is a bill.", "Northgate Timber"),
        (("Riverbend Water", "ebill@riverbend.example"), "Riverbend Water District\nYour bill is ready.", "Riverbend Water District"),
        (("La Maison du Thé", "bonjour@lamaison.example"), "La Maison du Thé\nMerci !", "La Maison du Thé"),
        (("", "x@shop.example"), "Verkäufer\nNummer: | 54\nName: | Grundbesitz Mitte\nKäufer\nName: | Kunden AG", "Grundbesitz Mitte"),
    ],
)  # fmt: skip
def test_whose_mail_it_is_is_told_by_the_sender_and_by_what_it_is_from(sender, text, vendor):
    text = f"{text}\nInvoice no: F-17\nTotal: £12.00"
    assert found(text, BILL, sender=sender)["vendor"] == vendor


@in_one_test(
    ("text", "total", "currency"),
    [
        ("Total charged to MC ****8810 | GBP 412.38", 412.38, "GBP"),
        ("Crown ............ $1,150.00\nInsurance paid ... -$687.60\nPATIENT BALANCE ..... $462.40", 462.4, "USD"),
        ("Item | Sum\nWork | 15 000,00\nTotal to pay, SEK | 18 750,00", 18750, None),
        ("Subtotal | $80.00\nTotal MXN | $92.80", 92.8, "MXN"),
    ],
)  # fmt: skip
def test_a_sum_stands_by_a_label_with_more_behind_it(text, total, currency):
    given = found(f"Invoice no: F-17\n{text}", BILL)
    assert given["total"] == total
    assert currency is None or given["currency"] == currency


def test_the_dollar_is_that_of_the_senders_country():
    given = found("Invoice no: 7\nTotal: $97.85", BILL, sender=("Gear", "hi@gear.com.au"))
    assert given["currency"] == "AUD"


def test_a_number_in_groups_is_whole_and_a_word_may_stand_before_its_label():
    text = "Parcel number | PP 4471 0098 22 GB\nRetailer order ref | LL-60418\nArriving:\nSaturday 28 November 2026 | Ship to:"
    asked = {"tracking_number": TEXT, "order_number": TEXT, "delivery_date": DAY}
    assert found(text, asked) == {
        "tracking_number": "PP 4471 0098 22 GB",
        "order_number": "LL-60418",
        "delivery_date": "2026-11-28",
    }


def test_a_number_of_something_before_is_none():
    assert "order_number" not in found("Previous order number: 1042", {"order_number": TEXT})


@in_one_test(
    ("text", "language", "when", "at"),
    [
        ("OLD: Friday, 20 November 2026 8:00 AM\nNEW: Tuesday, 24 November 2026 1:00 PM", "en", "2026-11-24", "13:00"),
        ("Ich muss die Besprechung vom 27.11., 9:00 Uhr verschieben. Neuer Termin ist der 01.12.2026 um 10:30 Uhr.", "de",
         "2026-12-01", "10:30"),
        ("We need to push it from 1:00 PM to 3:30 PM the same day, 4 December 2026.", "en", "2026-12-04", "15:30"),
        ("Let's say 9.15 on the 26th of November.", "en", "2026-11-26", "09:15"),
        ("Lunch on 1 December at half past twelve?", "en", "2026-12-01", "12:30"),
        ("Wir treffen uns am 1. Dezember um halb drei.", "de", "2026-12-01", "14:30"),
        ("Doors open at 17:00.\nDate: 7 December 2026\nTime: 11:00", "en", "2026-12-07", "11:00"),
    ],
)  # fmt: skip
def test_the_time_is_that_of_the_day_that_holds(text, language, when, at):
    fields = {"date": DAY, "time": {"type": "string", "pattern": r"^\d\d:\d\d$"}}
    given = found(text, fields, language=language)
    assert (given.get("date"), given.get("time")) == (when, at)


@in_one_test(
    ("text", "language", "place"),
    [
        ("Fecha | miércoles, 9 de diciembre\nHora | 16:00\nLugar | Aula 2 (planta baja)", "es", "Aula 2 (planta baja)"),
        ("Der Termin ist am 1. Dezember um 10:30 Uhr, Ort wie gehabt: Baucontainer Lindenhof.", "de", "Baucontainer Lindenhof"),
        ("Réunion le 25 novembre à 18h30, Salle des Associations, 2 rue du Lavoir.", "fr", "Salle des Associations, 2 rue du Lavoir"),
        ("See you at 9:15 on 26 November at the property itself (27 Mill Lane, Thame).", "en", "27 Mill Lane, Thame"),
        ("Design critique is tomorrow at 10:00 in Studio 3. Bring the screens.", "en", "Studio 3"),
        ("Lunch on 1 December at half past twelve? I booked a table at Trattoria Vesuvio under my name.", "en", "Trattoria Vesuvio"),
        # A place that is spoken of, two that compete, a day, a person, and a link.
        ("We are in Berlin. The call is on 1 December at 10:00.", "en", None),
        ("On 1 December at 10:00 at Café Luna or at the Town Hall?", "en", None),
        ("See you on 1 December in December mood at 10:00.", "en", None),
        ("When: 2 December, 11:30\nWhere: https://meet.example/x", "en", None),
    ],
)  # fmt: skip
def test_a_meeting_takes_place_where_its_time_stands(text, language, place):
    assert found(text, {"location": TEXT}, language=language).get("location") == place


def test_whoever_is_introduced_is_whom_the_only_address_names():
    text = "Ben, let me introduce Deepak Iyer, at Nimbus Robotics: deepak.iyer@nimbusrobotics.example.\n\nMia"
    asked = {"name": TEXT, "company": TEXT, "email": {"type": "string", "format": "email"}}
    assert found(text, asked, sender=("Mia Thornton", "mia@looplabs.example")) == {
        "name": "Deepak Iyer",
        "company": "Nimbus Robotics",
        "email": "deepak.iyer@nimbusrobotics.example",
    }


@in_one_test(
    ("text", "data"),
    [
        ("Yes, we can.\n\nAda Lane Smith | Fold & Crease | 0117 496 0032", {"name": "Ada Lane Smith", "company": "Fold & Crease"}),
        ("Best,\n\nAda Lane\nSenior Associate\nFold & Crease\nM: +1 212 555 0147 ext. 22",
         {"name": "Ada Lane", "role": "Senior Associate", "phone": "+1 212 555 0147 ext. 22"}),
        ("My old number (+353 1 555 0100) is dead.\n\nName: Ada Lane\nPhone: +353 1 555 0182", {"phone": "+353 1 555 0182"}),
    ],
)  # fmt: skip
def test_whoever_signs_is_named_in_full_with_what_they_do(text, data):
    asked = {"name": TEXT, "company": TEXT, "role": TEXT, "phone": TEXT}
    given = found(text, asked, sender=("Ada Lane", "ada@foldandcrease.example"))
    assert {name: given.get(name) for name in data} == data
