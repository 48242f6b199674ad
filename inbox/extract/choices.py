"""Fields of a few values: which of them a text means, yes or no, or neither; pure."""

from functools import cache, lru_cache
from typing import Any

import regex

from inbox.extract.fields import Choice, Field
from inbox.extract.finding.states import find_state, states_of
from inbox.extract.meanings import NEGATION, expression_for, is_known
from inbox.extract.readers.numbers import CURRENCY_CODES, find_amounts
from inbox.extract.roles import named
from inbox.languages import any_of, lazy_regex, words_of

_CLAUSE = lazy_regex(r"(?:[^.!?。！？؟\n;]|[.](?=\S))+[.!?。！？؟]?")
_HYPOTHETICAL = lazy_regex(
    lambda: rf"(?<!\p{{L}}){any_of(lambda it: it.answers.only_if)}(?!\p{{L}})", regex.IGNORECASE
)
# What has not happened yet, or did not, though it should have.
_NOT_YET = lazy_regex(
    lambda: rf"(?<!\p{{L}}){any_of(lambda it: it.answers.not_yet)}(?!\p{{L}})", regex.IGNORECASE
)
# "Ordered on: 3 March" says nothing of what became of it since.
_LABELS = lazy_regex(r"[^\n:|.,]{0,14}[:|\uff1a]")
_DONE = frozenset(
    [
        "placed",
        "shipped",
        "delivered",
        "paid",
        "confirmed",
        "cancelled",
        "canceled",
        "returned",
        "refunded",
        "resolved",
        "completed",
        "closed",
        "sent",
        "received",
    ]
)


@lru_cache(maxsize=2048)
def _compiled(words: str) -> regex.Pattern[str]:
    return regex.compile(
        rf"(?<!\p{{Latin}})(?:{expression_for(words)})(?!\p{{Latin}})", regex.IGNORECASE
    )


@cache
def _yes() -> str:
    return f"x|✓|☑|{any_of(lambda it: it.answers.yes)}"


@cache
def _no() -> str:
    return f"☐|{any_of(lambda it: it.answers.no)}"


@cache
def _equals() -> str:
    return any_of(lambda it: it.labels.equals)


def find_choice(field: Field, text: str) -> tuple[Any, float] | None:
    """Return the value that the text means, and how surely; None where that is not clear."""
    if all(isinstance(it.value, str) and it.value in CURRENCY_CODES for it in field.choices):
        return _currency(field, text)
    labelled = _after_label(field, text)
    if labelled is not None:
        return labelled, 0.95
    if states_of(field):
        state = find_state(field, text)
        return (state[0].value, state[1]) if state else None
    scores = {index: _mentions(choice, text) for index, choice in enumerate(field.choices)}
    found = [index for index, score in scores.items() if score]
    # What was shipped had been ordered before.
    later = [index for index in found if "placed" not in field.choices[index].words]
    found = later or found
    if not found:
        return None
    best = max(found, key=lambda index: scores[index])
    rivals = [index for index in found if index != best and scores[index] >= scores[best]]
    if rivals:
        return None
    return field.choices[best].value, 0.75 if len(found) == 1 else 0.55


def find_choices(field: Field, text: str) -> list[Any]:
    """Return all the values that the text means, in the schema's order."""
    return [choice.value for choice in field.choices if _mentions(choice, text)]


def place_of(field: Field, value: Any, text: str) -> tuple[int, int] | None:
    """Return where the text speaks of a value of the field, or of what it asks about."""
    if field.kind == "boolean":
        hits = (
            regex.search(
                rf"(?<!\p{{Latin}})(?:{expression_for(it)})(?!\p{{Latin}})", text, regex.IGNORECASE
            )
            for it in _subjects(field)
        )
        return next((it.span() for it in hits if it), None)
    if isinstance(value, str) and value in CURRENCY_CODES:
        spots = [(it.start, it.end) for it in find_amounts(text) if it.currency == value]
        if spots:
            return spots[0]
    if states_of(field) and (state := find_state(field, text)) and state[0].value == value:
        return state[2]
    words = [word for it in field.choices if it.value == value for word in it.words]
    found = [hit.span() for word in words if (hit := _compiled(word).search(text))]
    return min(found, default=None)


def asks_for_attachments(field: Field) -> bool:
    """Return True if a field asks whether anything is attached."""
    return field.kind == "boolean" and bool({"attachment", "attachments"} & set(_subjects(field)))


def _currency(field: Field, text: str) -> tuple[Any, float] | None:
    codes = [amount.currency for amount in find_amounts(text)]
    known = [it.value for it in field.choices if it.value in codes]
    return (known[0], 0.9 if len(known) == 1 else 0.5) if known else None


