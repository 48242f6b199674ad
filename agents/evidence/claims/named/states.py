"""What a message says became of something, or was decided, and sources say the opposite; pure."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import regex

from agents.evidence.claims.named.people import People
from agents.evidence.claims.named.sentences import Sentence, sentences_in
from agents.evidence.claims.prose import is_question
from agents.evidence.claims.records import Cited, Mark, Value
from agents.evidence.claims.rivals import Surroundings
from agents.evidence.claims.wording.promises import takes_back
from inbox.languages import languages, lazy_regex

_OPPOSITES = {"paid": "due", "due": "paid", "accepted": "declined", "declined": "accepted"}
# What has not become so yet: "will be paid".
_COMING = "coming"
# A document says of itself when it is due, and nothing of what became of that.
_DOCUMENTS = frozenset({"file", "attachment"})
# By a number that stands for a thing: what becomes of it.
_OF_THINGS = frozenset({"paid"})
_CODE = lazy_regex(r"(?<![\p{L}\d/-])\p{Lu}{1,5}-?(?:\d{2,4}-)?\d{3,7}(?:-\p{Lu})?(?![\p{L}\d/-])")
_AROUND, _BEFORE = 70, 35
_MOST_CHECKED = 10


class State(NamedTuple):
    """What a sentence says became of something, and where."""

    family: str
    start: int
    end: int


def check_states(
    body: str, code: str, said: Sequence[Sentence], people: People, around: Surroundings
) -> Iterator[Mark]:
    """Yield a mark for what is said of a number or of somebody, and the opposite is so.

    `said` are the sentences of the sources; of what somebody decided his or her own count.
    """
    for sentence in sentences_in(body, code, around):
        text = body[sentence.start : sentence.end]
        states = list(_states(text))[:_MOST_CHECKED]
        if not states or is_question(body[sentence.start : sentence.end + 1]):
            continue
        for state in states:
            before = text[max(0, state.start - _AROUND) : state.start]
            if takes_back(before[-_BEFORE:], code) or _says(before, _COMING):
                continue
            yield from _of_thing(state, text, sentence, said)
            yield from _of_somebody(state, text, sentence, said, people)


def _states(text: str) -> Iterator[State]:
    for family in _OPPOSITES:
        for match in _families()[family].finditer(text):
            yield State(family, *match.span())


@cache
def _families() -> dict[str, "regex.Pattern[str]"]:
    """Return the words of any language that say what became of something."""
    return {family: _pattern(family) for family in (*_OPPOSITES, _COMING)}


def _pattern(family: str) -> "regex.Pattern[str]":
    words = "|".join(filter(None, (it.claims.states.get(family, "") for it in languages())))
    return regex.compile(rf"(?<!\p{{L}})(?:{words or '(?!)'})(?!\p{{L}})", regex.IGNORECASE)


def _of_thing(
    state: State, text: str, sentence: Sentence, said: Iterable[Sentence]
) -> Iterator[Mark]:
    """Yield a mark where all that the sources say of the nearest number is the opposite."""
    near = [it for it in _CODE.finditer(text) if _apart(it.span(), state) <= _AROUND]
    if state.family not in _OF_THINGS or not near:
        return
    thing = min(near, key=lambda it: _apart(it.span(), state))
    told = [(it, _text(it)) for it in said]
    named = regex.compile(rf"{regex.escape(thing[0])}(?![\p{{L}}\d-])")
    about = [(it, words) for it, words in told if named.search(words)]
    if any(_says(words, state.family) and not is_question(words) for _, words in about):
        return
    told_of = ((it, words) for it, words in about if it.source and it.source.type not in _DOCUMENTS)
    against = next((it for it, words in told_of if _says(words, _OPPOSITES[state.family])), None)
    if against is not None:
        span = min(thing.start(), state.start), max(thing.end(), state.end)
        yield _mark(text, span, sentence, against)


def _of_somebody(
    state: State, text: str, sentence: Sentence, said: Iterable[Sentence], people: People
) -> Iterator[Mark]:
    """Yield a mark where somebody wrote the opposite of a decision, about the same."""
    who = next((it for it in reversed(_before(state, people.mentions(text))) if it.key), None)
    if who is None or state.family in _OF_THINGS or state.family == "due":
        return
    for one in said:
        writer = one.source.people[0].name if one.source and one.source.people else ""
        if who.key not in {it.key for it in people.mentions(writer, is_name=True)}:
            continue
        words = _text(one)
        shared = {it for it in one.words & sentence.words if len(it) > 2}
        if not shared or is_question(words):
            continue
        if _says(words, state.family):
            return
        if _says(words, _OPPOSITES[state.family]):
            yield _mark(text, (who.start, state.end), sentence, one)
            return


def _before(state: State, mentions: Sequence[Value]) -> list[Value]:
    return [it for it in mentions if 0 <= state.start - it.end <= _AROUND]


def _apart(span: tuple[int, int], state: State) -> int:
    return max(span[0] - state.end, state.start - span[1], 0)


def _text(one: Sentence) -> str:
    assert one.source is not None  # noqa: S101
    return one.source.text[one.start : one.end + 1]


def _says(words: str, family: str) -> bool:
    return _families()[family].search(words) is not None


def _mark(text: str, span: tuple[int, int], sentence: Sentence, against: Sentence) -> Mark:
    assert against.source is not None  # noqa: S101
    start, end = span[0] + sentence.start, span[1] + sentence.start
    told = " ".join(_text(against).split())[:120]
    cited = (Cited(against.source.type, against.source.id, told),)
    return Mark("promise", "body", text[span[0] : span[1]], start, end, "differs", told, cited)
