"""Telling an order from a statement by how a clause begins, though its verb is not known; pure.

"Stall him until we hear" tells the writer what to do, "Delivery takes a week" is for the reader.
The words are those of each language's section `carrying`.
"""

from dataclasses import dataclass
from functools import cache

import regex

from inbox.languages import language
from inbox.languages.carrying import Carrying

_FLAGS = regex.IGNORECASE
_END = r"(?![\p{L}'’-])"


@dataclass(frozen=True, slots=True)
class _Patterns:
    known: regex.Pattern[str]
    verb: regex.Pattern[str]
    unknown: regex.Pattern[str]
    led: regex.Pattern[str]
    taken: regex.Pattern[str]
    within: regex.Pattern[str]
    finite: regex.Pattern[str]


@cache
def _patterns(code: str) -> _Patterns:
    found = language(code)
    words = found.carrying if found else Carrying()
    word = rf"(?!(?:{words.openers}){_END})\p{{L}}[\p{{L}}-]*\s" if words.openers else "(?!)"
    taken = rf"(?:{_any(words.taken)}){_END}"
    return _Patterns(
        known=_pattern(rf"(?:{_any(words.orders)})(?![\p{{L}}'’-]|\s\p{{L}}+ed\b)"),
        verb=_pattern(rf"(?:{_any(words.verbs)}){_END}(?:\s|$)"),
        unknown=_pattern(rf"{word}(?={taken})"),
        led=_pattern(rf"{word}(?:{_any(words.particles)})\s(?={taken})"),
        taken=_pattern(taken),
        within=_pattern(rf"(?<![\p{{L}}'’-])(?:{_any(words.within)}){_END}"),
        finite=_pattern(rf"(?<![\p{{L}}])(?:{_any(words.finite)})(?!\p{{L}})"),
    )


def _pattern(text: str) -> regex.Pattern[str]:
    return regex.compile(text, _FLAGS)


def _any(words: str) -> str:
    return words or "(?!)"


def is_order(clause: str, code: str) -> bool:
    """Return True if the clause may tell the writer what to do, with a verb known or not."""
    clause = regex.sub(r"^[\W\d]+", "", clause)
    words = _patterns(code)
    if words.known.match(clause) or words.unknown.match(clause):
        return True
    verb = words.verb.match(clause) or words.led.match(clause)
    if verb is None:
        return False
    if verb.re is words.verb and words.taken.match(clause, verb.end()):
        return True
    # Behind the verb, for "cost" may be a noun and "bring" is a finite verb as well.
    behind = clause.split(", ")[0][verb.end() :]
    return begins_within(behind, code) or not has_main_verb(behind, code)


def has_main_verb(clause: str, code: str) -> bool:
    """Return True if the clause has a finite verb that is not of a clause within it."""
    return _patterns(code).finite.search(main_part(clause, code)) is not None


def main_part(clause: str, code: str) -> str:
    """Return the clause up to where another begins within it; all where it begins with one."""
    within = _patterns(code).within
    found = within.search(clause)
    return clause[: found.start()] if found and found.start() else clause


def begins_within(clause: str, code: str) -> bool:
    """Return True if the words begin a clause within another: "which is leaking"."""
    return _patterns(code).within.match(clause) is not None


def orders_besides(clause: str, code: str) -> bool:
    """Return True for "I can come on Thursday, bring the slides", where the reader may be meant.

    So it is where a question to the reader stands behind a comma.
    """
    found = language(code)
    if found is None or not found.carrying.verbs:
        return False
    joints = _any(found.carrying.joints)
    questions = _any(found.carrying.questions)
    if regex.search(rf",\s(?:(?:{joints})\s)?(?:{questions})(?!\p{{L}})", clause, _FLAGS):
        return True
    if any(is_order(clause[it.end() :], code) for it in regex.finditer(r",\s", clause)):
        return True
    return any(
        is_order(clause[it.end() :], code)
        and regex.search(found.carrying.we_do or "(?!)", clause[: it.start()]) is None
        for it in regex.finditer(rf"\s(?:{joints})\s", clause, _FLAGS)
    )
