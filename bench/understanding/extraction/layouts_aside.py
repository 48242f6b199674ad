"""The same documents in other layouts, by which no rule is made: they are only counted."""

from bench.understanding.extraction.facts import Facts
from bench.understanding.extraction.letters import Labelled, mail
from bench.understanding.extraction.schemas import BOOKING, INVOICE, ORDER, labelled
from tests.documents import docx_of, pdf_of, zipped

_BILLED = ("invoice_number", "invoice_date", "due_date", "total", "currency", "supplier")


def columns(f: Facts) -> Labelled:
    """Plain text whose values are aligned by spaces, as old systems print it."""
    w, s = f.words, f.say
    pairs = [("number", "number"), ("date", "date"), ("customer", "customer"), ("due", "due")]
    head = "".join(f"{w[label]:<30}{s[said]:>20}\n" for label, said in pairs)
    items = "".join(f"{it.quantity:>4} {it.what:<30}{f.bare(it.total):>14}\n" for it in f.items)
    sums = "".join(
        f"{w[label]:<35}{s[said]:>14}\n"
        for label, said in (("net", "net"), ("tax", "vat_sum"), ("total", "total"))
    )
    text = (
        f"{s['company']}\n{s['street']}\n{s['city']}\n\n{w['title'].format(number=s['number'])}\n\n{head}\n"
        f"{'-' * 49}\n{items}{'-' * 49}\n{sums}\nIBAN {s['iban']}\n"
    )
    raw = mail(
        f"{s['company']}: {w['title'].format(number=s['number'])}",
        text,
        sender=("", "no-reply@supplier.example"),
    )
    return labelled(
        "columns", INVOICE, raw, f, (*_BILLED, "customer_number", "net_total", "vat_amount", "iban")
    )


def prose(f: Facts) -> Labelled:
    """Return a letter in other sentences."""
    raw = mail(f.words["title"].format(number=f.say["number"]), f.words["prose"].format(**f.say))
    return labelled("prose", INVOICE, raw, f, (*_BILLED, "iban"))


def nested(f: Facts) -> Labelled:
    """Tables within tables, as mail builders make them; the sum stands out above all."""
    w, s = f.words, f.say
    cell = '<td style="padding:4px"><div style="color:#777">{}</div><div><strong>{}</strong></div></td>'
    boxes = "".join(cell.format(w[name], s[name]) for name in ("number", "date", "due"))
    html = (
        '<table width="100%"><tr><td align="center"><table width="600"><tr><td>'
        f"<h2>{w['title'].format(number=s['number'])}</h2><p style='font-size:28px'>{s['total']}</p>"
        f"<table><tr>{boxes}</tr></table><p>{w['greeting']}</p>"
        f"<table><tr><td>{w['net']}</td><td align='right'>{s['net']}</td></tr>"
        f"<tr><td>{w['tax']}</td><td align='right'>{s['vat_sum']}</td></tr>"
        f"<tr><td><b>{w['total']}</b></td><td align='right'><b>{s['total']}</b></td></tr></table>"
        f"<p style='font-size:11px'>{s['company']}, {s['street']}, {s['city']} - {s['vat']}</p>"
        "</td></tr></table></td></tr></table>"
    )
    raw = mail(
        w["title"].format(number=s["number"]),
        html=html,
        sender=(s["company"], "hello@supplier.example"),
    )
    return labelled("nested", INVOICE, raw, f, (*_BILLED, "net_total", "vat_amount", "vat_id"))


def pdf_boxes(f: Facts) -> Labelled:
    """Return a PDF whose labels stand above the values in a bar, and whose sums stand at the right."""
    w, s = f.words, f.say
    page = [
        (380, 800, s["company"]),
        (380, 788, s["street"]),
        (380, 776, s["city"]),
        (380, 764, s["vat"]),
    ]
    page += [(60, 740, s["buyer"]), (60, 728, s["buyer_street"]), (60, 716, s["buyer_city"])]
    page += [(60, 680, w["title"].format(number=s["number"]))]
    for x, name in zip((60, 200, 320, 440), ("number", "date", "order", "due"), strict=True):
        page += [(x, 650, w[name]), (x, 636, s[name])]
    columns = list(zip((60, 300, 380, 470), w["columns"], strict=True))
    page += [(x, 600, label) for x, label in columns]
    for row, it in enumerate(f.items):
        cells = (it.what, str(it.quantity), f.bare(it.price), f.bare(it.total))
        page += [(x, 584 - 15 * row, cell) for (x, _), cell in zip(columns, cells, strict=True)]
    below = 570 - 15 * len(f.items)
    for row, (name, said) in enumerate((("net", "net"), ("tax", "vat_sum"), ("total", "total"))):
        page += [(380, below - 15 * row, w[name]), (470, below - 15 * row, s[said])]
    page += [(60, 60, f"IBAN: {s['iban']}")]
    raw = mail(
        w["title"].format(number=""), f"{w['greeting']}\n\n{w['closing']}\n{s['person']}\n",
        files=(("scan_20260101_7781.pdf", "application/octet-stream", pdf_of(page)),),
        sender=(s["company"], "billing@supplier.example"),
    )  # fmt: skip
    fields = (*_BILLED, "order_number", "net_total", "vat_amount", "iban", "vat_id", "items")
    return labelled("pdf_boxes", INVOICE, raw, f, fields)


