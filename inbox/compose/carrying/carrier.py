"""What the clauses of a goal have in common that are carried into a letter in its own words."""

from dataclasses import dataclass
from functools import cache

import regex

from inbox.compose.carrying.persons import (
    Persons,
    is_doubtful,
    means_somebody_else,
    persons_of,
    spoken_of_in,
)
from inbox.compose.phrasing.languages import guess_language, is_written_in, speaks_for
from inbox.compose.thread.facts import Saying
from inbox.languages import ENGLISH, language
from inbox.languages.carrying import Carrying
from inbox.rfc5322.text.language import detect_language

_FLAGS = regex.IGNORECASE


@dataclass(frozen=True)
class Carrier:
    """What the clauses of one goal have in common."""

    words: Carrying
    saying: Saying
    code: str
    goal: str
    persons: Persons
    we: str


def carrier_of(goal: str, saying: Saying) -> Carrier | None:
    """Return what carries the goal's words over; None where they are in another language."""
    code = saying.words.language
    known = language(code)
    if known is None or not known.carrying.leads:
        return None
    if not _is_of_the_letter(goal, code):
        return None
    words = known.carrying
    goal = named(cleaned(goal, code), saying.situation.name, words)
    several = regex.search(rf"(?<!\p{{L}})(?:{words.plural})(?!\p{{L}})", goal, _FLAGS)
    one = regex.search(rf"(?<!\p{{L}})(?:{words.singular})(?!\p{{L}})", goal, _FLAGS)
    situation = saying.situation
    persons = Persons()
    if code == ENGLISH:
        persons = persons_of(goal, spoken_of_in(situation.text, situation.names))
    return Carrier(words, saying, code, goal, persons, words.we[bool(one and not several)])


def _is_of_the_letter(goal: str, code: str) -> bool:
    """Return True if the goal is in the language of the letter."""
    told = detect_language(goal)
    if told:
        return told == code
    if code == ENGLISH:
        return guess_language(goal) in {"", "und", code} and is_written_in(goal, code)
    english = language(ENGLISH)
    orders = rf"(?:{english.carrying.orders})(?!\p{{L}})" if english else "(?!)"
    is_english = regex.match(orders, goal, _FLAGS) and not speaks_for(
        goal.split(maxsplit=1)[0], code
    )
    if is_english or not is_written_in(goal, code) or not speaks_for(goal, code):
        return False
    return guess_language(goal) == code or not speaks_for(goal, ENGLISH)


def is_of_others(clause: str, by: Carrier) -> bool:
    """Return True if the clause has a pronoun that the goal has for somebody else."""
    return by.code == ENGLISH and means_somebody_else(clause, by.persons)


def may_be_of_others(clause: str, by: Carrier) -> bool:
    """Return True if a pronoun of the clause may mean somebody of whom only the thread speaks."""
    return by.code == ENGLISH and is_doubtful(clause, by.persons)


@cache
def _cleans(code: str) -> list[tuple[regex.Pattern[str], str]]:
    known = language(code)
    return (
        [(regex.compile(it, _FLAGS), said) for it, said in known.carrying.cleans] if known else []
    )


def spelled_out(goal: str) -> str:
    """Return the goal without what its language writes short or sloppily."""
    return cleaned(goal, detect_language(goal) or ENGLISH)


def cleaned(text: str, code: str) -> str:
    """Return the text without what the language writes short or sloppily."""
    for pattern, said in _cleans(code):
        text = pattern.sub(said, text)
    return text


def named(text: str, name: str, words: Carrying) -> str:
    """Return the text with the words for a reader in place of the reader's own name."""
    parts = [regex.escape(it) for it in regex.findall(r"\p{L}{2,}", name)]
    if not parts or not words.reader:
        return text
    any_of_it = "|".join(parts)
    titles = rf"(?:(?:{words.titles})\s)*"
    before = r"(?<![\p{L}@./-])(?<![\p{Ll},]\s\p{Lu}\p{L}+ )"
    behind = r"(?![\p{L}@/-]|\.\p{L}|\s\p{Lu}\p{Ll})"
    name_of = rf"{before}{titles}(?:{any_of_it})(?:\s(?:{any_of_it}))*{behind}"
    return regex.sub(name_of, words.reader, text)
