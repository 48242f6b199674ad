"""Carrying a goal's own words into the letter: clause by clause, turned to the reader.

It is tried where no act is known, or the act leaves something out. A clause that begins with the
verb of an instruction which is not known is never said.
"""

from dataclasses import replace
from functools import cache

import regex

from inbox.compose.acts.sentence import TURNED, WISHED, Sentence
from inbox.compose.acts.unfounded import is_unfounded, speaks_of_attachment
from inbox.compose.carrying.carrier import Carrier, cleaned, named
from inbox.compose.carrying.doers import doing
from inbox.compose.carrying.parting import apart_at_comma, is_question, may_go_on, parts_of
from inbox.compose.carrying.persons import UnclearError, turned
from inbox.compose.goals.orders import (
    begins_within,
    has_main_verb,
    is_order,
    orders_besides,
)
from inbox.compose.phrasing.speech import as_sentence
from inbox.compose.phrasing.wholeness import is_whole
from inbox.extract.readers.calendar_words import number_words_of
from inbox.languages import ENGLISH, language
from inbox.languages.carrying import Carrying

_FLAGS = regex.IGNORECASE
# What a person has to look at: a file that the letter cannot have itself, or who is to do it.
UNSURE = 0.45
MOST_CLAUSES = 12
# So many words without a verb may stand behind a dash.
MOST_WORDS = 4
# A sentence with so many commas and no verb is notes.
MOST_NOTES = 2
_TIMEOUT = 0.5


def carry(clause: str, by: Carrier) -> list[Sentence] | None:
    """Return the sentences that the clause makes; None where any of it cannot be told."""
    clause = named(cleaned(clause, by.code), by.saying.situation.name, by.words)
    try:
        return _carried(clause, by)
    except TimeoutError:
        return None
    except UnclearError:
        pass
    try:
        likely = replace(by, persons=replace(by.persons, is_likely=True))
        said = _carried(clause, likely)
    except (UnclearError, TimeoutError):
        return None
    return [replace(it, sure=min(it.sure, UNSURE)) for it in said] if said else said


def _carried(clause: str, by: Carrier) -> list[Sentence] | None:
    """Return what the parts of the clause make; the last sentence names those that make nothing."""
    said: list[Sentence] = []
    missed: list[str] = []
    before, is_apart = "", False
    parts = parts_of(clause, by.code)[:MOST_CLAUSES]
    while parts:
        part = parts.pop(0)
        if _is_subordinate(part, by):
            before = _turned(part, by)
            continue
        found = _said(part, by, is_asked=_is_question_in(part, by))
        if found is None and (apart := apart_at_comma(part, by.code)):
            parts[:0] = apart
            is_apart = not by.words.verbs
        elif found is None:
            missed.append(part)
        else:
            said += _behind(before, found)
            before = ""
    if before or not any(it.text for it in said):
        return None if before or missed else said
    if is_apart:
        said = [replace(it, sure=min(it.sure, UNSURE)) for it in said]
    return [*said[:-1], replace(said[-1], missed="; ".join(missed))] if missed else said


def _is_question_in(part: str, by: Carrier) -> bool:
    return _is_asked(part, by.goal) or is_question(part, by.code)


def _is_subordinate(part: str, by: Carrier) -> bool:
    """Return True for "because we are full", which is no sentence of its own."""
    words = by.words
    joints = rf"(?:(?:{words.joints})\s)?" if words.joints else ""
    has_main = regex.search(r",\s", part)
    return (
        not has_main
        and not is_question(part, by.code)
        and bool(
            regex.match(rf"{joints}(?:{words.subordinate or '(?!)'})(?!\p{{L}})", part, _FLAGS)
        )
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
        named(cleaned(it, by.code), by.saying.situation.name, by.words) for it in (clause, before)
    )
    return _is_subordinate(clause.split(", ")[0], by) and f"{before}, {clause}" in by.goal


def goes_behind_dash(clause: str, before: str, by: Carrier) -> bool:
    """Return True for "I need a break - knee surgery": a few words that give the reason."""
    if not by.words.verbs or is_order(clause, by.code) or has_main_verb(clause, by.code):
        return False
    few = len(clause.split()) <= MOST_WORDS and regex.search(r"\d|:", clause) is None
    return (
        few
        and regex.search(rf"{regex.escape(before)}\s+[-–—]\s+{regex.escape(clause)}", by.goal)
        is not None
    )


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
        if template.startswith("?") and not _is_in_thread(found["what"], by):
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
    if "what" in found.groupdict():
        template = doing(template, found["what"] or "", by.saying.situation.text, by.words)
    sure = _sure_of_template(template, found, by)
    formal, _, informal = template.lstrip("~?").partition(" || ")
    text = informal if informal and by.saying.words.is_informal else formal
    filled = {name: _turned(_plain(_low(found, name, by), by), by) for name in found.groupdict()}
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