def _after_label(field: Field, text: str) -> Any:
    label = regex.compile(
        (
            rf"(?<!\p{{L}})(?:{expression_for(field.words)})(?:\s{_equals()}"
            rf"(?:\sset to)?\s|\s?[:\uff1a=]\s?)(?P<rest>[^\n.,;]{{1,60}})"
        ),
        regex.IGNORECASE,
    )
    for match in label.finditer(text):
        for choice in field.choices:
            if any(_compiled(words).match(match["rest"].strip()) for words in choice.words):
                return choice.value
    return None


def _mentions(choice: Choice, text: str) -> float:
    """Count what speaks for the choice: its own words doubly, and less where negated or only if."""
    score = 0.0
    own = regex.compile(
        rf"(?<!\p{{Latin}})(?:{'|'.join(regex.escape(it) for it in choice.words)})(?!\p{{Latin}})",
        regex.IGNORECASE,
    )
    for clause in _CLAUSE.finditer(text):
        for words in choice.words:
            found = _compiled(words).search(clause[0])
            if found and not NEGATION.search(clause[0], 0, found.start()):
                if words in _DONE and _LABELS.match(clause[0], found.end()):
                    continue
                weight = 0.5 if _HYPOTHETICAL.search(clause[0]) else 1.0
                if words in _DONE and _NOT_YET.search(clause[0]):
                    weight = 0.0
                score += weight * (2.0 if own.search(clause[0]) else 1.0)
                break
            if found and _denies(words):
                score += 1.0
                break
    return score


def _denies(words: str) -> bool:
    """Return True if a negation is part of what the words mean: missing, unpaid, broken."""
    return any(
        words == it for it in ("missing", "unpaid", "broken", "declined", "not delivered", "outage")
    )


def find_truth(field: Field, text: str, has_attachments: bool) -> tuple[bool, float] | None:
    """Return whether what the field names is so; None where the text does not say."""
    subjects = _subjects(field)
    if asks_for_attachments(field):
        return has_attachments, 0.9
    if not subjects:
        return None
    expressions = [rf"(?<!\p{{Latin}})(?:{_said_of(field, it)})(?!\p{{Latin}})" for it in subjects]
    if (labelled := _labelled_truth(expressions, text)) is not None:
        return labelled, 0.95
    for expression in expressions:
        patterns = regex.compile(expression, regex.IGNORECASE)
        said = [
            (match, clause[0])
            for clause in _CLAUSE.finditer(text)
            for match in patterns.finditer(clause[0])
        ]
        if said:
            return _truth(field, said)
    return None


def _subjects(field: Field) -> list[str]:
    """Return what is asked about: the name as a whole, then its words that are known."""
    said = words_of(lambda it: it.schemas.truth_words)
    words = [word for word in field.words.split() if word not in said]
    whole = " ".join(words)
    known = [word for word in words if is_known(word) or "|" in expression_for(word)]
    return list(dict.fromkeys([it for it in (whole, *known) if it]))


def _said_of(field: Field, subject: str) -> str:
    """Return what says a subject; where it is asked for a wish, what asks for it."""
    asks = named(lambda it: it.answers.asks, subject) if _WISHES.search(field.words) else ""
    return asks if asks and asks != _NOTHING else expression_for(subject)


_NOTHING = "(?!)"


def _labelled_truth(expressions: list[str], text: str) -> bool | None:
    for expression in expressions:
        found = regex.search(
            (
                rf"(?:{expression})[^\n:\uff1a]{{0,20}}[:\uff1a]\s?(?:(?P<yes>{_yes()})|"
                rf"(?P<no>{_no()}))(?!\p{{L}})"
            ),
            text,
            regex.IGNORECASE,
        )
        if found:
            return found["yes"] is not None
    return None


def _truth(field: Field, said: list[tuple[regex.Match[str], str]]) -> tuple[bool, float] | None:
    asks = _WISHES.search(field.words)
    votes = []
    for match, clause in said:
        if clause.rstrip().endswith(("?", "?", "؟")) and not asks and not _is_polite(clause):
            continue
        negated = _is_negated(clause, match)
        if not (_HYPOTHETICAL.search(clause) and not asks):
            votes.append(not negated)
    if not votes:
        return None
    return (votes[0], 0.8) if len(set(votes)) == 1 else (votes[-1], 0.5)


_WISHES = lazy_regex(lambda: any_of(lambda it: it.schemas.wishes))
_JOINTS = lazy_regex(lambda: rf"[,;:、،]|\b{any_of(lambda it: it.answers.but)}\b", regex.IGNORECASE)
_POLITE = lazy_regex(lambda: any_of(lambda it: it.answers.polite), regex.IGNORECASE)


def _is_negated(clause: str, match: regex.Match[str]) -> bool:
    """Return True if the part of the sentence that holds the words denies them."""
    if NEGATION.search(match[0]):
        return False
    left = _JOINTS.split(clause[max(0, match.start() - 60) : match.start()])[-1]
    right = _JOINTS.split(clause[match.end() : match.end() + 40])[0]
    return NEGATION.search(left) is not None or NEGATION.search(right) is not None


def _is_polite(clause: str) -> bool:
    return _POLITE.search(clause) is not None
