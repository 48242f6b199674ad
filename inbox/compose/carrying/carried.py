"""Carrying a goal's own words into the letter: clause by clause, turned to the reader.

It is tried where no act is known, or the act leaves something out. A clause that begins with the
verb of an instruction which is not known is never said.
"""

from dataclasses import dataclass, replace
from functools import cache

import regex

from inbox.compose.acts.sentence import TURNED, WISHED, Sentence
from inbox.compose.acts.unfounded import is_unfounded, speaks_of_attachment
from inbox.compose.carrying.persons import (
    Persons,
    UnclearError,
    means_somebody_else,
    persons_of,
    turned,
)
from inbox.compose.phrasing.languages import guess_language, is_written_in, speaks_for
from inbox.compose.phrasing.speech import as_sentence
from inbox.compose.phrasing.wholeness import is_whole
from inbox.compose.thread.facts import Saying
from inbox.languages import ENGLISH, language
from inbox.languages.carrying import Carrying
from inbox.rfc5322.text.language import detect_language

_FLAGS = regex.IGNORECASE
# What a person has to look at: a file that the letter cannot have itself, or who is to do it.
UNSURE = 0.45
MOST_CLAUSES = 12
_TIMEOUT = 0.5


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
    goal = _named(_clean(goal, code), saying.situation.name, words)
    several = regex.search(rf"(?<!\p{{L}})(?:{words.plural})(?!\p{{L}})", goal, _FLAGS)
    one = regex.search(rf"(?<!\p{{L}})(?:{words.singular})(?!\p{{L}})", goal, _FLAGS)
    persons = persons_of(goal) if code == ENGLISH else Persons()
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


def carry(clause: str, by: Carrier) -> list[Sentence] | None:
    """Return the sentences that the clause makes; None where any of it cannot be told."""
    clause = _named(_clean(clause, by.code), by.saying.situation.name, by.words)
    said: list[Sentence] = []
    before = ""
    try:
        for part in _parts(clause, by.code)[:MOST_CLAUSES]:
            if _is_subordinate(part, by):
                before = _turned(part, by)
                continue
            found = _said(part, by, is_asked=_is_asked(part, by.goal))
            if found is None:
                return None
            said += _behind(before, found)
            before = ""
    except (UnclearError, TimeoutError):
        return None
    return None if before else said


def _is_subordinate(part: str, by: Carrier) -> bool:
    """Return True for "because we are full", which is no sentence of its own."""
    words = by.words
    joints = rf"(?:(?:{words.joints})\s)?" if words.joints else ""
    has_main = regex.search(r",\s", part)
    return not has_main and bool(
        regex.match(rf"{joints}(?:{words.subordinate or '(?!)'})(?!\p{{L}})", part, _FLAGS)
    )


def _behind(before: str, said: list[Sentence]) -> list[Sentence]:
    """Return the sentences, the first one behind the clause that stood before it."""
    if not before or not said:
        return said
    text = said[0].text
    low = text if regex.match(r"I\b|\p{Lu}{2}", text) else text[0].lower() + text[1:]
    return [replace(said[0], text=as_sentence(f"{before}, {low}")), *said[1:]]


def goes_with(clause: str, before: str, by: Carrier) -> bool:
    """Return True if the clause is a part of the sentence that the one before it begins."""
    clause, before = (
        _named(_clean(it, by.code), by.saying.situation.name, by.words) for it in (clause, before)
    )
    return _is_subordinate(clause.split(", ")[0], by) and f"{before}, {clause}" in by.goal


@cache
def _cleans(code: str) -> list[tuple[regex.Pattern[str], str]]:
    known = language(code)
    return (
        [(regex.compile(it, _FLAGS), said) for it, said in known.carrying.cleans] if known else []
    )


def spelled_out(goal: str) -> str:
    """Return the goal without what its language writes short or sloppily."""
    return _clean(goal, detect_language(goal) or ENGLISH)


def _clean(text: str, code: str) -> str:
    for pattern, said in _cleans(code):
        text = pattern.sub(said, text)
    return text


def _named(text: str, name: str, words: Carrying) -> str:
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


@cache
def _splits(code: str) -> regex.Pattern[str]:
    known = language(code)
    splits = known.carrying.splits if known else "(?!)"
    joints = known.clauses.joints if known else ""
    return regex.compile(
        rf"(?:\s*[,;:.]\s|\s[-–]\s|\s(?={joints}))(?:(?:{joints})\s)*(?=(?:{splits})(?!\p{{L}}))",
        _FLAGS,
    )


@cache
def _goes_on(code: str) -> tuple[regex.Pattern[str], regex.Pattern[str]]:
    known = language(code)
    words = known.carrying if known else Carrying()
    verb, second = words.keeps_verb or "(?!)", words.goes_on or "(?!)"
    return (
        regex.compile(rf"^(?P<verb>{verb})(?!\p{{L}})", _FLAGS),
        regex.compile(rf",?\s(?:{second})\s(?=\S)", _FLAGS),
    )


