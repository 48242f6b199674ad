"""Invoices, orders, bookings and notices of parcels in the layouts that rules are made for."""

from bench.understanding.extraction.facts import Facts
from bench.understanding.extraction.letters import Labelled, mail
from bench.understanding.extraction.schemas import BOOKING, INVOICE, ORDER, labelled
from tests.documents import docx_of, pdf_of

_BILLED = ("invoice_number", "invoice_date", "due_date", "total", "currency", "supplier")


def lines(f: Facts) -> Labelled:
    """Return a letter with a label and a value a line, and a signature."""
    w, s = f.words, f.say
    text = (
        f"{w['greeting']}\n\n{w['number']}: {s['number']}\n{w['date']}: {s['date']}\n"
        f"{w['customer']}: {s['customer']}\n{w['net']}: {s['net']}\n{w['tax']}: {s['vat_sum']}\n"
        f"{w['total']}: {s['total']}\n{w['due']}: {s['due']}\n\nIBAN: {s['iban']}\n\n"
        f"{w['closing']}\n{s['person']}\n--\n{s['company']}\n{s['street']}\n{s['city']}\n"
    )
    raw = mail(w["title"].format(number=s["number"]), text)
    fields = (*_BILLED, "net_total", "vat_amount", "customer_number", "iban")
    return labelled("lines", INVOICE, raw, f, fields)


def prose(f: Facts) -> Labelled:
    """Return a letter in sentences."""
    text = f.words["prose"].format(**f.say)
    raw = mail(f.words["title"].format(number=f.say["number"]), text)
    return labelled("prose", INVOICE, raw, f, (*_BILLED, "iban"))


def html_pairs(f: Facts) -> Labelled:
    """Return a table of two columns."""
    w, s = f.words, f.say
    pairs = [
        (w["number"], s["number"]), (w["date"], s["date"]), (w["due"], s["due"]),
        (w["order"], s["order"]), (w["net"], s["net"]), (w["tax"], s["vat_sum"]), (w["total"], s["total"]),
    ]  # fmt: skip
    rows = "".join(f"<tr><td><b>{label}</b></td><td>{value}</td></tr>" for label, value in pairs)
    html = (
        f"<p>{w['greeting']}</p><table>{rows}</table><p>{w['closing']}<br>{s['person']}<br>"
        f"{s['company']}<br>{s['street']}, {s['city']}</p>"
    )
    raw = mail(w["title"].format(number=s["number"]), html=html)
    fields = (*_BILLED, "order_number", "net_total", "vat_amount")
    return labelled("html_pairs", INVOICE, raw, f, fields)


def _item_rows(f: Facts) -> list[list[str]]:
    return [[it.what, str(it.quantity), f.money(it.price), f.money(it.total)] for it in f.items]


def html_invoice(f: Facts) -> Labelled:
    """Labels above values, the lines of items, and sums below them."""
    w, s = f.words, f.say
    head = "".join(f"<th>{w[name]}</th>" for name in ("number", "date", "customer", "due"))
    values = "".join(f"<td>{s[name]}</td>" for name in ("number", "date", "customer", "due"))
    columns = "".join(f"<th>{it}</th>" for it in w["columns"])
    items = "".join(
        "<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in _item_rows(f)
    )
    sums = "".join(
        f"<tr><td></td><td></td><td>{w[name]}</td><td>{s[said]}</td></tr>"
        for name, said in (("net", "net"), ("tax", "vat_sum"), ("total", "total"))
    )
    html = (
        f"<h1>{s['company']}</h1><p>{s['street']}<br>{s['city']}</p><table><tr>{head}</tr><tr>{values}</tr></table>"
        f"<table><tr>{columns}</tr>{items}{sums}</table><p>IBAN {s['iban']}</p>"
    )
    raw = mail(
        w["title"].format(number=s["number"]),
        html=html,
        sender=(s["company"], "billing@supplier.example"),
    )
    fields = (*_BILLED, "customer_number", "net_total", "vat_amount", "iban", "items")
    return labelled("html_invoice", INVOICE, raw, f, fields)


