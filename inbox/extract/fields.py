"""What a property of a schema asks for, read from its name, title, description and constraints."""

from dataclasses import dataclass, field
from typing import Any

import regex

from inbox.extract import roles
from inbox.extract.schemas import Schema, properties_of, resolve

_FORMATS = {
    "date": "date",
    "date-time": "datetime",
    "time": "time",
    "email": "email",
    "idn-email": "email",
    "uri": "url",
    "uri-reference": "url",
    "iri": "url",
    "iri-reference": "url",
    "duration": "length",
    "hostname": "host",
}
# In this order; the first that a name (or else a title, a description) has decides.
_NAMED_KINDS = {
    kind: regex.compile(rf"(?<![a-zäöü])(?:{'|'.join(words)})(?![a-zäöü])")
    for kind, words in {
        "iban": ("iban", "bank account(?: number)?", "bankverbindung", "kontonummer"),
        "bic": ("bic", "swift(?: code)?"),
        "vat": (
            "vat (?:id|number|no|nr|reg\\w*)",
            "ust ?id(?: ?nr)?",
            "umsatzsteuer ?id\\w*",
            "tax (?:id|number)",
            "vatid",
            "numéro de tva",
        ),
        "email": ("e ?mails?(?: address)?", "mail(?: ?adresse)?", "email\\w*"),
        "phone": (
            "phones?",
            "tel",
            "telephone",
            "mobile",
            "cell",
            "fax",
            "telefon\\w*",
            "handy\\w*",
            "rufnummer",
            "mobil\\w*",
            "whatsapp",
        ),
        "url": (
            "urls?",
            "web ?site",
            "web page",
            "homepage",
            "links?",
            "uri",
            "webseite",
            "internetseite",
        ),
        "currency": ("currency", "währung\\w*", "waehrung\\w*"),
        "datetime": ("date ?time", "timestamp", "zeitpunkt", "\\w+ at"),
        "length": ("duration", "dauer", "minutes", "hours", "minuten", "stunden"),
        "date": (
            "dates?",
            "(?:due|order|invoice|start|end|birth|delivery|ship|issue)dates?",
            "\\w*datum",
            "deadline",
            "due",
            "birthday",
            "dob",
            "\\w*termin",
            "frist",
            "\\w+tag",
            "fällig\\w*",
            "valid until",
            "\\w+ on",
            "expiry",
            "day",
        ),
        "time": ("time", "\\w+ time", "uhrzeit", "zeit", "beginn"),
        "money": (
            "amount",
            "\\w*total",
            "price",
            "sum",
            "costs?",
            "fee",
            "budget",
            "salary",
            "\\w*betrag",
            "\\w*summe",
            "\\w*preis",
            "kosten",
            "balance",
            "net",
            "gross",
            "brutto",
            "netto",
            "tax",
            "vat",
            "mwst",
            "discount",
            "rabatt",
            "refund",
            "deposit",
            "anzahlung",
            "shipping",
            "rent",
            "miete",
            "gehalt",
            "value",
            "montant",
            "importe",
        ),
        "street": ("street", "straße", "strasse", "address line(?: ?1)?", "address1"),
        "postcode": ("zip", "zip ?code", "post ?code", "postal ?code", "plz", "postleitzahl"),
        "city": ("city", "town", "stadt", "ville", "ciudad"),
        "country": ("country", "land", "pays", "país"),
        "address": ("\\w*address", "\\w*adresse", "\\w*anschrift"),
        "id": (
            "numbers?",
            "no",
            "nr",
            "\\w*nummern?",
            "ids?",
            "codes?",
            "reference",
            "ref",
            "referenz",
            "aktenzeichen",
            "sku",
            "serial",
            "plate",
            "kennzeichen",
            "po",
            "numéro",
            "número",
        ),
        "first_name": ("first ?name", "given ?name", "vorname", "forename", "prénom"),
        "last_name": ("last ?name", "sur ?name", "family ?name", "nachname", "familienname"),
        "company": (
            "company",
            "organi[sz]ation",
            "firma",
            "firmenname",
            "unternehmen",
            "vendor",
            "supplier",
            "lieferant",
            "seller",
            "merchant",
            "issuer",
            "employer",
            "business",
            "rechnungssteller",
            "org",
            "manufacturer",
            "hersteller",
        ),
        "recipient": ("recipient", "empfänger", "addressee"),
        "person": (
            "(?:full |contact |customer |client |person |sender |\\w+er |\\w+ee )?name",
            "person",
            "contact",
            "customer",
            "client",
            "sender",
            "requester",
            "author",
            "kunde",
            "kundin",
            "ansprechpartner(?:in)?",
            "kontakt",
            "kundenname",
            "attendee",
            "guest",
            "organi[sz]er",
            "candidate",
            "bewerber",
            "participant",
            "nom",
        ),
        "location": (
            "location",
            "venue",
            "place",
            "room",
            "treffpunkt",
            "veranstaltungsort",
            "raum",
            "ort",
            "lieu",
        ),
        "subject": ("subject", "betreff"),
        "sentence": (
            "summary",
            "message",
            "body",
            "request",
            "question",
            "zusammenfassung",
            "frage",
            "anliegen",
            "issue",
            "problem",
            "complaint",
            "reason",
            "grund",
        ),
    }.items()
}
_NUMBERED_THINGS = (
    "invoice",
    "order",
    "purchase",
    "tracking",
    "ticket",
    "contract",
    "quote",
    "booking",
    "reference",
)
# Names of things, which no rule knows; a label in the text may.
_NAME_OF_A_THING = regex.compile(
    r"(?:product|project|file|event|item|hotel|plan|service|course|model|campaign|"
    r"produkt|projekt|artikel)\w*"
)


