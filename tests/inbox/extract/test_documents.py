"""Bills and orders as many houses write them: which sum, whose number, which day, and who bills."""

from datetime import UTC, datetime

from inbox.extract import extract_from
from inbox.extract.document import document_of
from tests.cases import in_one_test

TEXT, DAY = {"type": "string"}, {"type": "string", "format": "date"}
INVOICE = {
    "invoice_number": TEXT, "invoice_date": DAY, "due_date": DAY, "supplier": TEXT, "iban": TEXT, "vat_id": TEXT,
    "total": {"type": "number", "description": "The total amount to be paid"}, "currency": TEXT,
}  # fmt: skip
ORDER = {"order_number": TEXT, "order_date": DAY, "delivery_date": DAY}


def extraction(text, properties, *, sender=("", "x@shop.example"), subject="", language="en"):
    document = document_of(
        subject=subject, new_text=text, text=text, attached=(), sender=sender,
        recipient=("Ada Byron", "ada@lantern.example"), own_emails=frozenset({"ada@lantern.example"}),
        sent_at=datetime(2026, 9, 14, 9, tzinfo=UTC), language=language,
    )  # fmt: skip
    return extract_from(document, {"type": "object", "properties": properties})


@in_one_test(
    ("text", "language", "total"),
    [
        ("Invoice total £310.00\nPayments received £60.00\nBalance due £250.00", "en", 250),
        ("Total charges £80.00\nAmount paid £80.00\nBalance due £0.00", "en", 80),
        ("Your bill came to £90.00; you paid £40.00 on the day, which leaves £50.00 outstanding.", "en", 50),
        ("Rechnungsbetrag brutto 500,00 €\nabzüglich Abschläge 420,00 €\nNachzahlung 80,00 €", "de", 80),
        ("Total TTC : 900,00 €\nAcompte versé : 300,00 €\nReste à payer : 600,00 €", "fr", 600),
        ("Totale documento 700,00 EUR\nSaldo dovuto 200,00 EUR", "it", 200),
        ("Totaalbedrag € 95,00\nReeds betaald € 45,00\nNog te betalen € 50,00", "nl", 50),
        ("Razem brutto: 400,00 zł\nPozostało do zapłaty: 150,00 zł", "pl", 150),
        ("It was 2 hours at £45 plus the tap at £62.40, so £152.40 all told.", "en", 152.4),
        ("Unpaid: 771 (£120.00), 802 (£120.00) and 833 (£135.00), altogether £375.00.", "en", 375),
        ("Credit limit £5,000.00\nNet £100.00\nVAT £20.00\nTotal £120.00", "en", 120),
    ],
)  # fmt: skip
def test_the_total_is_what_is_left_to_pay(text, language, total):
    assert extraction(text, INVOICE, language=language).data["total"] == total


