"""Values by the labels of forms and tables: beside them, below them, and which are none."""

from datetime import UTC, datetime

from inbox.extract import extract_from
from inbox.extract.document import document_of
from tests.cases import in_one_test

TEXT, NUMBER, WHOLE = {"type": "string"}, {"type": "number"}, {"type": "integer"}
DAY = {"type": "string", "format": "date"}
INVOICE = {
    "invoice_number": TEXT, "invoice_date": DAY, "due_date": DAY, "net_total": NUMBER,
    "vat_amount": NUMBER, "total": NUMBER, "customer_number": TEXT, "order_number": TEXT,
}  # fmt: skip
ITEM = {"description": TEXT, "quantity": WHOLE, "unit_price": NUMBER, "total": NUMBER}
ITEMS = {"items": {"type": "array", "items": {"type": "object", "properties": ITEM}}}


def found(text, properties, *, subject="", sender=("", "x@shop.example"), language="en"):
    document = document_of(
        subject=subject, new_text=text, text=text, attached=(), sender=sender,
        recipient=("Ada Byron", "ada@lantern.example"), own_emails=frozenset({"ada@lantern.example"}),
        sent_at=datetime(2026, 9, 14, 9, tzinfo=UTC), language=language,
    )  # fmt: skip
    return extract_from(document, {"type": "object", "properties": properties}).data


@in_one_test(
    ("text", "language", "data"),
    [
        ("Invoice no.: INV-17\nDate: 3 September 2026\nDue by: 1 October 2026\nAmount due: £120.00", "en",
         {"invoice_number": "INV-17", "invoice_date": "2026-09-03", "due_date": "2026-10-01", "total": 120}),
        # Below a label, in a row of labels, and with the colon in a column of its own.
        ("Rechnungs-Nr. | Belegdatum | Kd.-Nr. | Zahlbar bis\n2026/0417 | 03.09.2026 | 10442 | 01.10.2026", "de",
         {"invoice_number": "2026/0417", "invoice_date": "2026-09-03", "customer_number": "10442",
          "due_date": "2026-10-01"}),
        ("N° de facture | : | F-88\nDate d'émission | : 03/09/2026\nNet à payer | 1 234,50 €", "fr",
         {"invoice_number": "F-88", "invoice_date": "2026-09-03", "total": 1234.5}),
        ("Fattura numero\n17/2026\nTotale imponibile\n1.000,00\nTotale IVA 220,00\nTotale fattura € 1.220,00", "it",
         {"invoice_number": "17/2026", "net_total": 1000, "vat_amount": 220, "total": 1220}),
        # What is no total, no number and no date of this kind.
        ("Subtotal | 100.00 GBP\nVAT 20% | 20.00 GBP\nTotal | 120.00 GBP", "en",
         {"net_total": 100, "vat_amount": 20, "total": 120}),
        ("Numer klienta: 10442\nNr zamówienia: 03.09.2026\nTermin płatności: 14 dni", "pl", {"customer_number": "10442"}),
        ("Order: £120.00\nInvoice: 3 September 2026", "en", {"total": 120, "order_number": None, "invoice_number": None}),
        # The dates and sums of the rows of a list are not those of the whole.
        ("Item | Qty | Price | Total\nDesk lamp | 2 | 10.00 | 20.00\n | | Grand total | 24.00", "en", {"total": 24}),
    ],
)  # fmt: skip
def test_a_value_stands_beside_or_below_its_label(text, language, data):
    given = found(text, INVOICE, language=language)
    assert {name: given.get(name) for name in data} == data


@in_one_test(
    ("text", "items"),
    [
        ("Bezeichnung | Menge | Einzelpreis | Gesamt\nLampe, A4 | 2 Stk | 10,00 € | 20,00 €\nZubehör | 1 | 5,00 | 5,00\n"
         "Zwischensumme | | | 25,00 €\nPorto | 1 | 3,00 | 3,00",
         [{"description": "Lampe, A4", "quantity": 2, "unit_price": 10, "total": 20},
          {"description": "Zubehör", "quantity": 1, "unit_price": 5, "total": 5}]),
        ("2 x Desk lamp | 49.00 EUR", [{"description": "Desk lamp", "quantity": 2, "total": 49}]),
        ("Invoice no: 17\nTotal: 4.749,71 EUR\nNet | 3.991,35 EUR\nLindenstraße 14, 10969 Berlin", None),
    ],
)  # fmt: skip
def test_the_rows_below_a_head_are_the_items_and_sums_are_none(text, items):
    assert found(text, ITEMS).get("items") == items


