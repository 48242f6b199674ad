"""What a value may be the value of: the words by which texts and schemas name it; pure.

Each role of a kind has one expression. It is looked for in the name, title and description of a
field, which tells the role that is asked for, and beside a value in the text, which tells the one
that it has.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import TypeAlias

import regex

from inbox.languages import any_of, languages, lazy_regex
from inbox.languages.model import Language

Roles: TypeAlias = Mapping[str, regex.Pattern[str]]


@cache
def dates() -> Roles:
    """Return what a date may be the date of."""
    return _roles(lambda it: it.roles.dates)


@cache
def money() -> Roles:
    """Return what a sum may be the sum of."""
    return _roles(lambda it: it.roles.money)


@cache
def numbers() -> Roles:
    """Return what a number may be the number of: an invoice, an order."""
    return _roles(lambda it: it.roles.numbers)


@cache
def counts() -> Roles:
    """Return what fields count, by their names."""
    return _roles(lambda it: it.roles.counts)


def named(part: Callable[[Language], Mapping[str, str]], name: str) -> str:
    """Return the expression for a name of a table, in all languages."""
    return any_of(lambda it: part(it).get(name, ""))


@cache
def unit(name: str) -> str:
    """Return the expression for what stands behind a number of this kind."""
    return rf"(?<!\p{{Latin}}){named(lambda it: it.roles.units, name)}"


def names(part: Callable[[Language], Mapping[str, str]]) -> list[str]:
    """Return the names of a table, in the order of the English one."""
    return list(dict.fromkeys(name for it in languages() for name in part(it)))


def _roles(part: Callable[[Language], Mapping[str, str]]) -> Roles:
    return {name: _role(part, name) for name in names(part)}


def _role(part: Callable[[Language], Mapping[str, str]], name: str) -> regex.Pattern[str]:
    # "to" is no part of a longer word, as "ship" may be.
    end = r"(?!\p{Latin})" if name in {"start", "end"} else ""
    return lazy_regex(lambda: rf"(?<!\p{{Latin}}){named(part, name)}{end}", regex.IGNORECASE)