@in_one_test(
    ("text", "language", "data"),
    [
        # A row of labels above values, and the lines of a table that is drawn.
        ("INVOICE NO     DATE          DUE          UNIT\nNS/551       01/09/2026    15/09/2026    214", "en",
         {"invoice_number": "NS/551", "invoice_date": "2026-09-01", "due_date": "2026-09-15"}),
        ("| Invoice no. | Date       |\n|-------------|------------|\n| INV-9       | 2026-09-03 |", "en",
         {"invoice_number": "INV-9", "invoice_date": "2026-09-03"}),
        # The day behind the number.
        ("Rechnung Nr. 8841 vom 11.09.2026, zahlbar bis 25.09.2026.", "de",
         {"invoice_number": "8841", "invoice_date": "2026-09-11", "due_date": "2026-09-25"}),
        ("Facture n° FA-118 du 21/07/2026\nÉchéance : 20/08/2026", "fr",
         {"invoice_number": "FA-118", "invoice_date": "2026-07-21", "due_date": "2026-08-20"}),
        ("Handelsrechnung (380) | Nr. 471102 | vom | 05.06.2026", "de",
         {"invoice_number": "471102", "invoice_date": "2026-06-05"}),
        # The end of a time is no day to pay by.
        ("Invoice no. 7\nPeriod: 6 March 2026 to 4 September 2026", "en", {"invoice_number": "7", "due_date": None}),
        # A credit note, and not the invoice that it takes back; a receipt where there is no invoice.
        ("Credit note no. CN-56\nDate 8 Sept 2026\nRelating to invoice RT-19 (14 July 2026)", "en",
         {"invoice_number": "CN-56", "invoice_date": "2026-09-08"}),
        ("Receipt no. 4409-2\nTotal £5.00", "en", {"invoice_number": "4409-2"}),
        # The taxes of whoever sells, in the forms of many countries.
        ("Factura nº 9\nEmisor: Tri, S.L. - NIF B41231002\nCliente: Lantern, NIF B99999999", "es", {"vat_id": "B41231002"}),
        ("Faktura nr 9\nSprzedawca: Sowa, NIP 774-00-01-454\nNabywca: Lantern, NIP 5261040828", "pl",
         {"vat_id": "774-00-01-454"}),
        ("Fattura n. 3/A\nTotale 10,00 EUR\nP.IVA 07448810924", "it", {"vat_id": "07448810924"}),
        ("Fatura: FT 2026/1\nNIF: 562585044", "pt", {"vat_id": "562585044"}),
    ],
)  # fmt: skip
def test_numbers_and_days_of_a_bill_stand_where_it_says_so(text, language, data):
    given = extraction(text, INVOICE, language=language).data
    assert {name: given.get(name) for name in data} == data


def test_an_account_whose_check_digits_are_wrong_is_given_only_as_called_so_and_less_surely():
    wrong = extraction("Invoice no. 9\nIBAN: DE12 1234 5678 9012 3456 78", INVOICE)
    assert wrong.data["iban"] == "DE12 1234 5678 9012 3456 78"
    assert wrong.places["iban"].sure < 0.7
    assert (
        "iban"
        not in extraction("Invoice no. 9\nReference DE12 1234 5678 9012 3456 78", INVOICE).data
    )
    assert extraction("IBAN GB29NWBK60161331926819", INVOICE).places["iban"].sure > 0.9


@in_one_test(
    ("text", "sender", "supplier"),
    [
        # By the domain, by the name without its desk, by the heading, by the form.
        ("Invoice no. 7\n\nThanks,\nJo\nCopper Beech Ventures", ("Jo Pryce", "jo@copperbeech.example"), "Copper Beech Ventures"),
        ("Invoice no. 7", ("Fernlea Hosting - Billing Department", "billing@fernleahosting.example"), "Fernlea Hosting"),
        ("Verkäufer\nNummer: 5\nName: Lampen Licht GmbH\n\nKäufer\nName: Kunden AG\n\nRechnung Nr. 7", ("", "x@y.example"),
         "Lampen Licht GmbH"),
        ("Invoice no. 7\nTotal £90.00\n\nCheers Dave\nPrentice Roofing", ("Dave Prentice", "dave@post.example"),
         "Prentice Roofing"),
        # Nobody bills where nothing of a bill is said.
        ("Did you know that one in three invoices is paid late?", ("Ledgerleaf Team", "news@ledgerleaf.example"), None),
    ],
)  # fmt: skip
def test_who_bills_is_known_without_a_legal_form(text, sender, supplier):
    assert extraction(text, INVOICE, sender=sender).data.get("supplier") == supplier


@in_one_test(
    ("text", "language", "data"),
    [
        ("Tu pedido ES-40021-X se ha entregado hoy.", "es", {"order_number": "ES-40021-X"}),
        ("A sua encomenda #3120, de 9 de setembro de 2026, foi expedida hoje.", "pt",
         {"order_number": "3120", "order_date": "2026-09-09"}),
        ("Vous avez passé la commande n° 240917 le 5 septembre 2026.", "fr", {"order_date": "2026-09-05"}),
        ("PO number : PO-2026-7\nPO date : 11-Sep-2026\nRequired at our dock by 05-Oct-2026.", "en",
         {"order_number": "PO-2026-7", "order_date": "2026-09-11", "delivery_date": "2026-10-05"}),
        # An offer is no order, and its last day no delivery.
        ("Place an order before Sunday night and take a fifth off, with free tracked delivery.", "en",
         {"order_number": None, "delivery_date": None}),
    ],
)  # fmt: skip
def test_numbers_and_days_of_an_order(text, language, data):
    given = extraction(text, ORDER, language=language).data
    assert {name: given.get(name) for name in data} == data


