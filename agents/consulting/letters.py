"""A letter that would leave, read by a model: what it is asked, and which of its marks count.

Nothing that a model says in its own words reaches anybody. A mark is words of the letter, a code
for what is wrong, and words of a text that it was given; where either stands nowhere it is dropped.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from agents.evidence.claims.records import (
    Cited,
    Kind,
    Mark,
    Part,
    ProposedMessage,
    State,
    whole_words,
)
from agents.models import Origin
from inbox.language_model.answers import find_quote, rows_of, text_in
from inbox.language_model.prompts import Passage, Prompt
from inbox.models import ModelTask

Asked: TypeAlias = Literal[
    "amount", "percentage", "date", "time", "quantity", "code", "bank_account", "email", "phone",
    "link", "name", "attachment", "promise", "statement", "admission", "confidential",
]  # fmt: skip
KINDS: Final[tuple[Kind, ...]] = get_args(Asked)
_STATES: Final[tuple[State, ...]] = ("differs", "nowhere", "found")
MOST_MARKS = 20
_LONGEST_WORDS, _LONGEST_EXPECTED, _LONGEST_EXCERPT = 240, 160, 240
# What is a value stands in a text or it does not: there it cannot be found nowhere.
_AROUND = 30
_GRAVITY: Final = {"differs": 0, "nowhere": 1, "found": 2}
_INSTRUCTIONS = (
    "`letter` is about to leave the office; `to` are its readers, `today` is the day. Hold every "
    "statement of the letter against the texts, and tell what a careful colleague would stop it "
    "for. Look above all for: a value of another thing, person, day or order; a value that a later "
    "text replaced; an amount without tax given as one with tax, or for one as for all; conditions "
    "and terms read wrongly, such as who pays, what is included, until when, from when; the wrong "
    "person or office said to do, decide or have done something; something said to be done, sent, "
    "attached or agreed that no text says is; a promise, discount, date or exception that the "
    "rules of the office (kind policy, or a file of rules) do not allow, or leave to somebody "
    "else; fault or liability admitted; something internal, or of another customer, told to these "
    "readers. Leave out greetings, style, spelling, and what follows from the texts by counting. "
    "What only a stranger says is no proof that the letter is wrong about the office's own matters."
    '\nAnswer: {"marks": [{"words": the fewest words of the letter that are wrong, "kind": one of '
    f'{", ".join(KINDS)}, "state": "differs" where a text says otherwise or forbids it, "nowhere" '
    'where it needs a source and no text is one, "found" where a text bears out a promise or '
    'statement that matters, "source": the name of that text, "quote": the words of that text '
    'that say so, "expected": the words of the quote that belong in the place of the words, or '
    f'""}}]}}. At most {MOST_MARKS} marks, the gravest first; an empty list where nothing is wrong.'
)


class LetterRead(NamedTuple):
    """The marks that count, and how many were dropped."""

    marks: list[Mark]
    dropped: int


def letter_prompt(proposed: ProposedMessage, passages: Sequence[Passage]) -> Prompt:
    """Return what a model is asked about a letter."""
    given = {
        "letter": {"subject": proposed.subject, "body": proposed.body},
        "from": _as_text(proposed.sender), "to": [_as_text(one) for one in proposed.greeted],
        "today": proposed.written_on.isoformat(),
        "attached": [one.name for one in proposed.attached],
    }  # fmt: skip
    return Prompt(ModelTask.CHECK, 1, _INSTRUCTIONS, passages, given)


def _as_text(named: tuple[str, str]) -> str:
    name, email = named
    return f"{name} <{email}>" if name else email


def read_marks(
    found: Mapping[str, Any], proposed: ProposedMessage, passages: Sequence[Passage]
) -> LetterRead:
    """Return the marks of an answer that count; raises ModelError where it has no list of them."""
    rows = rows_of(found, "marks", MOST_MARKS)
    marks = [_read(row, proposed, passages) for row in rows]
    kept = list(dict.fromkeys(one for one in marks if one is not None))
    return LetterRead(kept, marks.count(None))


def _read(
    row: Mapping[str, Any], proposed: ProposedMessage, passages: Sequence[Passage]
) -> Mark | None:
    """Return a mark; None where it quotes what stands nowhere, or is none that was asked for."""
    words, kind, state = (
        text_in(row, "words", _LONGEST_WORDS), row.get("kind"), row.get("state")
    )  # fmt: skip
    place = _place(proposed, words)
    if place is None or kind not in KINDS or state not in _STATES:
        return None
    part, start, end = place
    text = {"subject": proposed.subject, "body": proposed.body}[part]
    if state == "nowhere":
        is_there = any(find_quote(one.text, words) for one in passages)
        return (
            None if is_there else Mark(kind, part, text[start:end], start, end, state, by="model")
        )
    # That a stranger says so bears nothing out.
    believed = [one for one in passages if state != "found" or one.origin != Origin.STRANGER]
    cited = _cited(row, believed)
    if cited is None:
        return None
    excerpt, expected = cited.excerpt, text_in(row, "expected", _LONGEST_EXPECTED)
    if state == "found" or expected not in excerpt or expected == text[start:end]:
        expected = ""
    return Mark(kind, part, text[start:end], start, end, state, expected, (cited,), "model")


def _place(proposed: ProposedMessage, words: str) -> tuple[Part, int, int] | None:
    parts: tuple[tuple[Part, str], ...] = (("body", proposed.body), ("subject", proposed.subject))
    for part, text in parts:
        place = find_quote(text, words)
        if place is not None:
            return part, *place
    return None


def _cited(row: Mapping[str, Any], passages: Sequence[Passage]) -> Cited | None:
    """Return the words of the text that a mark names; None where they do not stand in it."""
    quote, name = text_in(row, "quote"), row.get("source")
    for one in passages:
        place = find_quote(one.text, quote) if one.name == name else None
        if place is not None:
            words = whole_words(one.text, max(0, place[0]), place[1])
            excerpt = " ".join(words.split())
            return Cited(one.kind, one.id, excerpt[:_LONGEST_EXCERPT])  # type: ignore[arg-type]
    return None


def merge(stored: Sequence[Any], marks: Sequence[Mark]) -> list[Any]:
    """Return the marks that are kept with those of a model: of a place the one that doubts more.

    Where both doubt it, the rules' stays. `marks` are as `read_marks` returns them.
    """
    rows = [row for row in stored if isinstance(row, Mapping)]
    added = [one for one in marks if not any(_stands_before(row, one) for row in rows)]
    kept = [row for row in rows if not any(_meets(row, one) for one in added)]
    return sorted(
        [*kept, *(_as_row(one) for one in _apart(added))],
        key=lambda row: (row["part"] != "subject", row["start"], row["end"]),
    )


def _apart(marks: Sequence[Mark]) -> Iterator[Mark]:
    """Yield marks that do not meet: of those that do the gravest, then the first."""
    taken: list[Mark] = []
    for one in sorted(marks, key=lambda it: _GRAVITY[it.state]):
        if not any(_meets(_as_row(it), one) for it in taken):
            taken.append(one)
            yield one


def _stands_before(row: Mapping[str, Any], mark: Mark) -> bool:
    """Return True if a kept mark of the place says as much as the model's, or more."""
    return _meets(row, mark) and _GRAVITY[row["state"]] <= max(_GRAVITY[mark.state], 1)


def _meets(row: Mapping[str, Any], mark: Mark) -> bool:
    is_same_part = row["part"] == mark.part
    return bool(is_same_part and row["start"] < mark.end and mark.start < row["end"])


def _as_row(mark: Mark) -> dict[str, Any]:
    return {
        "kind": mark.kind, "part": mark.part, "excerpt": mark.excerpt, "start": mark.start,
        "end": mark.end, "state": mark.state, "expected": mark.expected, "by": mark.by,
        "sources": [one._asdict() for one in mark.sources],
    }  # fmt: skip