@dataclass(frozen=True)
class Choice:
    """A value that a field may take, and the words by which a text may mean it."""

    value: Any
    words: tuple[str, ...]


@dataclass(frozen=True)
class Field:
    """A property to fill in. `words` is its name in words; `hints` its title and description."""

    name: str
    schema: Schema
    kind: str
    words: str = ""
    hints: str = ""
    required: bool = False
    choices: tuple[Choice, ...] = ()
    children: "tuple[Field, ...]" = ()
    item: "Field | None" = None
    types: frozenset[str] = field(default_factory=frozenset)

    def role(self, known: dict[str, regex.Pattern[str]]) -> str:
        """Return which of the roles is asked for; "" where none is named."""
        for text in (self.words, self.hints):
            for role, pattern in known.items():
                if pattern.search(text) and not (text is self.hints and role in {"start", "end"}):
                    return role
        return ""


def words_of(name: str) -> str:
    """Return a property's name as words: `invoiceDate`, `invoice_date` → `invoice date`."""
    name = regex.sub(r"([\p{Ll}\d])(\p{Lu})", r"\1 \2", name)
    name = regex.sub(r"(\p{Lu}+)(\p{Lu}\p{Ll})", r"\1 \2", name)
    return " ".join(regex.sub(r"[_\-./#]+", " ", name).lower().split())


def fields_of(root: Schema, part: Schema | None = None, depth: int = 0) -> tuple[Field, ...]:
    """Return the fields that the schema's properties ask for, and those of the objects inside."""
    part = resolve(root, root if part is None else part)
    required = set(part.get("required") or ())
    return tuple(
        _field(root, name, schema, name in required, depth)
        for name, schema in properties_of(root, part).items()
    )


def _field(root: Schema, name: str, schema: Schema, required: bool, depth: int) -> Field:
    types = _types(schema)
    words = words_of(name)
    hints = " ".join(str(schema.get(key, ""))[:300] for key in ("title", "description"))
    hints = hints.strip().lower()
    kind = _kind(schema, types, words, hints)
    children: tuple[Field, ...] = ()
    item = None
    if kind == "object":
        children = fields_of(root, schema, depth + 1) if depth < 2 else ()
    elif kind == "array":
        inner = resolve(root, schema.get("items") or {})
        inner = {"description": schema.get("description", ""), **inner}
        item = _field(root, _singular(name), inner, False, depth + 1)
    choices = _choices(schema) if kind == "choice" else ()
    return Field(name, schema, kind, words, hints, required, choices, children, item, types)


def _types(schema: Schema) -> frozenset[str]:
    types = schema.get("type", ())
    return frozenset({types} if isinstance(types, str) else types)


def _singular(name: str) -> str:
    return name[:-1] if len(name) > 3 and name.endswith("s") and not name.endswith("ss") else name


def _kind(schema: Schema, types: frozenset[str], words: str, hints: str) -> str:
    if "const" in schema:
        return "const"
    if "boolean" in types:
        return "boolean"
    if _choices(schema):
        return "choice"
    if "object" in types or "properties" in schema:
        return "object"
    if "array" in types or "items" in schema:
        return "array"
    if types & {"number", "integer"} and "string" not in types:
        return _numeric_kind(words, hints)
    return _FORMATS.get(schema.get("format", "")) or _named_kind(words, hints)


def _named_kind(words: str, hints: str) -> str:
    for text in (words, hints):
        for kind, pattern in _NAMED_KINDS.items():
            if pattern.search(text) and not (kind == "person" and _NAME_OF_A_THING.search(text)):
                return kind
        # A string called just `order` or `ticket` is its number.
        if any(roles.ID_ROLES[role].fullmatch(text) for role in _NUMBERED_THINGS):
            return "id"
    return "text"


def _numeric_kind(words: str, hints: str) -> str:
    for text in (words, hints):
        if regex.search(r"(?<![a-z])(?:quantity|qty|menge|anzahl|number of|how many|count)", text):
            return "count"
        for kind in ("length", "money", "id"):
            if _NAMED_KINDS[kind].search(text):
                percent = regex.search(r"percent|pct|prozent|rate\b|%", f"{words} {hints}")
                return "count" if kind == "money" and percent else kind
        if any(pattern.search(text) for pattern in roles.COUNT_FIELDS.values()):
            return "count"
    return "count"


def _choices(schema: Schema) -> tuple[Choice, ...]:
    if isinstance(schema.get("enum"), list):
        values = [it for it in schema["enum"] if it is not None]
        return tuple(Choice(value, (words_of(str(value)),)) for value in values)
    for name in ("oneOf", "anyOf"):
        options = [it for it in schema.get(name) or () if isinstance(it, dict) and "const" in it]
        if options:
            return tuple(
                Choice(
                    it["const"],
                    tuple(
                        words_of(str(text)) if key == "const" else str(text).lower()
                        for key in ("const", "title")
                        if (text := it.get(key)) is not None
                    ),
                )
                for it in options
                if it["const"] is not None
            )
    return ()