STATUS = {
    "status": {
        "enum": ["placed", "confirmed", "shipped", "delivered", "delayed", "cancelled", "returned"]
    }
}


@in_one_test(
    ("text", "language", "status"),
    [
        ("Thank you for your order!\n\nWe have received it and will let you know once it has shipped.", "en", "placed"),
        ("Order 7 confirmed\n\nThank you for your order. If you cancel, you are refunded.", "en", "confirmed"),
        ("Your order\n\nIt has been dispatched and will be delivered on Friday.", "en", "shipped"),
        ("Delivered: your order\n\nYour parcel was delivered today at 10:42. You can return it within 14 days.", "en", "delivered"),
        ("Ihre Bestellung\n\nSie hat unser Lager verlassen und wird am Mittwoch zugestellt.", "de", "shipped"),
        ("Votre commande\n\nLa livraison, prévue le 12 septembre, est reportée au 29 septembre.", "fr", "delayed"),
        ("Il Suo ordine\n\nAbbiamo dovuto annullare il Suo ordine n. W-20.", "it", "cancelled"),
        ("Reklamacja\n\nPaczka przyszła w piątek, niestety dwie filiżanki są stłuczone.", "pl", "delivered"),
        ("Din order är försenad\n\nTyvärr är din order 4471 försenad.", "sv", "delayed"),
        ("Return\n\nThe items you sent back arrived at our warehouse.", "en", "returned"),
        # Questions, plans and offers tell of nothing.
        ("Question\n\nBefore I place an order: is it possible to return it for a refund?", "en", None),
        ("Sale\n\nPlace an order before Sunday.", "en", None),
    ],
)  # fmt: skip
def test_what_became_of_an_order_is_what_the_text_says(text, language, status):
    subject, _, body = text.partition("\n\n")
    assert extraction(body, STATUS, subject=subject, language=language).data.get("status") == status


@in_one_test(
    ("text", "language", "is_asked"),
    [
        ("I have had enough, I just want my money back please.", "en", True),
        ("Proszę o zwrot pieniędzy na konto.", "pl", True),
        ("Je souhaite être remboursé.", "fr", True),
        ("Kunt u het bedrag terugstorten?", "nl", True),
        ("Refund: CA$ 83.62 to your original payment method, allow 3-5 business days.", "en", None),
        ("You can return unopened items within 14 days for a full refund.", "en", None),
    ],
)  # fmt: skip
def test_a_refund_is_requested_by_whoever_asks_for_it(text, language, is_asked):
    properties = {"refund_requested": {"type": "boolean"}}
    assert extraction(text, properties, language=language).data.get("refund_requested") is is_asked


@in_one_test(
    ("text", "language", "total"),
    [
        ("D'un montant de 1 200 € HT (1 440 € TTC), payable avant le 14 octobre.", "fr", 1440),
        ("3 posters at 1 200 CZK each, 3 600 CZK in total.", "en", 3600),
        ("Take 10 % off orders over £50.", "en", None),
    ],
)  # fmt: skip
def test_what_is_said_right_behind_a_sum_counts(text, language, total):
    assert extraction(text, INVOICE, language=language).data.get("total") == total


def test_a_day_that_is_over_is_none_to_come():
    given = extraction("It should have arrived last Thursday.", ORDER).data
    assert given.get("delivery_date") in {None, "2026-09-10"}


