"""Whom the pronouns of an English goal mean: the reader, or somebody whom it names; pure.

A pronoun that means somebody else is hidden while the others are turned to the reader.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache

import regex

from inbox.compose.phrasing.speech import as_you, from_us, with_her
from inbox.languages import ENGLISH, language, lazy_regex

_FLAGS = regex.IGNORECASE
_KINDS = {
    "he": "he|him|his|himself",
    "she": "she|her|hers|herself",
    "they": "they|them|their|theirs|themselves",
}
_PRONOUN = lazy_regex(rf"(?<!\p{{L}})(?:{'|'.join(_KINDS.values())})(?!\p{{L}})", _FLAGS)
_SUBJECTS = frozenset({"he", "she", "they"})
# Who is told, asked and so on is the reader.
_TOLD = lazy_regex(
    r"(?<!\p{L})(?:tell|ask|let|thank|inform|invite|remind|assure|promise|offer|give|wish|refer|"
    r"notify|reject|warn|congratulate|apologi[sz]e to|say to|write to|reply to|answer|grant|"
    r"update|reassure|explain to|request)\s(?P<whom>them|him|her|the customer)(?!\p{L})",
    _FLAGS,
)
# A second verb of the same reader: "he fills it in and sends us the form".
_SECOND = lazy_regex(
    r"(?P<before>(?<!\p{L})(?:he|she|the (?:customer|client|sender|recipient))\s(?:\p{L}+ly\s)?"
    r"\p{L}+s\s[^,.;:]{0,80}?(?:\sand|\sor|\sbut|\sthen)\s)(?P<verb>\p{L}+)s"
    r"(?=\s(?:the|an?|it|us|me|them|his|her|our|my|to|on|in|at|by|for|from|with|back|if|\d))",
    _FLAGS,
)
_CLAUSE = lazy_regex(
    r"[,;:]|(?<!\p{L})(?:and|but|so|who|which|that|when|because|if|while|as|until|once|before|"
    r"after|since|then|whether)(?!\p{L})",
    _FLAGS,
)
# A name that does something, or has it: "Raj should", "Oscar's".
_NAMED = lazy_regex(
    r"(?<!\p{L})(?P<title>(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.?\s)?\p{Lu}\p{Ll}+(?:\s\p{Lu}\p{Ll}+)?"
    r"(?=['’]s(?!\p{L})|\s(?:is|was|has|will|can|could|should|may|must|would|does|agrees|sings|says|"
    r"wants|needs|works|knows|carries|lives|plays|looks after|takes care|handles)(?!\p{L}))"
)
_TITLED = lazy_regex(r"(?<!\p{L})(?P<title>(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.?\s)\p{Lu}\p{Ll}+")
# Somebody who is named in the middle of a sentence, and no place: "bring in Derek".
_BARE_NAME = lazy_regex(
    r"(?<=\p{Ll}\s|[,;]\s)(?<!\b(?<!(?i:loop|bring|copy)\s)(?:in|at|to|from|near|via|of|the|on)\s)"
    r"\p{Lu}\p{Ll}+(?!\p{L})"
)
_NO_PERSON = lazy_regex(
    r"(?:The|This|That|It|There|We|I|Our|My|Your|What|When|Where|Which|Who|How|If|All|Both|No|Yes|"
    r"Neither|None|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|"
    r"June|July|August|September|October|November|December|He|She|They|His|Her|Their|And|But|So|"
    r"Then|Also|As|Since|Because|Tell|Ask|Say|Payment|Delivery|Refund|Price|Licence|License)(?!\p{L})"
)
_BY_TITLE = {"Mr": "he", "Mrs": "she", "Ms": "she", "Miss": "she"}


# What is done to things: "ship them".
_HANDLED = lazy_regex(
    r"(?<!\p{L})(?:ship|post|dispatch|return|replace|repair|cancel|order|book|collect|keep|hold|fix|"
    r"correct|print|swap|exchange|throw|deliver|publish|remove|add|buy|sell|change|drop|use|leave|"
    r"pack|store|install|need|want|wear|bring|try|clean|wash|cut|paint|measure|count|submit|sign|"
    r"fill|upload|download|scan|copy|read|review|test|edit|finish|pick|move|take|put|set)\s$",
    _FLAGS,
)


class UnclearError(ValueError):
    """It cannot be told whom a pronoun means."""


@dataclass(frozen=True)
class Persons:
    """By which pronouns a goal speaks of the reader, and by which of somebody whom it names.

    `are_readers` says that its "they" means those who are answered as well. `is_likely` takes an
    object or a possessive for the reader's though somebody else is named before it. Whom a subject
    of the kinds in `unclear` means cannot be told, and those in `doubtful` may be somebody's of
    whom only the thread speaks.
    """

    reader: str = ""
    others: frozenset[str] = frozenset()
    are_readers: bool = False
    is_likely: bool = False
    unclear: frozenset[str] = frozenset()
    doubtful: frozenset[str] = frozenset()


@dataclass(frozen=True)
class SpokenOf:
    """By which pronouns a thread may speak of others than who wrote it, and by which it does."""

    may_be: frozenset[str] = frozenset()
    are: frozenset[str] = frozenset()


def persons_of(goal: str, spoken_of: SpokenOf = SpokenOf()) -> Persons:
    """Return whom the goal speaks of by which pronoun, and the thread beside it."""
    found = _persons_in(goal)
    kinds = {_kind(it[0]) for it in _PRONOUN.finditer(goal)}
    doubtful = kinds & spoken_of.may_be
    if "they" in kinds and found.reader != "they" and not found.are_readers:
        doubtful |= {"they"}
    if found.others >= doubtful:
        return found
    told = _TOLD.search(goal)
    is_told = told is not None and found.reader in kinds and not told["whom"].startswith("the")
    others = found.others
    if not is_told and (theirs := doubtful - {"they"}):
        # "He needs his card, she can fetch it": of two, those whom the thread knows are others.
        others |= theirs if theirs < kinds - {"they"} else theirs & spoken_of.are
    reader = found.reader if found.reader not in others else ""
    left = kinds - others - {"they"}
    reader = reader or (next(iter(left)) if len(left) == 1 else "")
    return replace(found, reader=reader, others=others, doubtful=frozenset(doubtful))


def spoken_of_in(thread: str, names: Iterable[str]) -> SpokenOf:
    """Return the pronouns of people of whom a thread speaks, besides who wrote it."""
    used = {_kind(it[0]) for it in _PRONOUN.finditer(thread)} - {"they"}
    people, own = _people(), frozenset(names)
    kin = {kind for kind in ("he", "she") if kind in people and people[kind].search(thread)}
    titles = {it["title"].strip(" .") for it in _TITLED.finditer(thread) if not _is_own(it[0], own)}
    known = frozenset(kin | {_BY_TITLE[it] for it in titles if it in _BY_TITLE})
    either = frozenset({"he", "she"}) if _OF_OURS.search(thread) else frozenset()
    return SpokenOf(known | used | either, known & used)


def _is_own(titled: str, own: frozenset[str]) -> bool:
    return titled.rsplit(maxsplit=1)[-1] in own


# "My colleague", "our designer": somebody who may be either.
_OF_OURS = lazy_regex(
    r"(?<!\p{L})(?:my|our)\s(?:\p{L}+\s)?(?:colleague|technician|driver|engineer|manager|boss|"
    r"lawyer|accountant|assistant|partner|friend|child|daughter|son|designer|architect|"
    r"photographer|director|secretary|trainer|teacher|caretaker|neighbou?r|client|guest|"
    r"landlord|tenant|agent|intern|apprentice|student|cousin|flatmate|supervisor|plumber|"
    r"electrician|gardener|nurse|doctor|specialist|kid|baby|toddler|\p{L}+-in-law)(?!\p{L})",
    _FLAGS,
)


def _persons_in(goal: str) -> Persons:
    told = _TOLD.search(goal)
    found = {_kind(it[0]): it.start() for it in reversed([*_PRONOUN.finditer(goal)])}
    reader = _told_as(told["whom"], found) if told else ""
    if reader:
        others = frozenset(found) - {reader, "they"}
        is_named = told is not None and told["whom"].lower().startswith("the")
        return Persons(
            reader,
            others,
            are_readers=_are_readers(goal, found),
            unclear=_after_a_name(goal, found) if is_named else frozenset(),
        )
    named = {kind: at for kind, at in found.items() if kind != "they"}
    others = frozenset(kind for kind, at in named.items() if _begins_with_another(goal, at, kind))
    readers = set(named) - others or {
        # "Our technician is away but he will call her": of the two she is not the technician.
        kind
        for kind, at in named.items()
        if len(named) > 1 and not _is_subject(goal, at)
    }
    others -= readers if len(readers) == 1 else set()
    reader = readers.pop() if len(readers) == 1 else ""
    return Persons(reader, others, are_readers=_are_readers(goal, found))


def _after_a_name(goal: str, found: Mapping[str, int]) -> frozenset[str]:
    """Return the pronouns of "bring in Ben and tell Ann he will ring", which may be Ben's."""
    return frozenset(
        kind
        for kind, at in found.items()
        if _is_subject(goal, at)
        and any(not _NO_PERSON.match(it[0]) for it in _BARE_NAME.finditer(goal[:at]))
    )


