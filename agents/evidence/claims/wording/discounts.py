"""Words for what is taken off a price; pure."""

from collections.abc import Iterator

import regex

from inbox.languages import any_of, lazy_regex

_DISCOUNT = lazy_regex(
    lambda: rf"(?<!\p{{L}})(?:{any_of(lambda it: it.claims.discounts)})(?!\p{{L}})",
    regex.IGNORECASE,
)


def find_discounts(text: str) -> Iterator["regex.Match[str]"]:
    """Yield where a text names a discount."""
    return _DISCOUNT.finditer(text)


def names_discount(text: str) -> bool:
    """Return True if a text names a discount."""
    return _DISCOUNT.search(text) is not None