@in_one_test(
    ("text", "language", "data"),
    [
        # A number in other words, and no year for one.
        ("The invoice is numbered PD/26/11 and is dated 9 September 2026.", "en",
         {"invoice_number": "PD/26/11", "invoice_date": "2026-09-09"}),
        ("Payment receipt for Invoice 1048832 sent on 9/7/2026\nTransaction #: ch_3QxT1vB0", "en",
         {"invoice_number": "1048832"}),
        ("Abrechnung 2025\nBelegnummer: NK-2025-17\nBetrag 20,00 €", "de", {"invoice_number": "NK-2025-17"}),
        # Labels in one column, values in another, which a program wrote below each other.
        ("Notice no.\nNotice date\nDue date\nTotal due\n\nPHA-83\nSeptember 1, 2026\nOctober 1, 2026\n$40.00", "en",
         {"invoice_number": "PHA-83", "invoice_date": "2026-09-01", "due_date": "2026-10-01", "total": 40}),
        # What the net value and its tax come to, and what was told behind the value before.
        ("Arbeid en materiaal kwamen samen op € 242,00, met 21% btw (€ 50,82) is dat € 292,82.", "nl",
         {"total": 292.82}),
        ("Faktura 118: 6 250 kr inkl. moms (5 000 kr + 1 250 kr moms).", "sv", {"total": 6250}),
        # Of two days to pay by the one that is not over; a wrapped line; the day of the mail.
        ("La facture n° 26-208 reste impayée (échéance : 1 septembre 2026). Merci de la régler avant le 2 octobre 2026.",
         "fr", {"due_date": "2026-10-02"}),
        ("We will take £64.26 from your bank on 5 October 2026. Invoice 118.", "en", {"due_date": "2026-10-05"}),
        ("Sep 14, 2026\nTotal | $27.63", "en", {"invoice_date": "2026-09-14", "total": 27.63}),
        ("Start | Sep 14, 2026 3:02 PM\nYou paid | $14.50", "en", {"invoice_date": None}),
    ],
)  # fmt: skip
def test_bills_say_in_other_words_what_they_are(text, language, data):
    given = extraction(text, INVOICE, language=language).data
    assert {name: given.get(name) for name in data} == data


@in_one_test(
    ("sender", "text", "supplier"),
    [
        (("Kelp Photos via Billwell", "billing@billwell.example"),
         "Kelp Photos has sent you invoice 7 over €10.00.\n\nRegards\nTom", "Kelp Photos"),
        (("Condominio Via Verdi 8", "info@gallo.example"), "Invoice 7\nTotal €10.00", "Condominio Via Verdi 8"),
        (("Trip Payments", "pay@trip.example"),
         "Invoice 7\nTotal €10.00\n\nIssued by:\nHotel Marina Lda\nRua 1, Faro\n\nTrip B.V. acts as agent.", "Hotel Marina Lda"),
        (("PatientBill", "noreply@patientbill.example"),
         "Statement no. 7\nTotal €10.00\nPatientBill sends this on behalf of Rowan Dental Care.", "Rowan Dental Care"),
        (("Pinecrest OA", "noreply@portal.example"), "Pinecrest Owners Association\n\nInvoice no. 7\nTotal $10.00",
         "Pinecrest Owners Association"),
        (("Quill Billing", "billing@quill.example"), "Invoice 7\nQuill Pro, 6 x €16.50 | €99.00\nTotal | €99.00", "Quill"),
        (("Marta Kowal", "marta@kowal-art.example"), "Invoice 7\nTotal €10.00\n\nBest\nMarta", "Marta Kowal"),
        (("Marta Kowal", "marta@harrow.example"), "Invoice 7\nTotal €10.00\n\nBest\nMarta", None),
    ],
)  # fmt: skip
def test_who_bills_is_whom_a_program_sends_for(sender, text, supplier):
    assert extraction(text, INVOICE, sender=sender).data.get("supplier") == supplier


@in_one_test(
    ("text", "language", "due"),
    [
        ("Rechnung 2026/11 vom 10.09.2026 über 184,20 Euro, zahlbar innerhalb von 30 Tagen.", "de", "2026-10-10"),
        # An old bill is reminded of: then it is counted from the letter.
        ("Invoice 17 of 3 July 2026 over £90.00 is unpaid. Please pay within 7 days.", "en", "2026-09-21"),
        ("Invoice 31 was raised on 11 September 2026, £90.00, and is payable on collection.", "en", None),
    ],
)  # fmt: skip
def test_days_to_pay_are_counted_from_a_new_bill(text, language, due):
    assert extraction(text, INVOICE, language=language).data.get("due_date") == due
