"""Words of a goal that a letter cannot say, for the thread has nothing of it."""

import regex

from inbox.compose.thread.facts import Saying, matching, named_in
from inbox.compose.thread.things import MEETINGS, speaks_of
from inbox.languages import any_of, lazy_regex

_ATTACHED = lazy_regex(
    lambda: (
        r"\b(?:is|are|find|have|i['’]ve|we['’]ve) (?:\p{L}+ )?(?:attached|enclosed)"
        r"|\b(?:attached|enclosed) (?:is|are)\b"
        rf"|{any_of(lambda it: it.talk.attached)}"
    ),
    regex.IGNORECASE,
)
_SHOWN = lazy_regex(
    r"\b(?:below|above|as follows|hereby|hereto|following (?:is|are)|here (?:is|are))\b"
    r"|\bhere['’]s\b",
    regex.IGNORECASE,
)
_SETTLED = lazy_regex(lambda: any_of(lambda it: it.talk.settled), regex.IGNORECASE)


def speaks_of_attachment(text: str) -> bool:
    """Return True if the words say that a file goes with the letter."""
    return _ATTACHED.search(text) is not None


def is_unfounded(text: str, saying: Saying) -> bool:
    """Return True if the words call a meeting settled that the thread does not have.

    So they are where they speak of an attachment, for a draft has none.
    """
    if speaks_of_attachment(text) or _SHOWN.search(text):
        return True
    named = named_in(text, saying)
    if not _SETTLED.search(text) or not any(speaks_of(name, text) for name in MEETINGS):
        return False
    situation = saying.situation
    timed = bool(named.days or named.times)
    return not situation.meets or (
        timed and bool(situation.proposals) and not matching(named, saying)
    )
