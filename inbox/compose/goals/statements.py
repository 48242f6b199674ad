"""Clauses of a goal that tell something themselves, without a verb that says to tell it; pure.

"The hall is free" is said as it stands, where it is in the language of the letter. The verbs are
those of each language's section `own_words`.
"""

from functools import cache

import regex

from inbox.compose.goals.instructions import Act, infinitives, politely
from inbox.compose.goals.orders import is_order, orders_besides
from inbox.languages import any_of, languages, lazy_regex
from inbox.languages.writing import OwnWords

_FLAGS = regex.IGNORECASE
LONGEST_STATEMENT = 400
# What begins with the verb of an instruction is none, whatever stands behind.
_TOLD = lazy_regex(
    lambda: (
        rf"^{politely()}(?:{infinitives()}|"
        rf"{any_of(lambda it: it.clauses.speaks, lambda it: it.clauses.tasks)})(?![\p{{L}}-])"
    ),
    _FLAGS,
)


@cache
def _patterns() -> list[tuple[str, regex.Pattern[str]]]:
    """Return what a main clause is in each language, by what it begins with and its verb."""
    return [
        (it.code, regex.compile(_pattern(it.own_words, it.talk.articles), _FLAGS))
        for it in languages()
        if it.own_words.states
    ]


def _pattern(words: OwnWords, articles: str) -> str:
    letter = r"(?![\p{Latin}\p{M}])"
    led = (
        rf"(?:{words.subjects})(?:['’](?:s|re|ll|ve|m|d){letter}|{letter}(?:\s|(?<=['’]))"
        rf"(?:[^\s?]+\s){{0,12}}?(?:{words.states}))"
    )
    alone = (
        rf"(?!(?:{words.no_subjects}){letter})(?!\p{{L}}+\s(?:{articles or '(?!)'}){letter})"
        rf"(?:(?!(?:{words.clauses}){letter})[^\s?,]+\s){{1,5}}?"
        rf"(?:{words.states_alone})"
    )
    opened = rf"(?:{words.openings}){letter}(?=\s?\S)" if words.openings else "(?!)"
    return rf"^(?:{led}|{alone}|{opened}){letter}"


def statements(clause: str) -> list[Act]:
    """Return the clause as what it tells, in each language in which it may be a main clause."""
    if len(clause) > LONGEST_STATEMENT or _TOLD.match(clause):
        return []
    return [
        Act("state", clause, clause, code)
        for code, pattern in _patterns()
        if pattern.match(clause) and not is_order(clause, code) and not orders_besides(clause, code)
    ]
