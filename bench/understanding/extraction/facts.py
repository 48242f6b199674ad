"""What a made-up invoice, order or booking says, and how its language writes it."""

import random
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import yaml

SENT_ON = date(2026, 9, 14)


@cache
def packs() -> dict[str, dict[str, Any]]:
    """Return the words of every language."""
    return yaml.safe_load((Path(__file__).parent / "packs.yaml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Item:
    """One line of an invoice."""

    what: str
    quantity: int
    price: Decimal

    @property
    def total(self) -> Decimal:
        """The price of all pieces."""
        return self.quantity * self.price


@dataclass
class Facts:
    """The truth of one document, with the words of its language: `say` has those as written."""

    language: str
    half: str
    rng: random.Random
    pack: dict[str, Any]
    words: dict[str, str] = field(default_factory=dict)
    say: dict[str, str] = field(default_factory=dict)
    truth: dict[str, Any] = field(default_factory=dict)
    items: list[Item] = field(default_factory=list)

    def money(self, value: Decimal) -> str:
        """Return a sum with its currency."""
        return self.pack["currency"][1].format(self.bare(value))

    def bare(self, value: Decimal) -> str:
        """Return a sum without its currency."""
        form = self.pack["money"]
        thousands, decimal = form[1], form[-3]
        written = f"{value:,.2f}"
        return written.replace(",", "\0").replace(".", decimal).replace("\0", thousands)

    def day(self, value: date) -> str:
        """Return a date in the form of the document."""
        return self.form.format(
            d=value.day, dd=f"{value.day:02}", mm=f"{value.month:02}", y=value.year,
            month=self.pack["months"][value.month - 1],
        )  # fmt: skip

    @property
    def form(self) -> str:
        """How this document writes dates."""
        forms: list[str] = self.pack["dates"]
        return forms[self.truth["_form"] % len(forms)]


_NUMBERS = {
    "tuned": ("RE-{y}-{n:05}", "{n:06}", "INV{n:06}", "F{y}/{n:04}"),
    "aside": ("{y}{n:05}", "A-{n:04}-{m}", "{n:04}/{y}", "FV{n:07}", "{m}.{n:05}"),
}
_ORDERS = {
    "tuned": ("B-{n:06}", "{n:08}", "ORD-{n:05}"),
    "aside": ("{m}-{n:07}-{k}", "W{n:08}", "{n:07}", "AB/{n:05}"),
}


def facts_for(language: str, half: str, seed: str) -> Facts:
    """Return made-up facts; the same for the same arguments."""
    rng = random.Random(f"{language} {half} {seed}")
    pack = packs()[language]
    spoken = pack[half]
    facts = Facts(language, half, rng, pack)
    facts.truth["_form"] = rng.randrange(6)
    facts.words = {
        name: rng.choice(value) if isinstance(value, list) and name not in _WHOLE else value
        for name, value in spoken.items()
    }
    chosen = rng.sample(pack["items"], rng.randint(1, 3))
    facts.items = [
        Item(what, rng.randint(1, 12), Decimal(rng.randint(350, 48_000)) / 100) for what in chosen
    ]
    _sums(facts)
    _names(facts, rng)
    _days(facts, rng)
    return facts


_WHOLE = {"columns", "booking"}


def _sums(facts: Facts) -> None:
    rate = {"en": 20, "de": 19, "fr": 20, "es": 21, "it": 22, "nl": 21, "pl": 23, "pt": 23}
    net = sum((item.total for item in facts.items), Decimal(0))
    tax = (net * rate.get(facts.language, 25) / 100).quantize(Decimal("0.01"))
    for name, value in (("net_total", net), ("vat_amount", tax), ("total", net + tax)):
        facts.truth[name] = float(value)
        facts.say[{"net_total": "net", "vat_amount": "vat_sum"}.get(name, name)] = facts.money(
            value
        )
    facts.truth["currency"] = facts.pack["currency"][0]


def _names(facts: Facts, rng: random.Random) -> None:
    values = {
        "n": rng.randint(100, 9999),
        "y": 2026,
        "m": rng.randint(101, 998),
        "k": rng.randint(1, 9),
    }
    number = rng.choice(_NUMBERS[facts.half]).format(**values)
    order = rng.choice(_ORDERS[facts.half]).format(**{**values, "n": rng.randint(1000, 99_999)})
    company = rng.choice(facts.pack["companies"])
    street, city = rng.choice(facts.pack["addresses"]).split("|")
    buyer, place = facts.pack["buyer"]
    truth = {
        "invoice_number": number, "order_number": order, "supplier": company,
        "customer_number": str(rng.randint(10_000, 99_999)),
        "iban": facts.pack["iban"], "vat_id": facts.pack["vat"],
        "tracking_number": f"{rng.randint(10**9, 10**10 - 1)}{rng.randint(10, 99)}",
        "booking_number": f"{rng.choice('BHKT')}{rng.choice('QRSX')}{rng.randint(1000, 9999)}",
        "guests": rng.randint(1, 5), "name": rng.choice(facts.pack["people"]),
    }  # fmt: skip
    facts.truth |= truth
    facts.say |= {
        "number": number, "order": order, "company": company, "street": street, "city": city,
        "buyer": buyer, "buyer_street": place.split("|")[0], "buyer_city": place.split("|")[1],
        "customer": truth["customer_number"], "iban": truth["iban"], "vat": truth["vat_id"],
        "tracking": truth["tracking_number"], "booking": truth["booking_number"],
        "guests": str(truth["guests"]), "person": truth["name"],
    }  # fmt: skip


def _days(facts: Facts, rng: random.Random) -> None:
    invoice = SENT_ON - timedelta(days=rng.randint(0, 9))
    days = {
        "invoice_date": (invoice, "date"), "due_date": (invoice + timedelta(days=rng.randint(10, 40)), "due"),
        "order_date": (SENT_ON - timedelta(days=rng.randint(0, 6)), "ordered"),
        "delivery_date": (SENT_ON + timedelta(days=rng.randint(2, 12)), "arrives"),
        "check_in": (SENT_ON + timedelta(days=rng.randint(15, 40)), "check_in"),
    }  # fmt: skip
    days["check_out"] = (days["check_in"][0] + timedelta(days=rng.randint(1, 7)), "check_out")
    for name, (day, said) in days.items():
        facts.truth[name] = day.isoformat()
        facts.say[said] = facts.day(day)