def pdf_letter(f: Facts) -> Labelled:
    """Return a PDF that is a letter: the facts in sentences, and one table."""
    w, s = f.words, f.say
    said = w["prose"].format(**s).replace("\n\n", "\n")
    text = f"{s['company']}\n{s['street']}, {s['city']}\n\n{said}"
    raw = mail(
        s["company"], w["greeting"], files=(("letter.pdf", "application/pdf", pdf_of(text)),)
    )
    return labelled("pdf_letter", INVOICE, raw, f, (*_BILLED, "iban"))


def docx_invoice(f: Facts) -> Labelled:
    """Return a Word file: a table for the head and one for the lines."""
    w, s = f.words, f.say
    head = [
        [w["number"], s["number"], w["date"], s["date"]],
        [w["customer"], s["customer"], w["due"], s["due"]],
    ]
    rows = [
        w["columns"],
        *([it.what, str(it.quantity), f.money(it.price), f.money(it.total)] for it in f.items),
    ]
    sums = [
        ["", "", w[name], s[said]]
        for name, said in (("net", "net"), ("tax", "vat_sum"), ("total", "total"))
    ]
    content = docx_of(
        s["company"],
        f"{s['street']}, {s['city']}",
        w["title"].format(number=s["number"]),
        head,
        [*rows, *sums],
    )
    raw = mail(
        "Document", w["greeting"], files=(("7781-2025.docx", "application/octet-stream", content),)
    )
    fields = (*_BILLED, "customer_number", "net_total", "vat_amount", "items")
    return labelled("docx_invoice", INVOICE, raw, f, fields)


def workbook(f: Facts) -> Labelled:
    """Return an Excel file of labels and values, with the dates as numbers of days."""
    w, s = f.words, f.say
    values = [
        ("number", s["number"]),
        ("company", s["company"]),
        ("total", s["total"]),
        ("due", s["due"]),
    ]
    rows = "".join(
        f'<row><c t="inlineStr"><is><t>{w.get(name, name.title())}</t></is></c><c t="inlineStr"><is><t>{value}</t></is></c></row>'
        for name, value in values
    )  # fmt: skip
    rows = rows.replace("&", "&amp;")
    content = zipped(
        {"xl/worksheets/sheet1.xml": f"<worksheet><sheetData>{rows}</sheetData></worksheet>"}
    )
    raw = mail(
        "Export", w["greeting"], files=(("export.xlsx", "application/octet-stream", content),)
    )
    return labelled(
        "workbook", INVOICE, raw, f, ("invoice_number", "due_date", "total", "currency", "supplier")
    )


def passed_on(f: Facts) -> Labelled:
    """Return one forwarded by Outlook, with words of the colleague's own and his signature."""
    w, s = f.words, f.say
    text = (
        "Hi Ada, please see below and pay.\n\nThanks\nBo Lamp\nLantern Works\nTel. +44 20 7946 0999\n\n"
        f"From: {s['company']} <billing@supplier.example>\nSent: Friday, 11 September 2026 08:02\n"
        f"To: Bo Lamp <bo@lantern.example>\nSubject: {w['title'].format(number=s['number'])}\n\n"
        f"{w['prose'].format(**s)}\n"
    )
    raw = mail(
        f"FW: {w['title'].format(number=s['number'])}",
        text,
        sender=("Bo Lamp", "bo@lantern.example"),
    )
    return labelled("passed_on", INVOICE, raw, f, (*_BILLED, "iban"))