def _told_as(whom: str, found: Mapping[str, int]) -> str:
    """Return the pronoun of whom the goal speaks to; of "tell Mr Smith" the only one it has."""
    if whom.lower().startswith("the "):
        kinds = {"he", "she"} & set(found)
        return kinds.pop() if len(kinds) == 1 else ""
    return _kind(whom)


def _are_readers(goal: str, found: Mapping[str, int]) -> bool:
    """Return True if "they" can mean nobody but those who are answered."""
    return "they" in found and not _others(goal[: found["they"]], "they")


def _is_subject(goal: str, at: int) -> bool:
    found = _PRONOUN.match(goal, at)
    return found is not None and found[0].lower() in _SUBJECTS


def _begins_with_another(goal: str, at: int, kind: str) -> bool:
    """Return True if the first such pronoun means somebody who was named before it."""
    found = _PRONOUN.match(goal, at)
    sentence = _SENTENCES.split(goal[:at])[-1]
    others = _others(goal[:at] if _is_subject(goal, at) else sentence, kind)
    if found and found[0].lower() in {"him", "her"}:
        others = [it for it in others if not _SOMEBODY.match(it[0])]
    is_same = not any(_CLAUSE.search(sentence, it.end()) for it in _others(sentence, kind))
    if found and found[0].lower() in {"him", "her"} and is_same and not _owns(found, goal):
        return False
    return bool(others)


