"""Which sum of money a field asks for, of those that a text names, and in which currency; pure."""

from collections.abc import Sequence
from dataclasses import replace

import regex

from inbox.extract import forms, labels, roles
from inbox.extract.choosing import choose, less_sure, surest
from inbox.extract.document import Document
from inbox.extract.fields import Field
from inbox.extract.labelled import asks_what_is_due, labelled
from inbox.extract.labels import Candidate
from inbox.extract.readers.numbers import CURRENCY_CODES, find_amounts
from inbox.languages import any_of, language, languages, lazy_regex


def settle(field: Field, named: list[Candidate], document: Document, text: str) -> list[Candidate]:
    """Return sums that stand by labels; of several the last first, for it is that of all."""
    role = field.role(roles.money())
    if role == "total" and (right := _added_up(named, document, text)):
        return right
    return named[::-1] if role in {"payable", "total", "net", "tax"} else named


def _added_up(named: list[Candidate], document: Document, text: str) -> list[Candidate]:
    """Return those of the totals that are what is without the tax and the tax together."""
    parts = [
        labelled(Field("", {"type": "number"}, "money", words), document, text)
        for words in ("net", "tax")
    ]
    sums = {net.value + tax.value for net in parts[0] for tax in parts[1]}
    return [it for it in named if it.value in sums]


def find_sums(field: Field, _: Document, text: str) -> list[Candidate]:
    """Return the sums in a text that may be what the field asks for, the surest first."""
    currency = str(field.schema.get("x-currency", ""))
    found = [
        Candidate(it.value, it.start, it.end, 0.95, text[it.start : it.end])
        for it in find_amounts(text)
        if not currency or it.currency == currency
    ]
    role = field.role(roles.money())
    if role == "price" and len({it.value for it in found}) == 1:
        return found
    chosen = _said(field, role, found, text)
    if not chosen and role in {"payable", "total", "paid", "price"}:
        chosen = _the_only_one(found, text)
    if role not in {"payable", "total"}:
        return chosen
    return sorted(chosen, key=lambda it: (-round(it.sure, 3), -it.start))


def _said(field: Field, role: str, found: Sequence[Candidate], text: str) -> list[Candidate]:
    """Return the sums of which the text says that they are what is asked for."""
    if role not in {"payable", "total"}:
        return choose(field, found, text, roles.money(), frozenset({"", "budget"}))
    named = labels.with_roles(found, text, roles.money())
    named = [replace(it, role="each") if _is_rate(it, text) else it for it in named]
    if role == "total" and (whole := _of_all_before(named)):
        return [whole]
    first = ("payable", "total") if asks_what_is_due(field) else ("total", "payable")
    for one in first:
        if right := [it for it in named if it.role == one and it.value > 0]:
            return [_with_its_tax(it, named) for it in surest(right)]
    return _sums_of_others(named)


def _is_rate(found: Candidate, text: str) -> bool:
    """Return True for the 45 of "2 hours at 45", which is the price of one of several."""
    return _RATE.search(text[max(0, found.start - _LONGEST_RATE) : found.start]) is not None


_LONGEST_RATE = 40
_RATE = lazy_regex(
    lambda: (
        rf"(?<![\d.,])\d[\d.,\s]{{0,8}}\p{{L}}{{1,20}}\s(?:{any_of(lambda it: it.labels.rates)})\s$"
    ),
    regex.IGNORECASE,
)


def _with_its_tax(chosen: Candidate, named: Sequence[Candidate]) -> Candidate:
    """Return the sum of a value and its tax where both and the sum stand in the text."""
    after = [it for it in named if it.start > chosen.end]
    taxes = [it for it in after if it.role == "tax" and 0 < it.value < chosen.value]
    wholes = (it for tax in taxes for it in after if it.value == chosen.value + tax.value)
    return next((replace(it, sure=0.9) for it in wholes), chosen)


def _sums_of_others(named: Sequence[Candidate]) -> list[Candidate]:
    """Return the one value that is what all others of a text, two or more, come to together."""
    values = {it.value for it in named if it.value > 0 and it.role not in _NOT_PAID}
    if not 3 <= len(values) <= _MOST_PARTS:
        return []
    whole = max(values)
    if sum(values) != 2 * whole:
        return []
    return [replace(it, sure=0.85) for it in named if it.value == whole][:1]


