"""Saying what a goal tells without a verb for it: "Delivery is free"; in its own language alone."""

import regex

from inbox.compose.acts.sentence import TURNED, Sentence, own_words
from inbox.compose.acts.unfounded import is_unfounded
from inbox.compose.goals.instructions import Act
from inbox.compose.phrasing.speech import as_sentence
from inbox.compose.phrasing.wholeness import is_whole
from inbox.compose.thread.facts import Saying
from inbox.languages import any_of, lazy_regex

_UNSURE = lazy_regex(
    lambda: rf"(?<!\p{{L}}){any_of(lambda it: it.own_words.unsure)}(?!\p{{L}})", regex.IGNORECASE
)


def state(act: Act, saying: Saying) -> Sentence | None:
    """Say the clause as it stands; None where it cannot be told to whom its words speak."""
    if act.language != saying.words.language or is_unfounded(act.rest, saying):
        return None
    if _UNSURE.search(act.rest):
        return None
    said = own_words(act.rest, act, saying).rstrip(" .!,;:")
    text = as_sentence(said, saying.words.of.compose.formats.stop)
    return Sentence(text, TURNED) if said and is_whole(text, act.language) else None