# "We had an offer from someone else, but would prefer to work with him."
_SOMEBODY = lazy_regex(r"(?:someone|somebody)(?!\p{L})", _FLAGS)
_SENTENCES = lazy_regex(r"[.!?;]\s|\n")


def means_somebody_else(text: str, persons: Persons) -> bool:
    """Return True if the words have a pronoun that the goal has for somebody else."""
    kinds = persons.others | persons.unclear | (persons.doubtful & {"they"})
    return any(_kind(it[0]) in kinds for it in _PRONOUN.finditer(text))


def is_doubtful(text: str, persons: Persons) -> bool:
    """Return True if somebody of whom only the thread speaks may be meant by a pronoun.

    Whom an instruction tells something is the reader: "ask her".
    """
    told = {it.start("whom") for it in _TOLD.finditer(text)}
    return any(
        _kind(it[0]) in persons.doubtful - {"they"}
        for it in _PRONOUN.finditer(text)
        if it.start() not in told or _kind(it[0]) in persons.others
    )


def turned(text: str, persons: Persons) -> str:
    """Return the words with the reader as "you"; raise UnclearError where that cannot be told."""
    hidden: list[str] = []

    def hide(found: regex.Match[str]) -> str:
        if _is_reader(found, text, persons):
            return found[0]
        hidden.append(found[0])
        return chr(0xE000 + len(hidden) - 1)

    spoken = _PRONOUN.sub(hide, text)
    spoken = from_us(spoken) or spoken
    spoken = _SECOND.sub(lambda it: f"{it['before']}{it['verb']}", spoken)
    turned_her = with_her(spoken)
    if spoken and not turned_her:
        raise UnclearError(text)
    spoken = as_you(turned_her)
    return regex.sub(r"[\uE000-\uF0FF]", lambda it: hidden[ord(it[0]) - 0xE000], spoken)


