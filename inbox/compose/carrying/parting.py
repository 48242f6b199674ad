"""Parting a clause of a goal into the instructions and the statements that it holds; pure.

Commas part them where nothing else does: "dispute the amount, we ordered 500, need a new invoice".
"""

from collections.abc import Iterator
from functools import cache

import regex

from inbox.compose.goals.orders import begins_within, has_main_verb, is_order, main_part
from inbox.languages import language
from inbox.languages.carrying import Carrying

_FLAGS = regex.IGNORECASE


def parts_of(clause: str, code: str) -> list[str]:
    """Return the instructions of a clause, each with its verb, and what is told beside them."""
    found = [it.strip(" ,;") for it in _splits(code).split(clause) if it and it.strip(" ,;")]
    verb, second = _goes_on(code)
    parts: list[str] = []
    for part in found:
        lead = verb.match(part)
        if lead is None:
            parts += _by_commas(part, code)
            continue
        first, *others = second.sub("\0", part).split("\0")
        parts += [first, *(f"{lead['verb']} {it}" for it in others)]
    return parts


@cache
def _splits(code: str) -> regex.Pattern[str]:
    known = language(code)
    splits = known.carrying.splits if known else "(?!)"
    joints = known.clauses.joints if known else ""
    joints = "|".join(it for it in (joints, known.carrying.joints if known else "") if it)
    return regex.compile(
        rf"(?:\s*[,;:.]\s|\s[-–]\s|\s(?={joints}))(?:(?:{joints})\s)*(?=(?:{splits})(?!\p{{L}}))",
        _FLAGS,
    )


@cache
def _goes_on(code: str) -> tuple[regex.Pattern[str], regex.Pattern[str]]:
    words = _words(code)
    verb, second = words.keeps_verb or "(?!)", words.goes_on or "(?!)"
    return (
        regex.compile(rf"^(?P<verb>{verb})(?!\p{{L}})", _FLAGS),
        regex.compile(rf",?\s(?:{second})\s(?=\S)", _FLAGS),
    )


def _words(code: str) -> Carrying:
    known = language(code)
    return known.carrying if known else Carrying()


@cache
def _comma(code: str) -> regex.Pattern[str]:
    joints = _words(code).joints
    return regex.compile(rf",\s(?:(?:{joints})\s)?|\s(?:{joints})\s" if joints else "(?!)", _FLAGS)


def _by_commas(part: str, code: str) -> Iterator[str]:
    """Yield the part as it is, or parted at commas that another instruction or subject follows."""
    at = 0
    for found in _comma(code).finditer(part) if _words(code).verbs else ():
        head, tail = part[at : found.start()].strip(" ,"), part[found.end() :]
        if head and _begins_anew(head, tail, found[0], code):
            yield head
            at = found.end()
    yield part[at:].strip(" ,")


def apart_at_comma(part: str, code: str) -> list[str]:
    """Return a part that cannot be told as two, where a comma parts it; [] where none does."""
    head, comma, tail = part.partition(", ")
    if not comma or _is_first_part(head, code):
        return []
    return [] if begins_within(tail, code) else [head, tail]


def _begins_anew(head: str, tail: str, joint: str, code: str) -> bool:
    """Return True if the tail is no part of what the head says."""
    if _is_first_part(head, code):
        return False
    if "," in joint and _is_closed(head, code):
        return True
    is_told = not may_go_on(head, code) and not has_main_verb(head, code)
    if _is_but(joint, code) and is_told and is_order(head, code) and _tells(tail, code):
        return True
    if "," not in joint:
        return is_order(head, code) and not may_go_on(head, code) and is_order(tail, code)
    if is_question(tail, code):
        return True
    if is_order(tail, code):
        return not may_go_on(head, code)
    if is_order(head, code) and (_tells(tail, code) or _is_aside(tail, code)):
        return True
    return _lacks_subject(tail, code) and (is_order(head, code) or _is_of_us(head, code))


def _is_but(joint: str, code: str) -> bool:
    return regex.fullmatch(rf"\s(?:{_words(code).but or '(?!)'})\s", joint, _FLAGS) is not None


def may_go_on(head: str, code: str) -> bool:
    """Return True if a verb behind the words may be one more that somebody does: "we will …"."""
    return regex.search(_words(code).we_do or "(?!)", head) is not None


def _is_first_part(head: str, code: str) -> bool:
    """Return True for "tell him that if we win", whose main clause is still to come."""
    opens = _words(code).opens or "(?!)"
    found = regex.search(rf"(?<!\p{{L}})(?:{opens})(?!\p{{L}})", head, _FLAGS)
    if found is None:
        return False
    rest = head[found.end() :]
    return has_main_verb(rest, code) or len(rest.split()) > 1


def _tells(tail: str, code: str) -> bool:
    """Return True if the words are a main clause with a subject, or lack only that."""
    if begins_within(tail, code):
        return False
    first = main_part(tail.split(", ", maxsplit=1)[0], code)
    return _lacks_subject(first, code) or (" " in first and has_main_verb(first, code))


def _is_closed(head: str, code: str) -> bool:
    closed = _words(code).closed or "(?!)"
    return regex.fullmatch(rf"(?:{closed})", head, _FLAGS) is not None


def _is_aside(tail: str, code: str) -> bool:
    asides = _words(code).asides or "(?!)"
    return regex.match(rf"(?:{asides})(?!\p{{L}})", tail, _FLAGS) is not None


def _lacks_subject(text: str, code: str) -> bool:
    return any(regex.match(rf"(?:{pattern})", text, _FLAGS) for pattern, _ in _words(code).subjects)


def _is_of_us(head: str, code: str) -> bool:
    """Return True if the words begin with who writes."""
    words = _words(code)
    us = "|".join(it for it in (words.singular, words.plural) if it) or "(?!)"
    return regex.match(rf"(?:{us})(?!\p{{L}})", head, _FLAGS) is not None


def is_question(tail: str, code: str) -> bool:
    """Return True if the words ask the reader something: "can you come in the morning"."""
    questions = _words(code).questions or "(?!)"
    return regex.match(rf"(?:{questions})(?!\p{{L}})", tail, _FLAGS) is not None
