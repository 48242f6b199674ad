"""Reading the goal of a reply: what it is to do, clause by clause; pure.

A goal is an instruction of the caller: "confirm the refund and apologise for the delay".
"""

from dataclasses import dataclass
from functools import cache

import regex

from inbox.compose.goals.clauses import LONGEST_GOAL, split_goal, told_apart
from inbox.compose.goals.instructions import Act, readings
from inbox.compose.goals.statements import statements
from inbox.compose.phrasing.wording import is_written
from inbox.extract.readers.calendar_words import months, weekdays
from inbox.languages import any_of, language, languages, lazy_regex
from inbox.languages.model import Language

_FLAGS = regex.IGNORECASE
# What is answered for a language that drafts lack.
UNKNOWN = "?"


def _names(it: Language) -> str:
    return it.compose.names


def _others(it: Language) -> str:
    return it.compose.other_names


@cache
def _any_name() -> str:
    return any_of(_names, _others)


@cache
def _in() -> str:
    return rf"{any_of(lambda it: it.talk.goal_in)}(?P<name>{_any_name()})"


@cache
def _writing() -> str:
    return any_of(lambda it: it.talk.goal_writes)


# Where it says how to write, and is no part of what is to be said ("our manual is in English").
_LANGUAGE = lazy_regex(
    lambda: (
        rf"(?<=\b{_writing()}(?:\s(?:to )?{any_of(lambda it: it.talk.goal_whom)})?)"
        rf"\s{_in()}(?!\p{{L}})"
        rf"|^\s*{_in()}(?!\p{{L}})[,:]?\s*|,\s*(?:and\s|all\s)?{_in()}(?!\p{{L}})(?=\s*(?:[.,;!]|$))"
        rf"|^(?P<short>(?:(?!\bthat\b|\bsay\b|\btell\b|[,;.]).){{1,80}}?)(?<!\bis|\bare|\bavailable|"
        rf"\bbe|\bwritten)\s{_in()}(?=\s*[.!]?\s*$)"
        rf"|(?:^|(?<=[.;]\s))(?:use|write in) (?P<name>{_any_name()})(?!\p{{L}})"
        rf"|(?P<name>{_any_name()}){any_of(lambda it: it.talk.goal_behind)}"
    ),
    _FLAGS,
)


_PRONOUNS = {
    "he": lazy_regex(r"\b(?:he|him|his|himself)\b", _FLAGS),
    "she": lazy_regex(r"\b(?:she|her|hers|herself)\b", _FLAGS),
    "they": lazy_regex(r"\b(?:they|them|their|theirs|themselves)\b", _FLAGS),
}
_TOLD = lazy_regex(
    r"\b(?:tell|ask|let|thank|inform|invite|remind|assure|promise|offer|give|send|wish|refund|reject|"
    r"congratulate|apologi[sz]e to|say to|write)\s(?P<whom>them|him|her)\b",
    _FLAGS,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """What one clause of a goal says, and the things it may tell to do, the likeliest first."""

    text: str
    readings: tuple[Act, ...] = ()


def read_goal(goal: str) -> list[Clause]:
    """Return the clauses of a goal in its order; one that is not understood has no reading."""
    goal = goal[:LONGEST_GOAL]
    plain = _LANGUAGE.sub(lambda it: it["short"] or " ", goal)
    clauses: list[Clause] = []
    whom = ""
    parted = [(it, so) for text, so in split_goal(plain) for it in _parted(text, so)]
    for text, unconditional in parted:
        acts: tuple[Act, ...] = ()
        if unconditional and _is_of_reader(text, plain):
            acts = (*readings(text, whom), *statements(text))
        whom = next((act.whom for act in acts if act.whom and _keeps_whom(act.language)), whom)
        clauses.append(Clause(text, acts))
    if wanted_language(goal) == UNKNOWN:
        found = _LANGUAGE.search(goal)
        clauses.append(Clause(found[0].strip(" ,.") if found else goal))
    return clauses


def _parted(text: str, unconditional: bool) -> list[str]:
    """Return "decline it, we are full" as the instruction and what it tells besides."""
    if not unconditional or statements(text):
        return [text]
    for found in _COMMA.finditer(text):
        head, tail = text[: found.start()], text[found.end() :]
        if _DATED.match(tail) or _YES_OR_NO.search(head):
            continue
        if statements(tail) and readings(head):
            return [head, *told_apart(tail)]
    return [text]


# "Say no, she only needs her pass" declines nothing; what begins with a date goes on with it.
_YES_OR_NO = lazy_regex(lambda: rf"(?<!\p{{L}}){any_of(lambda it: it.talk.yes_or_no)}$", _FLAGS)
_DATED = lazy_regex(lambda: rf"(?:\d|(?:{'|'.join([*weekdays(), *months()])})(?!\p{{L}}))", _FLAGS)
_COMMA = lazy_regex(lambda: rf",\s(?:{any_of(lambda it: it.clauses.joints)}\s)?", _FLAGS)


def _keeps_whom(code: str) -> bool:
    known = language(code)
    return known is not None and bool(known.reported.whom)


def _is_of_reader(text: str, goal: str) -> bool:
    """Return True unless the clause speaks of "they" in a goal to "her": somebody else is meant.

    Where a goal has several of he, she and they, the first one to be spoken to is the reader.
    """
    found = {kind for kind, words in _PRONOUNS.items() if words.search(goal)}
    if len(found) < 2:
        return True
    told = _TOLD.search(goal)
    reader = next((kind for kind in found if told and _PRONOUNS[kind].fullmatch(told["whom"])), "")
    return not any(_PRONOUNS[kind].search(text) for kind in found - {reader})


def wanted_language(goal: str) -> str:
    """Return the language that the goal asks for, as its code; "?" for one that drafts lack.

    It is "" where the goal names none.
    """
    found = _LANGUAGE.search(goal[:LONGEST_GOAL])
    if found is None:
        return ""
    name = found["name"]
    return next(
        (it.code for it in languages() if is_written(it.code) and _is_named(it, name)), UNKNOWN
    )


def _is_named(it: Language, name: str) -> bool:
    return regex.fullmatch(it.compose.names, name, _FLAGS) is not None