def _is_reader(found: regex.Match[str], text: str, persons: Persons) -> bool:
    kind, before = _kind(found[0]), text[: found.start()]
    is_subject = found[0].lower() in _SUBJECTS
    if kind in persons.unclear and is_subject:
        raise UnclearError(text)
    is_they = kind == "they" and persons.are_readers
    if kind in persons.others or (persons.reader not in {"", kind} and not is_they):
        return False
    if kind == "they" and persons.reader != "they" and _HANDLED.search(before):
        return False
    others = _before_it(found, text, kind)
    if not others and kind == "they" and kind in persons.doubtful:
        if not persons.is_likely:
            raise UnclearError(text)
        return is_subject
    # "Our technician is away but he will call her": the other pronoun is taken.
    if not others or (kind == persons.reader and persons.others):
        return True
    if persons.is_likely and kind == persons.reader and not is_subject:
        return True
    return _is_done_to(found, text, kind, others)


def _before_it(found: regex.Match[str], text: str, kind: str) -> list[regex.Match[str]]:
    """Return what the sentence has before the pronoun that it may stand for."""
    others = _others(_SENTENCES.split(text[: found.start()])[-1], kind)
    if found[0].lower() in {"him", "her"}:
        others = [it for it in others if not _SOMEBODY.match(it[0])]
    return others


def _is_done_to(
    found: regex.Match[str], text: str, kind: str, others: list[regex.Match[str]]
) -> bool:
    """Return True for "Dean could swap with him": who does it is not whom it is done to."""
    sentence = _SENTENCES.split(text[: found.start()])[-1]
    is_same = not any(_CLAUSE.search(sentence, it.end()) for it in others)
    if found[0].lower() not in _SUBJECTS and is_same:
        return not found[0].lower().startswith(("his", "their")) and not _owns(found, text)
    if kind == "they":
        return False
    raise UnclearError(text)


def _owns(found: regex.Match[str], text: str) -> bool:
    """Return True for a "her" that may be somebody else's: "the technician has her key"."""
    is_her = found[0].lower() == "her"
    return is_her and with_her(text[found.start() :]).lower().startswith("your")


@cache
def _people() -> dict[str, regex.Pattern[str]]:
    """Return what speaks of somebody else, by the pronoun that may stand for it."""
    english = language(ENGLISH)
    people = english.carrying.people if english else {}
    return {
        kind: regex.compile(rf"(?<!\p{{L}})(?:{words})(?!\p{{L}})", _FLAGS)
        for kind, words in people.items()
    }


def _others(text: str, kind: str) -> list[regex.Match[str]]:
    """Return what in the text the pronoun may stand for besides the reader."""
    people = _people()
    found = [it for name in (kind, "any") if name in people for it in people[name].finditer(text)]
    if kind != "they":
        found += [
            it
            for pattern in (_NAMED, _TITLED)
            for it in pattern.finditer(text)
            if not _NO_PERSON.match(it[0]) and _fits(it["title"], kind)
        ]
    return found


def _fits(title: str | None, kind: str) -> bool:
    return _BY_TITLE.get((title or "").strip(" ."), kind) == kind


def _kind(word: str) -> str:
    return next(kind for kind, words in _KINDS.items() if word.lower() in words.split("|"))
