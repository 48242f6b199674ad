"""Filling in schemas from messages: what is found, what is left out, and what is refused."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from inbox.extract import SchemaError, check_schema, extract, extract_from
from inbox.extract.document import Document, layers_of
from inbox.models import Attachment, store_blob
from inbox.rfc5322.text.quotes import new_text
from tests.cases import in_one_test
from tests.documents import docx_of, pdf_of
from tests.factories import make_message

SCHEMAS = Path(__file__).parents[3] / "inbox" / "defaults" / "schemas"
TEXT, NUMBER, WHOLE, YES = (
    {"type": "string"}, {"type": "number"}, {"type": "integer"}, {"type": "boolean"},
)  # fmt: skip
DAY, CLOCK = {"type": "string", "format": "date"}, {"type": "string", "format": "time"}
MOMENT, EMAIL = {"type": "string", "format": "date-time"}, {"type": "string", "format": "email"}


def one_of(*values) -> dict:
    return {"enum": list(values)}


def document(text: str, *, subject="", name="", email="x@y.example", language="en") -> Document:
    own, _, signature = text.partition("\n--\n")
    return Document(
        layers=(layers_of(subject, own, text, ())[0], signature, ""), subject=subject, own_text=own,
        sent_at=datetime(2026, 3, 2, 12, tzinfo=UTC), sender_name=name, sender_email=email,
        language=language,
    )  # fmt: skip


CASES = [
    # what is bought and paid for
    ({"invoice_number": TEXT, "total": NUMBER}, "Invoice INV-31: total EUR 1,234.56, net EUR 1,037.45", "en",
     {"invoice_number": "INV-31", "total": 1234.56}),
    ({"net": NUMBER, "vat_amount": NUMBER, "total": NUMBER},
     "Subtotal: 100.00 EUR\nVAT 19%: 19.00 EUR\nTotal due: 119.00 EUR", "en",
     {"net": 100, "vat_amount": 19, "total": 119}),
    ({"invoice_date": DAY, "due_date": DAY}, "Invoice date 3 March 2026, due by 17 March 2026.", "en",
     {"invoice_date": "2026-03-03", "due_date": "2026-03-17"}),
    ({"deadline": DAY}, "Please answer no later than 20 March.", "en", {"deadline": "2026-03-20"}),
    ({"due_date": DAY}, "I ordered it on 3 March 2026.", "en", {}),
    ({"order_number": WHOLE}, "My order number is 4711.", "en", {"order_number": 4711}),
    ({"po": {"type": "string", "pattern": "^PO-\\d+$"}}, "See PO-4500012 please.", "en", {"po": "PO-4500012"}),
    ({"purchase_date": DAY, "amount_paid": NUMBER, "currency": TEXT}, "Bought on 3 Feb 2026 for £49.99.", "en",
     {"purchase_date": "2026-02-03", "amount_paid": 49.99, "currency": "GBP"}),
    ({"amount": TEXT}, "It costs 250,00 € in all.", "en", {"amount": "250,00 €"}),
    ({"currency": one_of("EUR", "USD")}, "That is $99.", "en", {"currency": "USD"}),
    ({"price": {"type": "object", "properties": {"value": NUMBER, "currency": TEXT}}}, "The price is USD 99.", "en",
     {"price": {"value": 99, "currency": "USD"}}),
    ({"discount_percent": NUMBER}, "We get 12.5% discount.", "en", {"discount_percent": 12.5}),
    # people and contacts
    ({"first_name": TEXT, "last_name": TEXT}, "My name is John Q. Public.", "en",
     {"first_name": "John", "last_name": "Public"}),
    ({"name": TEXT}, "Hello.\n\nBest regards,\nJane Doe\nSales", "en", {"name": "Jane Doe"}),
    ({"company": TEXT, "phone": TEXT}, "Hi\n--\nAcme Ltd.\nTel. +44 20 7946 0123", "en",
     {"company": "Acme Ltd.", "phone": "+44 20 7946 0123"}),
    ({"phone": {"type": "string", "pattern": "^\\+\\d+$"}}, "Call +44 20 7946 0123", "en", {"phone": "+442079460123"}),
    ({"technician": {"type": "string", "description": "Name of the technician"}}, "Technician: Ms Ada Byron", "en",
     {"technician": "Ada Byron"}),
    ({"contact_email": EMAIL}, "Write to events@club.example.", "en", {"contact_email": "events@club.example"}),
    ({"website": {"type": "string", "format": "uri"}}, "See www.acme.example.", "en",
     {"website": "https://www.acme.example"}),
    ({"city": TEXT, "zip_code": TEXT, "street": TEXT}, "Ship to Hauptstraße 12, 10115 Berlin.", "en",
     {"city": "Berlin", "zip_code": "10115", "street": "Hauptstraße 12"}),
    # choices and yes or no
    ({"status": one_of("open", "shipped", "cancelled")}, "It was dispatched today.", "en", {"status": "shipped"}),
    ({"status": one_of("shipped", "delivered")}, "It should have been delivered.", "en", {}),
    ({"resolution": one_of("refund", "replacement")}, "Send a replacement, I don't want a refund.", "en",
     {"resolution": "replacement"}),
    ({"issue": one_of("damaged", "missing")}, "The glass was cracked.", "en", {"issue": "damaged"}),
    ({"size": one_of("small", "large")}, "Do you have it small or large?", "en", {}),
    ({"plan": {"oneOf": [{"const": "p1", "title": "Basic"}, {"const": "p2", "title": "Pro"}]}},
     "We take the Pro plan.", "en", {"plan": "p2"}),
    ({"topics": {"type": "array", "items": one_of("hardware", "software", "training")}},
     "Interested in software and training.", "en", {"topics": ["software", "training"]}),
    ({"is_paid": YES, "refund_requested": YES}, "We have not paid yet. I want a refund.", "en",
     {"is_paid": False, "refund_requested": True}),
    ({"breakfast_included": YES}, "Breakfast: yes", "en", {"breakfast_included": True}),
    ({"breakfast_included": YES}, "Is breakfast included?", "en", {}),
    ({"urgent": YES}, "Send it as soon as possible, I don't want to wait.", "en", {"urgent": True}),
    ({"needs_callback": YES}, "Please call me back.", "en", {"needs_callback": True}),
    # numbers and lengths
    ({"guests": WHOLE, "nights": WHOLE}, "A room in 2026 for two guests, three nights.", "en",
     {"guests": 2, "nights": 3}),
    ({"number_of_employees": WHOLE}, "We have 250 employees.", "en", {"number_of_employees": 250}),
    ({"quantity": WHOLE}, "I would like to order 12 chairs.", "en", {"quantity": 12}),
    ({"duration_minutes": WHOLE}, "It takes an hour and a half.", "en", {"duration_minutes": 90}),
    ({"duration_hours": NUMBER}, "It takes 90 minutes.", "en", {"duration_hours": 1.5}),
    ({"rating": WHOLE}, "Rating: 4", "en", {"rating": 4}),
    # meetings and travel
    ({"check_in": DAY, "check_out": DAY}, "From 14 to 17 May 2026.", "en",
     {"check_in": "2026-05-14", "check_out": "2026-05-17"}),
    ({"start_time": CLOCK, "end_time": CLOCK}, "Saturday, 18:30 - 22:00", "en",
     {"start_time": "18:30:00Z", "end_time": "22:00:00Z"}),
    ({"started_at": MOMENT}, "Since 2026-03-02 08:15 CET it is down.", "en", {"started_at": "2026-03-02T08:15:00+01:00"}),
    ({"flight_number": TEXT, "departure_date": DAY}, "Flight LH 1234 departs on 16 Mar 2026.", "en",
     {"flight_number": "LH 1234", "departure_date": "2026-03-16"}),
    ({"location": TEXT}, "Let us meet in Room 4.12.", "en", {"location": "Room 4.12"}),
    ({"destination": TEXT}, "All is set. Destination: Lisbon.", "en", {"destination": "Lisbon"}),
    ({"dates": {"type": "array", "items": DAY}}, "3 March or 5 March 2026 suits.", "en",
     {"dates": ["2026-03-03", "2026-03-05"]}),
    ({"items": {"type": "array", "items": {"type": "object", "properties": {"description": TEXT, "quantity": WHOLE, "unit_price": NUMBER}}}},
     "2 x Paper roll @ $12.50\n1 x Ribbon @ $7.00", "en",
     {"items": [{"description": "Paper roll", "quantity": 2, "unit_price": 12.5},
                {"description": "Ribbon", "quantity": 1, "unit_price": 7}]}),
    # German
    ({"rechnungsnummer": TEXT, "rechnungsdatum": DAY, "gesamtbetrag": NUMBER, "fälligkeitsdatum": DAY},
     "Rechnung Nr. 2026/114 vom 28.02.2026. Gesamtbetrag: 1.190,00 €, zahlbar bis zum 14.03.2026.", "de",
     {"rechnungsnummer": "2026/114", "rechnungsdatum": "2026-02-28", "gesamtbetrag": 1190, "fälligkeitsdatum": "2026-03-14"}),
    ({"personen": WHOLE, "haustiere": YES}, "Ein Zimmer für 2 Personen. Haustiere bringen wir keine mit.", "de",
     {"personen": 2, "haustiere": False}),
    ({"lieferdatum": DAY}, "Die Lieferung kommt am 4. März.", "de", {"lieferdatum": "2026-03-04"}),
    ({"zahlungsart": one_of("credit_card", "bank_transfer")}, "Ich zahle per Überweisung.", "de", {"zahlungsart": "bank_transfer"}),
    ({"uhrzeit": TEXT, "datum": DAY}, "Am Donnerstag um 14.30 Uhr?", "de", {"uhrzeit": "14:30", "datum": "2026-03-05"}),
    ({"iban": {"type": "string", "pattern": "^[A-Z0-9]+$"}}, "IBAN DE89 3704 0044 0532 0130 00", "de",
     {"iban": "DE89370400440532013000"}),
    ({"ansprechpartner": TEXT}, "Hallo\n\nViele Grüße\nJürgen Müller", "de", {"ansprechpartner": "Jürgen Müller"}),
    ({"mwst_nummer": {"type": "string", "description": "USt-IdNr."}, "vat_id": TEXT}, "USt-IdNr. DE123456789", "de",
     {"vat_id": "DE123456789"}),
    # Japanese, Arabic, French, Spanish
    ({"order_number": TEXT, "order_date": DAY, "total": NUMBER, "quantity": WHOLE},
     "2月20日に注文した件(注文番号:JP-5521)ですが、ランプ3個、合計12,300円です。", "ja",
     {"order_number": "JP-5521", "order_date": "2026-02-20", "total": 12300, "quantity": 3}),
    ({"due_date": DAY, "currency": TEXT}, "お支払期限:2026年3月31日 ご請求金額:\uffe5132,000", "ja",
     {"due_date": "2026-03-31", "currency": "JPY"}),
    ({"meeting_date": DAY, "meeting_time": TEXT, "number_of_people": WHOLE},
     "هل يمكن عقد اجتماع يوم ١٥ مارس ٢٠٢٦ الساعة 3 مساءً؟ سنكون 5 أشخاص.", "ar",
     {"meeting_date": "2026-03-15", "meeting_time": "15:00", "number_of_people": 5}),
    ({"invoice_number": TEXT, "total": NUMBER}, "رقم الفاتورة: 3321\nالمبلغ الإجمالي: 2500 ريال", "ar",
     {"invoice_number": "3321", "total": 2500}),
    ({"order_number": TEXT, "total": NUMBER, "refund_requested": YES},
     "Ma commande n° 45-998, d'un montant de 89,90 €. Je demande un remboursement.", "fr",
     {"order_number": "45-998", "total": 89.9, "refund_requested": True}),
    ({"pedido": {"type": "string", "title": "Número de pedido"}, "importe": NUMBER},
     "Mi pedido número 7781 por un importe de 1.250,50 €.", "es", {"pedido": "7781", "importe": 1250.5}),
    (
        {"delivery_date": {"type": "string", "pattern": "^\\d{2}\\.\\d{2}\\.\\d{4}$"}},
        "It must arrive by 05.04.2026.", "en", {"delivery_date": "05.04.2026"},
    ),
    ({"net_amount": NUMBER, "gross_amount": NUMBER}, "Netto 200,00 EUR\nBrutto 238,00 EUR", "de",
     {"net_amount": 200, "gross_amount": 238}),
    # nothing there, nothing made up
    ({"order_number": TEXT, "total": NUMBER, "due_date": DAY, "is_paid": YES, "phone": TEXT, "company": TEXT, "address": TEXT},
     "Hi! It was lovely to see you all. The weather is great.", "en", {}),
]  # fmt: skip


@in_one_test(("properties", "text", "language", "data"), CASES)
def test_a_schema_is_filled_in(properties, text, language, data):
    found = extract_from(
        document(text, language=language), {"type": "object", "properties": properties}
    )
    assert {name: it for name, it in found.data.items() if name in data} == data
    if not data:
        assert (found.data, found.confidence) == ({}, 0.0)
    assert found.validation_errors == ()
    Draft202012Validator({"properties": properties}).validate(found.data)


def default(name: str) -> dict:
    return json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))


def test_an_invoice_is_read_whole():
    text = (
        "please find invoice INV-2026-031 dated 27 February 2026. The total of EUR 1,234.56 is due by "
        "13 March 2026.\n\nSubtotal: 1,037.45 EUR\nVAT 19%: 197.11 EUR\n\nKind regards,\nPetra Klein\n"
        "Hartmann Papier GmbH\nIBAN DE89 3704 0044 0532 0130 00\nVAT ID DE123456789"
    )
    found = extract_from(document(text, name="Petra Klein"), default("invoice"))
    assert found.data == {
        "invoice_number": "INV-2026-031", "invoice_date": "2026-02-27", "due_date": "2026-03-13",
        "total": 1234.56, "currency": "EUR", "supplier": "Hartmann Papier GmbH",
        "iban": "DE89 3704 0044 0532 0130 00", "vat_id": "DE123456789",
    }  # fmt: skip
    assert (found.missing_fields, found.validation_errors) == ((), ())
    assert found.confidence > 0.85


def test_what_is_missing_is_named_and_lowers_the_confidence():
    found = extract_from(document("Invoice INV-7."), default("invoice"))
    assert found.data == {"invoice_number": "INV-7"}
    assert set(found.missing_fields) == set(default("invoice")["required"]) - {"invoice_number"}
    assert "/: 'total' is a required property" in found.validation_errors
    assert 0 < found.confidence < 0.4


def test_a_value_beyond_a_limit_is_told_by_its_pointer():
    schema = {"properties": {"total": {"type": "number", "maximum": 100}}}
    found = extract_from(document("The total is 120.00 EUR."), schema)
    assert found.data == {"total": 120}
    assert found.validation_errors == ("/total: 120 is greater than the maximum of 100",)


def test_references_within_the_schema_and_optional_fields_are_followed():
    schema = {
        "$defs": {"day": {"type": "string", "format": "date"}},
        "properties": {
            "due_date": {"anyOf": [{"$ref": "#/$defs/day"}, {"type": "null"}]},
            "customer": {"type": "object", "properties": {"email": EMAIL, "vat_id": TEXT}},
        },
    }
    found = extract_from(document("Due by 5 March 2026.", email="ada@acme.example"), schema)
    assert found.data == {"due_date": "2026-03-05", "customer": {"email": "ada@acme.example"}}
    assert found.missing_fields == ()


def test_only_what_the_schema_requires_is_missing():
    customer = {
        "type": "object",
        "properties": {"email": EMAIL, "vat_id": TEXT},
        "required": ["vat_id"],
    }
    schema = {
        "properties": {
            "total": NUMBER, "due_date": DAY, "iban": TEXT, "customer": customer, "kind": {"const": "x"},
            "ship_to": {"type": "object", "properties": {"city": TEXT}, "required": ["city"]},
        },
        "required": ["total", "iban", "ghost"],
    }  # fmt: skip
    found = extract_from(document("The total is 9.90 EUR.", email="ada@acme.example"), schema)
    assert found.data == {"total": 9.9, "customer": {"email": "ada@acme.example"}}
    # The customer is there, and has to have an id; nothing says that it ships anywhere.
    assert found.missing_fields == ("iban", "customer/vat_id", "ghost")
    nothing = extract_from(document("Hello.", email=""), {**schema, "required": ["customer"]})
    assert nothing.missing_fields == ("customer",)
    assert (
        extract_from(document("Hello.", email=""), {**schema, "required": []}).missing_fields == ()
    )


@pytest.mark.django_db
def test_a_message_is_read_with_its_simple_attachments(inbox):
    message = make_message(
        inbox, text="See the table.", subject="Order", language="en", has_attachments=True
    )
    table = b"Order number: 88-12\r\nTotal: 19.90 EUR\r\n"
    Attachment.objects.create(
        workspace=inbox.workspace, message=message, blob=store_blob(inbox.workspace_id, table),
        position=0, filename="order.csv", content_type="text/csv", size=len(table),
        received_at=message.received_at,
    )  # fmt: skip
    found = extract(message, default("order"))
    assert found.data["order_number"] == "88-12"
    assert (found.data["total"], found.data["currency"]) == (19.9, "EUR")


@pytest.mark.django_db
@in_one_test(
    ("filename", "content"),
    [
        ("RE-999-111.pdf", pdf_of([(50, 700, "Invoice number"), (300, 700, "RE-2026-17"),
                                   (50, 680, "Total"), (300, 680, "1.249,50 EUR")])),
        ("RE-999-111.docx", docx_of("Acme", [["Invoice number", "RE-2026-17"], ["Total", "1.249,50 EUR"]])),
        ("RE-999-111.csv", b"Invoice number;RE-2026-17\nTotal;1.249,50 EUR\n"),
    ],
)  # fmt: skip
def test_an_invoice_is_read_from_the_file_and_not_from_its_name(inbox, filename, content):
    message = make_message(inbox, text="See there.", subject="Hello", has_attachments=True)
    Attachment.objects.create(
        workspace=inbox.workspace, message=message, blob=store_blob(inbox.workspace_id, content),
        position=0, filename=filename, content_type="application/octet-stream", size=len(content),
        received_at=message.received_at,
    )  # fmt: skip
    found = extract(message, default("invoice")).data
    assert (found["invoice_number"], found["total"]) == ("RE-2026-17", 1249.5)


@pytest.mark.django_db
def test_what_is_quoted_counts_for_less_and_never_for_a_contact(inbox):
    quoted = "Thanks!\n\nOn 1 March 2026 Lantern wrote:\n> Order 88-12 ships. Tel. +49 30 901820\n"
    message = make_message(inbox, text=quoted)
    message.new_text = "Thanks!"
    found = extract(message, {"properties": {"order_number": TEXT, "phone": TEXT}})
    assert found.data == {"order_number": "88-12"}
    assert found.missing_fields == ()


OUTLOOK = (
    "From: Bo Lamp <bo@shop.example>\nSent: Monday, 2 February 2026 09:14\n"
    "To: Ada <ada@acme.example>; Office\n\t<office@lantern.example>;\n ced@acme.example\n"
    "Cc: Dan Roe <dan@acme.example>\nSubject: Your order 77-01 of 30 January 2026\n\n"
)
# Each as a mail program writes it above the mail below.
ANNOUNCED = {
    "outlook": f"-----Original Message-----\n{OUTLOOK}",
    "outlook with a rule": f"________________________________\n{OUTLOOK}",
    "outlook in bold": OUTLOOK.replace("From:", "*From:*").replace("Sent:", "*Sent:*"),
    "outlook wrapped": (
        "-----Original Message-----\nFrom: list-admin@shop.example [mailto:list-admin@shop.example]On Behalf Of Bo\n"
        "Lamp\nSent: Monday, February 2, 2026 9:14 AM\nTo: Ada\n"
        "Subject: All that you ever wanted to know of your order no. 77-01 of the day\n30 January 2026\n\n"
    ),
    "exmh": (
        "    Date:        Mon, 2 Feb 2026 09:14:00 +0100\n    From:        Bo Lamp <bo@shop.example>\n"
        "    Message-ID:  <77-01@shop.example>\n\n"
    ),
    "german": (
        "-----Ursprüngliche Nachricht-----\nVon: Bo Lamp <bo@shop.example>\n"
        "Gesendet: Montag, 2. Februar 2026 09:14\nAn: Ada\nBetreff: Ihre Bestellung 77-01 vom 30.01.2026\n\n"
    ),
    "german without a mark": (
        "Von: Bo Lamp\nDatum: Montag, 2. Februar 2026 um 09:14\nAn: Ada\nCc: Dan\nBetreff: Bestellung 77-01\n\n"
    ),
    "french": (
        "De : Bo Lamp <bo@shop.example>\nEnvoyé : lundi 2 février 2026 09:14\nÀ : Ada\n"
        "Objet : Votre commande 77-01 du 30/01/2026\n\n"
    ),
    "spanish": "De: Bo <bo@shop.example>\nEnviado el: lunes, 2 de febrero de 2026 9:14\nPara: Ada\nAsunto: Pedido 77-01\n\n",
    "italian": "Da: Bo <bo@shop.example>\nInviato: lunedì 2 febbraio 2026 09:14\nA: Ada\nOggetto: Ordine 77-01\n\n",
    "japanese": "差出人: Bo <bo@shop.example>\n送信日時: 2026年2月2日 9:14\n宛先: Ada\n件名: ご注文 77-01\n\n",
    "arabic": "من: Bo <bo@shop.example>\nالتاريخ: 2026-02-02\nإلى: Ada\nالموضوع: الطلب 77-01\n\n",
    "gmail": (
        "---------- Forwarded message ---------\nFrom: Bo Lamp <bo@shop.example>\n"
        "Date: Mon, 2 Feb 2026 at 09:14\nSubject: Order 77-01\nTo: Ada <ada@acme.example>\n\n\n"
    ),
    "apple": (
        "Begin forwarded message:\n\nFrom: Bo Lamp <bo@shop.example>\nSubject: Order 77-01\n"
        "Date: 2 February 2026 at 09:14:00 CET\nTo: Ada <ada@acme.example>\n\n"
    ),
    "thunderbird": (
        "-------- Forwarded Message --------\nSubject: \tOrder 77-01\nDate: \tMon, 2 Feb 2026 09:14:00 +0100\n"
        "From: \tBo Lamp <bo@shop.example>\nTo: \tAda <ada@acme.example>\n\n\n"
    ),
    "notes": (
        "----- Forwarded by Bo Lamp/Shop on 02/02/2026 09:14 AM -----\n\n        Bo Lamp/Shop\n"
        "        02/02/2026 09:14 AM\n\n  To\n        Ada/Acme@Acme\n  cc\n\n  Subject\n        Order 77-01\n\n"
    ),
    "german notes": (
        "----- Weitergeleitet von Bo Lamp/Shop am 02.02.2026 09:14 -----\n\nVon:\tBo Lamp/Shop\nAn:\tAda/Acme\n"
        "Kopie:\t\nDatum:\t02.02.2026 09:14\nBetreff:\tBestellung 77-01\n\n"
    ),
    "attribution": "On Mon, 2 Feb 2026 at 09:14, Bo Lamp (order 77-01) <bo@shop.example> wrote:\n\n",
    "wrapped attribution": "On Mon, 2 Feb 2026 at 09:14, Bo Lamp (order 77-01)\n<bo@shop.example> wrote:\n\n",
    "german attribution": "Am 02.02.2026 um 09:14 schrieb Bo Lamp, Bestellung 77-01:\n\n",
    "french attribution": "Le lun. 2 févr. 2026 à 09:14, Bo Lamp <bo@shop.example> a écrit :\n\n",
}  # fmt: skip
SAID = "The order 88-12 ships on 9 April 2026. Write to help@shop.example."
ASKED = {
    "properties": {
        "order_number": TEXT,
        "order_date": DAY,
        "shipping_date": DAY,
        "sent": MOMENT,
        "date": DAY,
    }
}


def read(text: str, schema: dict, *, subject: str = "Fwd: lamps", language: str = "en") -> dict:
    own = new_text(text)
    layers = layers_of(subject, own, text, ())
    sent_at = datetime(2026, 3, 2, 12, tzinfo=UTC)
    return extract_from(
        Document(layers, sent_at, subject=subject, own_text=own, language=language), schema
    ).data


def quoted(text: str, mark: str = "> ") -> str:
    return "".join(f"{mark}{line}".rstrip() + "\n" for line in text.split("\n"))


@in_one_test("head", ANNOUNCED.values())
@in_one_test("above", ["", "Please have a look at this one, Ced.\n\n"])
def test_the_header_of_a_mail_that_is_quoted_or_forwarded_is_no_data(head, above):
    for body in (head + SAID, quoted(head + SAID), quoted(head + SAID, "> > ")):
        found = read(above + body, ASKED)
        assert found.pop("date", "2026-04-09") == "2026-04-09", body
        assert found == {"order_number": "88-12", "shipping_date": "2026-04-09"}, body


@in_one_test("head", ANNOUNCED.values())
def test_a_header_alone_says_nothing(head):
    assert read(head, ASKED) == {}
    assert read(f"{head}Thanks!", ASKED) == {}


def test_what_a_mail_says_itself_counts_before_what_it_quotes():
    body = quoted(f"{OUTLOOK}{SAID}")
    assert read(f"It is order 99-13 of 1 March 2026.\n\n{body}", ASKED)["order_number"] == "99-13"


@pytest.mark.parametrize(
    "form",
    [
        "From: London\nTo: Paris\nDate: 9 April 2026\nSeats: 2",
        "Date: 9 April 2026\nSubject: the annual meeting",
        "To: be done by 9 April 2026",
    ],
)
def test_a_form_is_no_header(form):
    assert (
        read(f"Please book this:\n\n{form}", {"properties": {"date": DAY}})["date"] == "2026-04-09"
    )


# It is Monday, 2 March 2026; the subject names a weekday, and the text the date in full.
WEEKDAYS = [
    ("meeting_date", "Meeting on Friday", "Friday, 13 March 2026 suits us.", "en", "2026-03-13"),
    ("meeting_date", "Meeting on Friday", "We moved it to Tuesday, 17 March 2026.", "en", "2026-03-17"),
    ("date", "Friday", "It is on 13 March 2026 in room 4.", "en", "2026-03-13"),
    ("date", "Friday?", "It is on 13 March in room 4.", "en", "2026-03-13"),
    ("delivery_date", "Delivery on Friday", "We will come on 13 March 2026.", "en", "2026-03-13"),
    ("start_date", "Workshop from Friday", "It is in Berlin, 13 March 2026.", "en", "2026-03-13"),
    ("termin", "Termin am Freitag", "Passt Ihnen der 13. März 2026?", "de", "2026-03-13"),
    ("meeting_date", "Besprechung Freitag", "Wir sehen uns am 13.03.2026.", "de", "2026-03-13"),
    ("date", "Réunion vendredi", "Elle aura lieu le 13 mars 2026.", "fr", "2026-03-13"),
    ("date", "Reunión el viernes", "Será el 13 de marzo de 2026.", "es", "2026-03-13"),
    ("date", "会議 金曜日", "2026年3月13日に行います。", "ja", "2026-03-13"),
    ("date", "اجتماع الجمعة", "الموعد 2026-03-13.", "ar", "2026-03-13"),
    # A date that is something else, or over, says nothing of the weekday; nor does no date.
    ("meeting_date", "Meeting on Friday", "Thank you for your order of 2 February 2026.", "en", "2026-03-06"),
    ("meeting_date", "Meeting on Friday", "We spoke on 12 February 2026.", "en", "2026-03-06"),
    ("meeting_date", "Meeting on Friday", "Your invoice is due by 20 March 2026.", "en", "2026-03-06"),
    ("meeting_date", "Meeting on Friday", "Does it suit you?", "en", "2026-03-06"),
    ("meeting_date", "Meeting on 6 March", "Not on Friday, 13 March 2026.", "en", "2026-03-06"),
]  # fmt: skip


@in_one_test(("name", "subject", "text", "language", "day"), WEEKDAYS)
def test_the_full_date_of_the_text_counts_before_a_weekday_of_the_subject(
    name, subject, text, language, day
):
    assert read(text, {"properties": {name: DAY}}, subject=subject, language=language) == {
        name: day
    }


def test_the_full_moment_of_the_text_counts_before_a_weekday_of_the_subject():
    schema = {"properties": {"meeting_at": MOMENT}}
    subject, text = "Meeting on Friday at 9:00 UTC", "We meet on 13 March 2026 at 10:30 UTC."
    assert read(text, schema, subject=subject) == {"meeting_at": "2026-03-13T10:30:00Z"}


def deep(levels: int) -> dict:
    schema: dict = TEXT
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


HOSTILE = {
    "no object": ([1], "/"),
    "deep": (deep(200), "/"),
    "remote": ({"properties": {"a": {"$ref": "https://evil.example/x"}}}, "/properties/a/$ref"),
    "hidden remote": (
        {"properties": {"default": {"$ref": "file:///etc/passwd"}}}, "/properties/default/$ref",
    ),
    "circle": ({"properties": {"a": {"$ref": "#"}}}, "/$ref"),
    "nowhere": ({"properties": {"a": {"$ref": "#/$defs/b"}}}, "/properties/a/$ref"),
    "dynamic": ({"properties": {"a": {"$dynamicRef": "#b"}}}, "/properties/a/$dynamicRef"),
    "dialect": ({"$schema": "http://json-schema.org/draft-07/schema#", "properties": {}}, "/$schema"),
    "no schema": ({"properties": {"a": {"type": "strin"}}}, "/properties/a/type"),
    "no properties": ({"type": "object"}, "/properties"),
    "no pattern": ({"properties": {"a": {"pattern": "("}}}, "/properties/a/pattern"),
    "counts": ({"properties": {"a": {"pattern": "(a{1,5000}){1,5000}"}}}, "/properties/a/pattern"),
    "large": ({"properties": {"a": {"description": "x" * 70_000}}}, "/"),
    "many": ({"properties": {f"a{n}": {} for n in range(300)}}, "/properties"),
    "long name": ({"properties": {"x" * 3000: TEXT}}, "/properties"),
    "unfolding": (
        {
            "$defs": {
                f"d{n}": {"properties": {side: {"$ref": f"#/$defs/d{n + 1}"} for side in "xy"}}
                for n in range(12)
            } | {"d12": TEXT},
            "properties": {"a": {"$ref": "#/$defs/d0"}},
        }, "/$ref",
    ),
}  # fmt: skip


@in_one_test(("schema", "pointer"), HOSTILE.values())
def test_a_schema_that_cannot_be_filled_in_is_refused_by_pointer(schema, pointer):
    with pytest.raises(SchemaError) as caught:
        check_schema(schema)
    assert (caught.value.pointer or "/") == pointer


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^([0-9]+)+x$", "(.*a){12}$"])
def test_a_pattern_that_would_never_end_finds_nothing(pattern):
    schema = {"properties": {"order_number": {"type": "string", "pattern": pattern}}}
    found = extract_from(document("order number " + "1" * 38 + " " + "a" * 3000), schema)
    assert found.data == {}


@in_one_test(
    "text",
    ["a" * 20_000, "1 " * 10_000, "1.1." * 5000, "A B C " * 4000, "x: y\n" * 5000, "€" * 20_000],
)
def test_a_tiresome_text_comes_to_an_end(text):
    for name in ("invoice", "order", "contact", "meeting"):
        extract_from(document(text), default(name))


@in_one_test("name", ["((", "[a-z]+", "日付", "", "a{5", "\\"])
def test_a_strange_name_is_only_a_name(name):
    extract_from(document("On 3 March."), {"properties": {name: TEXT, f"{name}2": WHOLE}})