def order_prose(f: Facts) -> Labelled:
    """Return a friendly confirmation."""
    raw = mail(
        f.say["company"],
        f.words["ordering"].format(**f.say),
        sender=(f.say["company"], "shop@supplier.example"),
    )
    return labelled(
        "order_prose",
        ORDER,
        raw,
        f,
        ("order_number", "order_date", "total", "currency", "delivery_date", "status"),
    )


def order_boxes(f: Facts) -> Labelled:
    """Return a shop's mail: labels above values, then lines, then sums."""
    w, s = f.words, f.say
    head = "".join(f"<th align='left'>{w[it]}</th>" for it in ("order", "ordered", "arrives"))
    values = "".join(f"<td>{s[it]}</td>" for it in ("order", "ordered", "arrives"))
    items = "".join(
        f"<tr><td>{it.what}</td><td>{it.quantity}</td><td>{f.money(it.total)}</td></tr>"
        for it in f.items
    )
    html = (
        f"<h1>{w['greeting']}</h1><table><thead><tr>{head}</tr></thead><tbody><tr>{values}</tr></tbody></table>"
        f"<table>{items}<tr><td></td><td>{w['net']}</td><td>{s['net']}</td></tr>"
        f"<tr><td></td><td>{w['tax']}</td><td>{s['vat_sum']}</td></tr>"
        f"<tr><td></td><td>{w['total']}</td><td>{s['total']}</td></tr></table><p>{w['closing']}, {s['company']}</p>"
    )
    raw = mail(w["order"], html=html, sender=(s["company"], "orders@supplier.example"))
    return labelled(
        "order_boxes",
        ORDER,
        raw,
        f,
        ("order_number", "order_date", "total", "currency", "delivery_date"),
    )


def shipped(f: Facts) -> Labelled:
    """Return a notice of a parcel in lists."""
    w, s = f.words, f.say
    html = (
        f"<p>{w['greeting']}</p><ul><li>{w['order']}: <b>{s['order']}</b></li><li>{w['tracking']}: <a href='https://t.example/x'>"
        f"{s['tracking']}</a></li><li>{w['arrives']}: {s['arrives']}</li></ul><p>{w['closing']}</p>"
    )
    raw = mail(s["company"], html=html, sender=(s["company"], "parcels@supplier.example"))
    return labelled("shipped", ORDER, raw, f, ("order_number", "tracking_number", "delivery_date"))


def order_pdf(f: Facts) -> Labelled:
    """Return a PDF with pairs of labels and values in two columns."""
    w, s = f.words, f.say
    page = [(50, 800, s["company"])]
    for row, (left, right) in enumerate((("order", "ordered"), ("arrives", "customer"))):
        y = 740 - 20 * row
        page += [
            (50, y, f"{w[left]}:"),
            (170, y, s[left]),
            (320, y, f"{w[right]}:"),
            (450, y, s[right]),
        ]
    for row, it in enumerate(f.items):
        page += [
            (50, 660 - 16 * row, f"{it.quantity} x {it.what}"),
            (450, 660 - 16 * row, f.money(it.total)),
        ]
    page += [(320, 560, w["total"]), (450, 560, s["total"])]
    raw = mail(s["company"], w["greeting"], files=(("order.pdf", "application/pdf", pdf_of(page)),))
    return labelled(
        "order_pdf",
        ORDER,
        raw,
        f,
        ("order_number", "order_date", "total", "currency", "delivery_date"),
    )


def booking(f: Facts) -> Labelled:
    """Return a confirmation of rooms in a table."""
    w, s = f.words, f.say
    number, came, left, guests = w["booking"]
    pairs = (
        (number, s["booking"]),
        (came, s["check_in"]),
        (left, s["check_out"]),
        (guests, s["guests"]),
        (w["total"], s["total"]),
    )
    rows = "".join(f"<tr><td>{label}</td><td>{value}</td></tr>" for label, value in pairs)
    html = (
        f"<p>{w['greeting']}</p><table border=1>{rows}</table><p>{w['closing']}<br>Pension Alba</p>"
    )
    raw = mail("Pension Alba", html=html, sender=("Pension Alba", "rooms@alba.example"))
    return labelled(
        "booking",
        BOOKING,
        raw,
        f,
        ("booking_number", "check_in", "check_out", "guests", "total", "currency"),
    )


LAYOUTS = (
    columns, prose, nested, pdf_boxes, pdf_letter, docx_invoice, workbook, passed_on, order_prose,
    order_boxes, shipped, order_pdf, booking,
)  # fmt: skip