@in_one_test(
    ("text", "when", "at"),
    [
        ("We moved the meeting from Tuesday, 22 September, 9:00 to Thursday, 24 September at 3pm.", "2026-09-24", "15:00"),
        ("New day: 6 October, 8:30 (instead of 5 October, 16:00).", "2026-10-06", "08:30"),
        ("Der Termin am 21. September um 9.15 Uhr entfällt, wir verschieben ihn auf den 24. September um 14.30 Uhr.",
         "2026-09-24", "14:30"),
        ("The room costs 9.15 an hour. See you on 3 October at 9.15.", "2026-10-03", "09:15"),
        ("Version 9.15 is out on 3 October.", "2026-10-03", None),
    ],
)  # fmt: skip
def test_the_new_day_of_a_meeting_is_the_one_that_holds(text, when, at):
    fields = {"date": DAY, "time": {"type": "string", "pattern": r"^\d\d:\d\d$"}}
    given = found(text, fields, language="de" if "Uhr" in text else "en")
    assert (given.get("date"), given.get("time")) == (when, at)


FORWARDED = (
    "Please pay.\n\nThanks, Bo\n\n---------- Forwarded message ---------\nFrom: Harrow Lane Ltd <billing@harrow.example>\n"
    "Date: Fri, 11 Sept 2026 at 08:02\nSubject: Your invoice\nTo: <bo@lantern.example>\n\nInvoice number: HL-9\n"
)


def test_a_mail_that_only_passes_another_on_is_read_as_that_one():
    fields = {
        "invoice_number": TEXT,
        "supplier": TEXT,
        "email": {"type": "string", "format": "email"},
    }
    sender = ("Bo Lamp", "bo@lantern.example")
    passed_on = found(FORWARDED, fields, subject="Fwd: Your invoice", sender=sender)
    assert passed_on == {
        "invoice_number": "HL-9", "supplier": "Harrow Lane Ltd", "email": "billing@harrow.example",
    }  # fmt: skip
    # Somebody who answers is whoever writes.
    answered = found(FORWARDED, fields, subject="Re: Your invoice", sender=sender)
    assert answered["email"] == "bo@lantern.example"


def test_the_signature_says_for_whom_somebody_writes():
    text = "Peter of Acme Ltd sent me.\n\nKind regards,\nHannah Whit\nHarrow Lane Ltd\n"
    assert found(text, {"company": TEXT}) == {"company": "Harrow Lane Ltd"}
    billed = "Harrow Lane Ltd\n\nBill to:\nLantern Works Ltd\n\nHarrow Lane Ltd IBAN GB29NWBK60161331926819"
    assert found(billed, {"supplier": TEXT}) == {"supplier": "Harrow Lane Ltd"}
    noted = "(c) AWV Ltd\nSupplier:\nHARROW LANE GMBH"
    assert found(noted, {"supplier": TEXT}) == {"supplier": "HARROW LANE GMBH"}
    # Two of which nothing says which: neither.
    assert found("Acme Ltd, see below.\n\nOrbit Ltd, Orbit Ltd.", {"supplier": TEXT}) == {}
    assert found("Hello", {"supplier": TEXT}, sender=("Accounts", "x@y.example")) == {}


def test_the_currency_is_that_of_the_total_and_a_crown_that_of_the_country():
    fields = {"currency": TEXT}
    assert found("Fee 10.00 EUR\nFee 12.00 EUR\nTotal: 30.00 GBP", fields) == {"currency": "GBP"}
    assert found("Currency: CHF\nTotal: 30.00", fields) == {"currency": "CHF"}
    assert found("I alt: 30,00 kr.", fields, language="da") == {"currency": "DKK"}
    # In a mail of no known language, by its labels.
    assert found("Fakturadato: 3.9.2026\nBeløb at betale: 30,00 kr.", fields, language="") == {
        "currency": "DKK"
    }
    assert found("Förfallodatum: 2026-09-03\nSumma: 30,00 kr", fields, language="") == {
        "currency": "SEK"
    }
    assert found("Open Mo.-Fr. 14.00 - 17.00 Uhr", fields) == {}
    assert found("KR3M | green turf", fields) == {}


def test_of_several_totals_the_one_is_given_that_net_and_tax_add_up_to():
    text = "Net: 100.00 EUR\nTotal: 119.00 EUR\nVAT 19%: 19.00 EUR\nTotal: 150.00 EUR"
    assert found(text, {"total": NUMBER}) == {"total": 119}
    assert found("Total: 119.00 EUR\nTotal: 150.00 EUR", {"total": NUMBER}) == {"total": 150}
