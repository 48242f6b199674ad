"""Public invoices with what is known to stand in them; they lie outside of this repository.

Of invoice2data the comparisons, with what its templates find; and PDFs with the same invoice as
XML in them (Factur-X, ZUGFeRD). Both are in halves by a hash of the seller, one only counted.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pypdf
from pypdf.errors import PyPdfError

from bench.understanding.extraction.letters import Labelled, mail
from bench.understanding.extraction.schemas import default

# Theirs, ours.
_FIELDS = {
    "invoice_number": "invoice_number", "date": "invoice_date", "amount": "total", "currency": "currency",
    "date_due": "due_date", "iban": "iban", "vat": "vat_id",
}  # fmt: skip


def _half_of(seller: str) -> str:
    return "aside" if hashlib.sha256(seller.encode()).digest()[0] % 2 else "tuned"


def read_public(checkout: Path, half: str) -> Iterator[Labelled]:
    """Yield those of one half of the invoices for which a result is kept.

    What the result does not say is not asked for.
    """
    for path in sorted(checkout.glob("tests/compare/*.json")):
        pages = [it for it in (path.with_suffix(".pdf"), path.with_suffix(".txt")) if it.exists()]
        kept = json.loads(path.read_text(encoding="utf-8"))
        if not pages or not kept:
            continue
        truth = {ours: _value(kept[0][it]) for it, ours in _FIELDS.items() if kept[0].get(it)}
        if _half_of(str(kept[0].get("issuer", ""))) == half:
            yield _asking(f"invoice2data {path.stem}", pages[0], truth)


def read_facturx(folder: Path, half: str) -> Iterator[Labelled]:
    """Yield the PDFs of one half that hold their own XML, with what of it they show."""
    for path in sorted(folder.glob("**/*.pdf")):
        try:
            reader = pypdf.PdfReader(path)
            held = {name: it[0] for name, it in reader.attachments.items() if name.endswith(".xml")}
            shown = "\n".join(page.extract_text() for page in reader.pages[:10])
        except (PyPdfError, ValueError, KeyError, TypeError, AttributeError):
            continue
        truth = _told(next(iter(held.values())).decode("utf-8", "replace")) if held else {}
        is_half = _half_of(str(truth.get("supplier", ""))) == half
        truth = {name: it for name, it in truth.items() if _is_shown(it, shown)}
        if len(truth) > 2 and is_half:
            yield _asking(f"facturx {path.stem}", path, truth)


# Where the XML has it (UN/CEFACT CII): within which element, and which one.
_PLACES = {
    "invoice_number": ("(?:Header)?ExchangedDocument", "ID"),
    "invoice_date": ("IssueDateTime", "DateTimeString"), "due_date": ("DueDateDateTime", "DateTimeString"),
    "supplier": ("SellerTradeParty", "Name"), "iban": ("PayeePartyCreditorFinancialAccount", "IBANID"),
    "total": ("SpecifiedTradeSettlement(?:Header)?MonetarySummation", "GrandTotalAmount"),
    "due": ("SpecifiedTradeSettlement(?:Header)?MonetarySummation", "DuePayableAmount"),
    "currency": ("ApplicableHeaderTradeSettlement|ApplicableSupplyChainTradeSettlement", "InvoiceCurrencyCode"),
}  # fmt: skip


def _told(xml: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    xml = re.sub(r"<!--.*?-->", "", xml, flags=re.DOTALL)
    for name, (within, element) in _PLACES.items():
        inner = re.search(
            rf"<(?:\w+:)?(?:{within})\b[^>]*>(.*?)</(?:\w+:)?(?:{within})>", xml, re.DOTALL
        )
        hit = re.search(rf"<(?:\w+:)?{element}\b[^>]*>([^<]+)<", inner[1]) if inner else None
        if hit is not None:
            text = hit[1].strip()
            if name == "due":
                text = str(float(text))
            if name.endswith("_date"):
                text = f"{text[:4]}-{text[4:6]}-{text[6:8]}"
            found[name] = float(text) if name in {"total", "due"} else text
    return found


def _is_shown(value: Any, text: str) -> bool:
    """Return True if a page shows the value, in whatever form."""
    folded = "".join(it for it in text.casefold() if it.isalnum())
    if isinstance(value, float):
        return f"{value:.2f}".replace(".", "") in folded
    if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        year, month, day = value.split("-")
        return bool(
            re.search(
                rf"(?<!\d)0?{int(day)}\D.{{0,12}}{year}|{year}.{month}.{day}|0?{int(day)}\.0?{int(month)}\.{year[2:]}",
                text,
            )
        )
    if value in {"EUR", "USD", "GBP", "CHF"}:
        return value in text or {"EUR": "€", "USD": "$", "GBP": "£"}.get(value, value) in text
    return "".join(it for it in value.casefold() if it.isalnum()) in folded


def _asking(name: str, path: Path, truth: dict[str, Any]) -> Labelled:
    """Return a mail with the file, which is asked for what is known of it and nothing else."""
    schema = default("invoice")
    asked = {it: field for it, field in schema["properties"].items() if it in truth}
    kind = "application/pdf" if path.suffix == ".pdf" else "text/plain"
    raw = mail("Document", "Hello,", files=((f"document{path.suffix}", kind, path.read_bytes()),))
    due = truth.pop("due", None)
    also: dict[str, tuple[Any, ...]] = {"total": (due,)} if due is not None else {}
    if "\n" in str(truth.get("supplier", "")):
        # Numbers and the first part of a name may stand in lines of their own.
        also["supplier"] = (truth["supplier"].strip().split("\n")[-1],)
    return Labelled(name, {**schema, "properties": asked, "required": []}, raw, truth, also)


def _value(value: Any) -> Any:
    if isinstance(value, str):
        for form in ("%Y-%m-%d", "%d/%m/%Y", "%Y-%m-%dT%H:%M:%S"):
            try:
                return datetime.strptime(value, form).date().isoformat()  # noqa: DTZ007 (a day)
            except ValueError:
                continue
    return value