def _parts(clause: str, code: str) -> list[str]:
    """Return the instructions of a clause, each with its verb."""
    found = [it.strip(" ,;") for it in _splits(code).split(clause) if it and it.strip(" ,;")]
    verb, second = _goes_on(code)
    parts = []
    for part in found:
        lead = verb.match(part)
        if lead is None:
            parts.append(part)
            continue
        first, *others = second.sub("\0", part).split("\0")
        parts += [first, *(f"{lead['verb']} {it}" for it in others)]
    return parts


def _is_asked(part: str, goal: str) -> bool:
    at = goal.find(part)
    return at >= 0 and goal[at + len(part) :].lstrip()[:1] == "?"


@cache
def _leads(code: str) -> list[tuple[regex.Pattern[str], str]]:
    known = language(code)
    if known is None:
        return []
    politely = known.instructions.politely
    return [
        (regex.compile(rf"^{politely}(?:{it})$", _FLAGS | regex.DOTALL), said)
        for it, said in known.carrying.leads
    ]


def _said(part: str, by: Carrier, *, is_asked: bool, depth: int = 0) -> list[Sentence] | None:
    """Return what one instruction, or one clause that tells something, makes in the letter."""
    for pattern, template in _leads(by.code):
        found = pattern.match(part, timeout=_TIMEOUT)
        if found is None:
            continue
        if template == "-":
            return []
        if template == "{What}" and is_asked:
            return None
        if not regex.search(by.words.asks or "(?!)", template) and any(
            _orders_besides(it, by) for it in found.groupdict().values() if it
        ):
            return None
        if template == "…":
            again = found["again"]
            return _said(again, by, is_asked=is_asked, depth=depth + 1) if depth < 3 else None
        return _from_template(template, found, by)
    return _told(part, by, is_asked=is_asked)


def _from_template(template: str, found: regex.Match[str], by: Carrier) -> list[Sentence] | None:
    sure = UNSURE if template.startswith("~") else TURNED
    if template.startswith("?") and not _is_in_thread(found["what"], by):
        return None
    formal, _, informal = template.lstrip("~?").partition(" || ")
    text = informal if informal and by.saying.words.is_informal else formal
    filled = {name: _turned(_low(found, name).strip(" ,.;:"), by) for name in found.groupdict()}
    do = filled.get("do", "")
    filled["do"] = regex.sub(r"^you\s(?:should\s)?", "", do, flags=_FLAGS)
    for name, value in filled.items():
        # A sentence of its own: "{What}." of nothing is none.
        text = text.replace(f"{{{name.capitalize()}_}}", value[:1].upper() + value[1:])
        text = text.replace(f"{{{name.capitalize()}}}", as_sentence(value, _stop(by)))
        text = text.replace(f"{{{name}}}", value)
    text = " ".join(regex.sub(r"\s+(?=[.,])|,\s*(?=\.)", "", text.replace("{we}", by.we)).split())
    if by.words.that_too and template == "{What}":
        parts = regex.split(by.words.that_too, text, flags=_FLAGS)
    else:
        parts = [text]
    checked = [_checked(as_sentence(it, _stop(by)), sure, by) for it in parts]
    return None if None in checked else [it for each in checked if each for it in each]


def _low(found: regex.Match[str], name: str) -> str:
    """Return what a group has; the verb of the instruction in lower case."""
    text = found[name] or ""
    if text and not found.start(name) and regex.match(r"\p{Lu}\p{Ll}", text):
        return text[0].lower() + text[1:]
    return text


def _told(part: str, by: Carrier, *, is_asked: bool) -> list[Sentence] | None:
    """Return the clause as it stands, unless it begins with an instruction that is not known."""
    part = part.strip(" ,;:")
    part = part if is_asked else _with_subject(part, by)
    first = regex.sub(r"^[\W\d]+", "", part)
    if not first or regex.match(
        rf"(?:{by.words.orders})(?![\p{{L}}'’-]|\s\p{{L}}+ed\b)", first, _FLAGS
    ):
        return None
    sure = _sure_of(part, by)
    if not sure or _orders_besides(part, by):
        return None
    opened = {"¡": "!", "¿": "?"}.get(part[0])
    text = as_sentence(_turned(part, by), "?" if is_asked else opened or _stop(by))
    return _checked(text, sure, by)


def _orders_besides(text: str, by: Carrier) -> bool:
    """Return True for "it leaves on Friday, blame the carrier"."""
    objects, joints = by.words.objects or "(?!)", by.words.joints or "(?!)"
    order = rf"\s(?:{by.words.orders})\s(?:{objects})(?!\p{{L}})"
    if regex.search(f",{order}", text, _FLAGS):
        return True
    found = regex.search(rf"\s(?:{joints}){order}", text, _FLAGS)
    # "We will check it and send the invoice": there it goes on with what "we" do.
    return found is not None and not regex.search(by.words.we_do or "(?!)", text[: found.start()])