def _of_all_before(named: Sequence[Candidate]) -> Candidate | None:
    """Return the largest value where it is what the two or more before it come to together."""
    sums = [it for it in named if it.value > 0 and it.role not in {*_NOT_PAID, "each"}]
    whole = max(sums, key=lambda it: it.value, default=None)
    if whole is None or whole.role not in {"", "total", "payable"}:
        return None
    before = [it.value for it in sums if it.start < whole.start]
    is_all = 2 <= len(before) <= _MOST_PARTS and sum(before) == whole.value
    return replace(whole, sure=0.9) if is_all else None


_MOST_PARTS = 8


def _the_only_one(found: Sequence[Candidate], text: str) -> list[Candidate]:
    """Take an amount of which nothing is said for the total where no other stands beside it."""
    named = labels.with_roles(found, text, roles.money())
    plain = [it for it in named if it.role in {"", "price", "paid", "fee", "refund"}]
    return plain if len({it.value for it in named}) == 1 else []


def find_currencies(_: Field, document: Document, text: str) -> list[Candidate]:
    """Return the currency of the total, else that of most sums, else the one that is named."""
    amounts = find_amounts(text)
    total = Field("", {"type": "number"}, "money", "total", types=frozenset({"number"}))
    named = {it.start for it in labelled(total, document, text)[-1:]}
    of_total = [it for it in amounts if it.start in named]
    if of_total:
        it = of_total[0]
        return [Candidate(_local(it.currency, document), it.start, it.end, 0.95)]
    found = _of_what_is_paid(
        [Candidate(_local(it.currency, document), it.start, it.end, 0.95) for it in amounts], text
    )
    if not found:
        codes = [Candidate(it[0], it.start(), it.end(), 0.8) for it in _CODE.finditer(text)]
        return codes if len({it.value for it in codes}) == 1 else []
    sure = 0.95 if len({it.value for it in found}) == 1 else 0.6
    most = max((it.value for it in found), key=[it.value for it in found].count, default=None)
    return [less_sure(it, sure) for it in found if it.value == most]


def _of_what_is_paid(found: list[Candidate], text: str) -> list[Candidate]:
    """Return sums without those from which on something holds: "10 % off orders over £50"."""
    named = labels.with_roles(found, text, roles.money())
    return [it for it, one in zip(found, named, strict=True) if one.role not in _NOT_PAID]


_NOT_PAID = frozenset({"budget", "discount"})
_CODE = lazy_regex(
    rf"(?<![\p{{L}}\d])(?:{'|'.join(sorted(CURRENCY_CODES - {'TRY'}))})(?![\p{{L}}\d])"
)


# By the end of the sender's domain, where "$" may mean another one.
_DOLLARS = {"ca": "CAD", "au": "AUD", "nz": "NZD", "mx": "MXN", "sg": "SGD", "hk": "HKD"}


def _dollar(document: Document) -> str:
    """Return whose dollar "$" is: the one that the text names by its code, else the sender's."""
    named = {it[0] for it in _CODE.finditer(document.layers[0])} & {"USD", *_DOLLARS.values()}
    here = _DOLLARS.get(document.sender_email.rpartition(".")[2].lower(), "USD")
    return named.pop() if len(named) == 1 else here


def _local(currency: str, document: Document) -> str:
    """Return whose crown "kr" is: by the language of the mail, else by that of its labels."""
    if currency == "USD":
        return _dollar(document)
    known = language(document.language)
    if known is not None and (here := known.money.read_as.get(currency)):
        return here
    others = [it for it in languages() if currency in it.money.read_as]
    if not others or (known is not None and currency in known.money.currencies):
        return currency
    text = document.layers[0]
    at_home = [it for it in languages() if currency in it.money.currencies]
    most = max(forms.labels_in(text, it.code) for it in at_home)
    best = max(others, key=lambda it: forms.labels_in(text, it.code))
    is_other = forms.labels_in(text, best.code) > most
    return best.money.read_as[currency] if is_other else currency
