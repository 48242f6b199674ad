"""Totals that are but a part of what they add up: "359 EUR plus 24 EUR, in total 359 EUR"; pure."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

import regex

from agents.evidence.claims.readers.figures import Money
from agents.evidence.claims.records import Claim, Place
from inbox.languages import any_of, lazy_regex

_TOTAL = lazy_regex(
    lambda: rf"(?<!\p{{L}}){any_of(lambda it: it.claims.totals)}(?!\p{{L}})", regex.IGNORECASE
)
# So near before an amount, or behind it, its total stands.
_BEFORE, _BEHIND = 16, 14
_FURTHEST = 240


def is_total(text: str, start: int, end: int) -> bool:
    """Return True if words for all of it stand beside an amount, and no other number between."""
    before = regex.split(r"\d", text[max(0, start - _BEFORE) : start])[-1]
    behind = regex.split(r"[\d.,\n]", text[end : end + _BEHIND])[0]
    return bool(_TOTAL.search(before) or _TOTAL.search(behind))


def names_total(text: str) -> bool:
    """Return True if a text speaks of all of it."""
    return _TOTAL.search(text) is not None


def meant_total(
    claim: Claim, own: Sequence[Claim], sourced: Sequence[Place]
) -> tuple[Decimal, Place | None] | None:
    """Return what a total should be that repeats one of the parts before it; None if it is none.

    `own` are the amounts of the message, `sourced` those of its sources, one of which may be
    called the total there.
    """
    money = _money(claim)
    if not is_total(claim.text, claim.value.start, claim.value.end):
        return None
    before = [it for it in own if 0 < claim.value.start - it.value.start <= _FURTHEST]
    same = [it for it in before if _money(it) == money and not _is_total(it)]
    if not same:
        return None
    between = [it for it in before if it.value.start > same[0].value.start]
    added = [one for one in map(_money, between) if one != money and one.currency == money.currency]
    if added:
        return money.value + sum((one.value for one in added), Decimal(0)), None
    totals = {key: one for one, key in _totals(sourced) if key.currency in {money.currency, ""}}
    if len(totals) == 1 and (key := next(iter(totals))).value > money.value:
        return key.value, totals[key]
    return None


def _money(claim: Claim) -> Money:
    assert isinstance(claim.value.key, Money)  # noqa: S101
    return claim.value.key


def _is_total(claim: Claim) -> bool:
    return is_total(claim.text, claim.value.start, claim.value.end)


def _totals(sourced: Sequence[Place]) -> Iterator[tuple[Place, Money]]:
    for one in sourced:
        key = one.value.key
        if isinstance(key, Money) and is_total(one.source.text, one.value.start, one.value.end):
            yield one, key