def _sure_of(part: str, by: Carrier) -> float:
    """Return how sure it is that the clause says something as it stands; 0 where it may not."""
    words = by.words
    if regex.search(rf"(?<![\p{{L}}])(?:{words.finite})(?!\p{{L}})", part, _FLAGS):
        return TURNED
    first = regex.search(r"\p{L}{4,}", part)
    is_known = first is not None and first[0].casefold()[:5] in by.saying.situation.text.casefold()
    if regex.search(words.fragments, part, _FLAGS):
        return WISHED if is_known or not words.weak or _begins_small(part, words) else UNSURE
    is_weak = words.weak and len(part.split()) > 2 and regex.search(words.weak, part, _FLAGS)
    return UNSURE if is_weak or (is_known and " " in part) else 0.0


def _begins_small(part: str, words: Carrying) -> bool:
    """Return True if the clause begins with a word of a list, a number, or a name."""
    found = regex.search(words.fragments, part, _FLAGS)
    is_named = regex.match(r"[^:]{2,40}:\s|\W*\d|\p{Lu}\p{Ll}+day\b", part) is not None
    return is_named or (found is not None and not found.start())


def _is_in_thread(text: str, by: Carrier) -> bool:
    """Return True if the thread has each number and each longer word of what is confirmed."""
    thread = by.saying.situation.text.casefold()
    numbers = regex.findall(r"\d+", text)
    words = regex.findall(r"\p{L}{5,}", text.casefold())
    return all(it in thread for it in numbers) and all(it[:5] in thread for it in words)


def _with_subject(part: str, by: Carrier) -> str:
    """Return "need an answer" as "We need an answer"."""
    for pattern, said in by.words.subjects:
        found = regex.match(rf"(?:{pattern})", part, _FLAGS)
        if found:
            rest = part[found.end() :]
            low = rest[:1].lower() + rest[1:] if regex.match(r"\p{Lu}\p{Ll}", rest) else rest
            return f"{said.replace('{we}', by.we)}{low}"
    return part


def _checked(text: str, sure: float, by: Carrier) -> list[Sentence] | None:
    """Return the sentence; None where it says what no letter says."""
    text = polished(text, by)
    if not text or regex.search(by.words.unsaid, text, _FLAGS):
        return None
    if not _is_whole(text, by) or _goes_astray(text, by.code):
        return None
    if speaks_of_attachment(text):
        sure = min(sure, UNSURE)
    elif is_unfounded(text, by.saying):
        return None
    return [Sentence(text, sure)]


def polished(text: str, by: Carrier) -> str:
    """Return the sentence as it sounds better: "You should please wait" as "Please wait"."""
    for pattern, said in by.words.polish:
        text = regex.sub(pattern, said, text)
    return text


def _is_whole(text: str, by: Carrier) -> bool:
    """Return True unless the words of the sentence do not belong together."""
    bare = regex.sub(rf"^(?:{by.words.joints or '(?!)'}|not)(?!\p{{L}})\s", "", text, flags=_FLAGS)
    # "Out of stock" may begin a sentence, and "that" end one.
    return is_whole(f"So {regex.sub(r'that(?=[.?]$)', 'it', bare)}", by.code)


# The endings of verbs that say what the writer does, in Romance languages: "e pago os 35".
_OF_US = r"\p{Ll}+(?:o|mos|amo|emo|imo|ons|rei|rai)\s"


@cache
def _strays(code: str) -> regex.Pattern[str]:
    known = language(code)
    if known is None or code == ENGLISH or not known.own_words.joints or not known.talk.articles:
        return regex.compile("(?!)")
    words, articles = known.own_words, known.talk.articles
    return regex.compile(
        rf"(?<!\p{{L}})(?:{words.joints})\s(?!(?:{words.goes_on})(?!\p{{L}})|\d)(?!{_OF_US})\p{{Ll}}+"
        rf"\s(?:{articles})(?!\p{{L}})",
        _FLAGS,
    )


def _goes_astray(text: str, code: str) -> bool:
    """Return True if a sentence goes on with what may be an instruction: "y borra el correo"."""
    return _strays(code).search(text) is not None


def _turned(text: str, by: Carrier) -> str:
    if by.code == ENGLISH:
        return turned(text, by.persons)
    changes = by.words.informal if by.saying.words.is_informal else by.words.turns
    for pattern, said in changes:
        text = regex.sub(pattern, said, text, flags=_FLAGS)
    return text


def _stop(by: Carrier) -> str:
    return by.saying.words.of.compose.formats.stop
