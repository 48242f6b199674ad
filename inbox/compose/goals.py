"""Reading the goal of a reply: what it is to do, clause by clause; pure.

A goal is an instruction of the caller: "confirm the refund and apologise for the delay".
"""

from dataclasses import dataclass

import regex

from inbox.compose.clauses import LONGEST_GOAL, split_goal
from inbox.compose.instructions import Act, readings

_FLAGS = regex.IGNORECASE
_NAMES = {
    "en": r"english|englisch|anglais|inglés|الإنجليزية|英語",
    "de": r"german|deutsch|allemand|alemán|الألمانية|ドイツ語",
    "fr": r"french|französisch|français|francés|الفرنسية|フランス語",
    "es": r"spanish|spanisch|espagnol|español|الإسبانية|スペイン語",
    "ja": r"japanese|japanisch|japonais|japonés|اليابانية|日本語",
    "ar": r"arabic|arabisch|arabe|árabe|العربية|アラビア語",
    "?": (
        r"italian|italienisch|dutch|niederländisch|portuguese|portugiesisch|polish|polnisch|"
        r"russian|russisch|"
        r"chinese|mandarin|chinesisch|korean|turkish|türkisch|swedish|danish|norwegian|finnish|"
        r"greek|hebrew|"
        r"hindi|ukrainian|ukrainisch|czech|hungarian|romanian|persian|farsi|thai|vietnamese|latin"
    ),
}
_ANY = "|".join(_NAMES.values())
_IN = rf"(?:in|auf|en|باللغة|ب)\s?(?P<name>{_ANY})"
_WRITING = (
    r"(?:reply|answer|write|respond|draft|antwort\w*|schreib\w*|répond\w*|écri\w*|respond\w*|"
    r"escrib\w*)"
)
# Where it says how to write, and is no part of what is to be said ("our manual is in English").
_LANGUAGE = regex.compile(
    rf"(?<=\b{_WRITING}(?:\s(?:to )?(?:them|him|her|the (?:customer|client)|ihr|ihm|politely|it|"
    rf"this))?)\s{_IN}(?!\p{{L}})"
    rf"|^\s*{_IN}(?!\p{{L}})[,:]?\s*|,\s*(?:and\s|all\s)?{_IN}(?!\p{{L}})(?=\s*(?:[.,;!]|$))"
    rf"|^(?P<short>(?:(?!\bthat\b|\bsay\b|\btell\b|[,;.]).){{1,80}}?)(?<!\bis|\bare|\bavailable|"
    rf"\bbe|\bwritten)\s{_IN}(?=\s*[.!]?\s*$)"
    rf"|(?:^|(?<=[.;]\s))(?:use|write in) (?P<name>{_ANY})(?!\p{{L}})"
    rf"|(?P<name>{_NAMES['ja']}|英語|ドイツ語|フランス語|スペイン語|日本語|アラビア語)で",
    _FLAGS,
)


_PRONOUNS = {
    "he": regex.compile(r"\b(?:he|him|his|himself)\b", _FLAGS),
    "she": regex.compile(r"\b(?:she|her|hers|herself)\b", _FLAGS),
    "they": regex.compile(r"\b(?:they|them|their|theirs|themselves)\b", _FLAGS),
}
_TOLD = regex.compile(
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
    for text, unconditional in split_goal(plain):
        acts = tuple(readings(text, whom)) if unconditional and _is_of_reader(text, plain) else ()
        whom = next((act.whom for act in acts if act.whom and act.language == "de"), whom)
        clauses.append(Clause(text, acts))
    if wanted_language(goal) == "?":
        found = _LANGUAGE.search(goal)
        clauses.append(Clause(found[0].strip(" ,.") if found else goal))
    return clauses


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
    return next(code for code, names in _NAMES.items() if regex.fullmatch(names, name, _FLAGS))
