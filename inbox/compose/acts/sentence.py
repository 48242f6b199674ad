"""A sentence of a reply, made from a phrase or of the goal's own words."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from inbox.compose.facts import Saying, about_what, named_in
from inbox.compose.instructions import Act
from inbox.compose.speech import as_sentence, is_clause, is_statement, to_reader, without_reason
from inbox.models import Message

# How sure a sentence is that it does what the goal asks: a phrase, or words turned to the reader.
FIXED, TURNED, WISHED = 0.9, 0.75, 0.6
# A letter that lacks something of its goal, and one that has nothing of it.
PARTLY, NOTHING = 0.4, 0.2


@dataclass(frozen=True)
class Sentence:
    """A sentence, whether it meets the goal (else it answers a question), and what it rests on.

    `opens` tells that a letter may begin with it, without thanks before. `missed` are words of the
    goal that it leaves out.
    """

    text: str
    sure: float = FIXED
    meets_goal: bool = True
    opens: bool = False
    rests_on: tuple[Message, ...] = ()
    missed: str = ""


# What an act says; None where it cannot be said, or would confirm what the thread has not.
Say: TypeAlias = Callable[[Act, Saying], Sentence | None]


def own_words(text: str, act: Act, saying: Saying) -> str:
    """Return English words of the goal as said to an English reader; "" where they cannot be."""
    if not saying.english or act.language != "en":
        return ""
    return to_reader(text, saying.situation.names)


def turned(lead: str, text: str, act: Act, saying: Saying, end: str = ".") -> Sentence | None:
    """Return the goal's own words behind a lead such as "We would like to offer you"."""
    said = own_words(text, act, saying)
    return Sentence(as_sentence(f"{lead} {said}".strip(), end), TURNED) if said else None


def phrase(
    key: str, act: Act, saying: Saying, lead: str, *, opens: bool = False
) -> Sentence | None:
    """Say an act of a thing: known things in every language, other words only in English."""
    what, reason = without_reason(act.rest)
    named = named_in(what, saying)
    thing = saying.words.thing(named.thing) if named.thing else ""
    if thing and not named.left and not named.days and not named.times and named.amount is None:
        about, rests_on = about_what(saying)
        # "your order number for order 12" says it twice.
        about = "" if named.thing.endswith("number") or named.thing == "order" else about
        text = saying.words.say(key, thing=thing, about=about)
        sentence = Sentence(text, opens=opens, rests_on=rests_on)
    else:
        found = None if is_statement(what) else turned(lead, what, act, saying)
        if found is None:
            return None
        sentence = replace(found, opens=opens)
    return because(sentence, reason, act, saying)


def because(sentence: Sentence, reason: str, act: Act, saying: Saying) -> Sentence:
    """Add the reason that the goal gives, or say that it is missing."""
    if not reason:
        return sentence
    said = own_words(reason, act, saying)
    if not said or not is_clause(said):
        return replace(sentence, missed=reason)
    return replace(
        sentence, text=f"{sentence.text} {as_sentence(f'The reason is that {said}')}", sure=TURNED
    )
