"""What has become of an order, by the sentences that say it; pure.

Of several things that were said the subject counts most, and of as many what comes later in an
order's life: who writes that something is on its way thanks for the order as well.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache

import regex

from inbox.extract.fields import Choice, Field
from inbox.extract.meanings import NEGATION, name_of
from inbox.extract.roles import named
from inbox.languages import any_of, lazy_regex

_LIFE = (
    "placed", "confirmed", "shipped", "delivered", "delayed", "returned", "refunded", "cancelled",
)  # fmt: skip
_FEWEST = 3
_CLAUSE = lazy_regex(
    r"(?:[^.!?。！？؟\n;]|[.](?=\S)|(?<=(?<!\p{L})\p{L}{1,3}|\d)\.(?=\s\S))+[.!?。！？؟]?"
)
_JOINTS = lazy_regex(
    lambda: rf"[,;:、،–—]|\b{any_of(lambda it: it.answers.but)}\b", regex.IGNORECASE
)
_NOT_SO = lazy_regex(
    lambda: (
        rf"(?<!\p{{L}})(?:{any_of(lambda it: it.answers.only_if)}"
        rf"|{any_of(lambda it: it.answers.not_yet, lambda it: it.answers.plans)})(?!\p{{L}})"
    ),
    regex.IGNORECASE,
)
# "Ordered on: 3 March" says nothing of what became of it since.
_LABELS = lazy_regex(r"[^\n:|.,\d]{0,14}[:|\uff1a](?!\d)[ \t]*\S")
_SUBJECT, _MOST_SAID, _BEHIND = 2.5, 2.0, 18
_LONGEST = 20_000


@lru_cache(maxsize=512)
def _compiled(name: str) -> "regex.Pattern[str]":
    return regex.compile(
        rf"(?<!\p{{Latin}}){named(lambda it: it.meanings, name)}(?!\p{{Latin}})",
        regex.IGNORECASE | regex.MULTILINE,
    )


def states_of(field: Field) -> Mapping[str, Choice]:
    """Return the choices of a field that are states of an order, if it asks for those at all."""
    by_name = {name_of(words): it for it in field.choices for words in it.words}
    found = {name: it for name, it in by_name.items() if name in _LIFE}
    if len(found) < _FEWEST:
        return {}
    # Where nobody asks whether an order was only taken, that is its confirmation.
    if "placed" not in found and "confirmed" in found:
        found["placed"] = found["confirmed"]
    return found


def find_state(field: Field, text: str) -> tuple[Choice, float, tuple[int, int]] | None:
    """Return which state the text tells of, how surely, and where; None where it tells of none."""
    subject = text.partition("\n")[0]
    scores: dict[str, float] = {}
    places: dict[str, tuple[int, int]] = {}
    choices = states_of(field)
    for name in choices:
        said = list(_told(name, text[:_LONGEST]))
        if said:
            in_subject = said[0][0] < len(subject)
            rest = len(said) - in_subject
            scores[name] = (_SUBJECT if in_subject else 0.0) + min(float(rest), _MOST_SAID)
            places[name] = said[0]
    later = {name: it for name, it in scores.items() if name != "placed"} or scores
    if not later:
        return None
    best = max(later, key=lambda it: (later[it], _LIFE.index(it)))
    return choices[best], 0.85 if len(later) == 1 else 0.7, places[best]


def _told(name: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield where the text says that it is so, which is no question, wish, plan or denial."""
    subject = text.find("\n")
    for clause in _CLAUSE.finditer(text):
        if clause[0].rstrip().endswith(("?", "\uff1f", "؟")):
            continue
        for match in _compiled(name).finditer(clause[0]):
            before = _JOINTS.split(clause[0][: match.start()])[-1]
            behind = _JOINTS.split(clause[0][match.end() : match.end() + _BEHIND])[0]
            if NEGATION.search(before) or _NOT_SO.search(before) or _NOT_SO.search(behind):
                continue
            if clause.start() < subject or not _LABELS.match(clause[0], match.end()):
                yield clause.start() + match.start(), clause.start() + match.end()
                break