def pdf_invoice(f: Facts) -> Labelled:
    """Return a PDF: addresses on the left, labels and values on the right, items, sums, the bank below."""
    w, s = f.words, f.say
    page = [(50, 790, s["company"]), (50, 776, s["street"]), (50, 762, s["city"])]
    page += [(50, 720, s["buyer"]), (50, 706, s["buyer_street"]), (50, 692, s["buyer_city"])]
    for row, name in enumerate(("number", "date", "customer", "due")):
        page += [(330, 720 - 14 * row, w[name]), (460, 720 - 14 * row, s[name])]
    page += [(50, 640, w["title"].format(number=s["number"]))]
    rows = [w["columns"], *_item_rows(f)]
    for row, cells in enumerate(rows):
        page += [
            (x, 610 - 16 * row, cell) for x, cell in zip((50, 280, 360, 470), cells, strict=True)
        ]
    below = 610 - 16 * len(rows) - 10
    for row, (name, said) in enumerate((("net", "net"), ("tax", "vat_sum"), ("total", "total"))):
        page += [(330, below - 14 * row, w[name]), (470, below - 14 * row, s[said])]
    page += [(50, 80, f"{s['company']}  IBAN {s['iban']}  {s['vat']}")]
    content = pdf_of(page)
    raw = mail(s["company"], f"{w['greeting']}\n\n{w['closing']}\n{s['person']}\n", files=(
        ("Doc-2026-000.pdf", "application/pdf", content),))  # fmt: skip
    fields = (*_BILLED, "customer_number", "net_total", "vat_amount", "iban", "vat_id", "items")
    return labelled("pdf_invoice", INVOICE, raw, f, fields)


def forwarded(f: Facts) -> Labelled:
    """Return a colleague forwards the supplier's mail."""
    w, s = f.words, f.say
    text = (
        "FYI\n\n---------- Forwarded message ---------\n"
        f"From: {s['company']} <billing@supplier.example>\nDate: Fri, 11 Sept 2026 at 08:02\n"
        f"Subject: {w['title'].format(number=s['number'])}\nTo: <bo@lantern.example>\n\n"
        f"{w['greeting']}\n\n{w['number']}: {s['number']}\n{w['date']}: {s['date']}\n"
        f"{w['total']}: {s['total']}\n{w['due']}: {s['due']}\n\n{w['closing']}\n{s['company']}\n"
    )
    raw = mail("Fwd: Invoice", text, sender=("Bo Lamp", "bo@lantern.example"))
    return labelled("forwarded", INVOICE, raw, f, _BILLED)


def docx_order(f: Facts) -> Labelled:
    """Return a Word file with a table."""
    w, s = f.words, f.say
    rows = [
        [w["order"], s["order"]],
        [w["ordered"], s["ordered"]],
        [w["total"], s["total"]],
        [w["arrives"], s["arrives"]],
    ]
    content = docx_of(s["company"], rows, w["closing"])
    raw = mail("Document", w["greeting"], files=(("x.docx", "application/octet-stream", content),))
    fields = ("order_number", "order_date", "total", "currency", "delivery_date")
    return labelled("docx_order", ORDER, raw, f, fields)


def order_prose(f: Facts) -> Labelled:
    """Return a letter that confirms an order."""
    raw = mail(
        f.say["company"],
        f.words["ordering"].format(**f.say),
        sender=(f.say["company"], "shop@supplier.example"),
    )
    fields = ("order_number", "order_date", "total", "currency", "delivery_date", "status")
    return labelled("order_prose", ORDER, raw, f, fields)


def order_html(f: Facts) -> Labelled:
    """Return a mail of a shop."""
    w, s = f.words, f.say
    pairs = [
        (w["order"], s["order"]),
        (w["ordered"], s["ordered"]),
        (w["arrives"], s["arrives"]),
        (w["tracking"], s["tracking"]),
    ]
    rows = "".join(f"<tr><td>{label}:</td><td>{value}</td></tr>" for label, value in pairs)
    items = "".join(
        f"<tr><td>{it.quantity} x {it.what}</td><td>{f.money(it.total)}</td></tr>" for it in f.items
    )
    html = f"<p>{w['greeting']}</p><table>{rows}</table><table>{items}<tr><td>{w['total']}</td><td>{s['total']}</td></tr></table>"
    raw = mail(
        f"{w['order']} {s['order']}", html=html, sender=(s["company"], "shop@supplier.example")
    )
    fields = ("order_number", "order_date", "total", "currency", "delivery_date", "tracking_number")
    return labelled("order_html", ORDER, raw, f, fields)


def booking(f: Facts) -> Labelled:
    """Return a confirmation of rooms."""
    w, s = f.words, f.say
    number, came, left, guests = w["booking"]
    text = (
        f"{w['greeting']}\n\n{number}: {s['booking']}\n{came}: {s['check_in']}\n{left}: {s['check_out']}\n"
        f"{guests}: {s['guests']}\n{w['total']}: {s['total']}\n\n{w['closing']}\nHotel Miramar\n"
    )
    raw = mail(f"{number} {s['booking']}", text, sender=("Hotel Miramar", "stay@miramar.example"))
    return labelled(
        "booking",
        BOOKING,
        raw,
        f,
        ("booking_number", "check_in", "check_out", "guests", "total", "currency"),
    )


LAYOUTS = (
    lines, prose, html_pairs, html_invoice, pdf_invoice, forwarded, docx_order, order_prose,
    order_html, booking,
)  # fmt: skip