def _sure_of_template(template: str, found: regex.Match[str], by: Carrier) -> float:
    """Return how sure it is who does what, and that the words tell something."""
    if template.startswith("~"):
        return UNSURE
    is_asked = regex.search(by.words.asks or "(?!)", template) is not None
    if "{what}" in template and _lists(found["what"] or "", by):
        return UNSURE
    said = [it for it in found.groupdict().values() if it]
    if not is_asked and any(_may_order_besides(it, by) for it in said):
        return UNSURE
    if template == "{What}" and by.words.verbs and not has_main_verb(found["what"], by.code):
        return UNSURE
    return TURNED


def _lists(what: str, by: Carrier) -> bool:
    """Return True for "the quote, standard towel rail", of which it is not told what is done."""
    besides = "|".join(it for it in (by.words.joints, by.words.asides, "(?!)") if it)
    return any(
        not begins_within(tail, by.code)
        and not regex.match(rf"(?:{besides})(?!\p{{L}})", tail, _FLAGS)
        and not regex.match(r"(?:\S+\s){0,2}\S*\d", tail)
        and not has_main_verb(tail, by.code)
        for tail in (what[it.end() :] for it in regex.finditer(r",\s", what))
    )


def _plain(text: str, by: Carrier) -> str:
    """Return the words without how they are to be said: "withdraw it politely"."""
    known = language(by.code)
    manners = known.talk.manners if known else ""
    text = text.strip(" ,.;:")
    return regex.sub(rf",?\s(?:{manners})$", "", text, flags=_FLAGS) if manners else text


def _low(found: regex.Match[str], name: str, by: Carrier) -> str:
    """Return what a group has; the verb of the instruction in lower case."""
    text = found[name] or ""
    lowered = rf"(?:{by.words.lowered})(?!\p{{L}})" if by.words.lowered else r"(?-i:\p{Lu}\p{Ll})"
    if not found.start(name) and regex.match(lowered, text, _FLAGS):
        return text[0].lower() + text[1:]
    return text


def _told(part: str, by: Carrier, *, is_asked: bool) -> list[Sentence] | None:
    """Return the clause as it stands, unless it begins with an instruction that is not known."""
    part = part.strip(" ,;:")
    part = part if is_asked else _with_subject(part, by)
    first = regex.sub(r"^[\W\d]+", "", part)
    if not first or is_order(part, by.code):
        return None
    sure = _sure_of(part, by)
    if not sure or _orders_besides(part, by):
        return None
    if _may_order_besides(part, by) or not _begins_as_told(part, by):
        sure = min(sure, UNSURE)
    opened = {"¡": "!", "¿": "?"}.get(part[0])
    text = as_sentence(_turned(part, by), "?" if is_asked else opened or _stop(by))
    return _checked(text, sure, by)


def _begins_as_told(part: str, by: Carrier) -> bool:
    """Return True unless the clause may begin with a verb that is not known.

    Where a language has no list of such verbs, nothing but its subjects tells a statement.
    """
    known = language(by.code)
    if by.words.verbs or known is None or not known.own_words.subjects:
        return True
    words = by.words
    begins = (known.own_words.subjects, words.joints, words.subordinate, words.third)
    starts = "|".join(it for it in begins if it)
    return regex.match(rf"[\W\d]|(?:{starts})(?!\p{{L}})", part, _FLAGS) is not None


def _orders_besides(text: str, by: Carrier) -> bool:
    """Return True for "it leaves on Friday, blame the carrier"."""
    objects, joints = by.words.objects or "(?!)", by.words.joints or "(?!)"
    order = rf"\s(?:{by.words.orders})\s(?:{objects})(?!\p{{L}})"
    if regex.search(f",{order}", text, _FLAGS):
        return True
    found = regex.search(rf"\s(?:{joints}){order}", text, _FLAGS)
    # "We will check it and send the invoice": there it goes on with what "we" do.
    return found is not None and not regex.search(by.words.we_do or "(?!)", text[: found.start()])


def _may_order_besides(text: str, by: Carrier) -> bool:
    """Return True for "I can come on Thursday, bring the slides", where the reader may be meant."""
    return may_go_on(text, by.code) and orders_besides(text, by.code)


def _sure_of(part: str, by: Carrier) -> float:
    """Return how sure it is that the clause says something as it stands; 0 where it may not."""
    words = by.words
    if has_main_verb(part, by.code):
        return TURNED
    if part.count(",") >= MOST_NOTES:
        return UNSURE
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
    spelled = number_words_of(by.code)
    told = {str(spelled[it]) for it in regex.findall(r"\p{L}+", thread) if it in spelled}
    numbers = regex.findall(r"\d+", text)
    words = regex.findall(r"\p{L}{5,}", text.casefold())
    return all(it in thread or it in told for it in numbers) and all(
        it[:5] in thread for it in words
    )


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
    third = rf"(?<!\p{{L}})(?:{by.words.third or '(?!)'})(?!\p{{L}})"
    if speaks_of_attachment(text) or regex.search(third, text, _FLAGS):
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
