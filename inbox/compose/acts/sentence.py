"""A sentence of a reply, made from a phrase or of the goal's own words."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from inbox.compose.goals.instructions import Act
from inbox.compose.phrasing.reported import report
from inbox.compose.phrasing.speech import as_sentence, is_clause, to_reader, without_reason
from inbox.compose.phrasing.wholeness import begins_with_particle, is_name, is_whole
from inbox.compose.thread.facts import Saying, about_what, named_in
from inbox.compose.thread.things import ASKED_FOR
from inbox.languages import ENGLISH
from inbox.models import Message

# How sure a sentence is that it does what the goal asks: a phrase, or words turned to the reader.
FIXED, TURNED, WISHED = 0.9, 0.75, 0.6
# A message that lacks something of its goal, and one that has nothing of it.
PARTLY, NOTHING = 0.4, 0.2


@dataclass(frozen=True)
class Sentence:
    """A sentence, whether it meets the goal (else it answers a question), and what it rests on.

    `opens` tells that a message may begin with it, without thanks before. `missed` are words of the
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
    """Return words of the goal as said to the reader, in whose language they are; else ""."""
    if act.language != saying.words.language:
        return ""
    if act.language == ENGLISH:
        return to_reader(text, saying.situation.names)
    return report(text, act.language, act.whom)


def turned(key: str, text: str, act: Act, saying: Saying) -> Sentence | None:
    """Return the goal's own words within a phrase such as "We would like to offer you …"."""
    said = own_words(text, act, saying).rstrip(" .!,;:")
    whole = saying.words.say(key, what=said) if said else ""
    return Sentence(as_sentence(whole), TURNED) if whole and is_whole(whole, act.language) else None


# The phrases that end before a preposition: "We would like to invite you … to lunch".
_LED = frozenset({"invite", "pass_on_own", "passed_on_own", "promise_own", "remind"})


def naming(key: str, text: str, act: Act, saying: Saying) -> Sentence | None:
    """Return the sentence of `turned` for words that only name a thing; None for all others."""
    led = key in _LED or not begins_with_particle(text, act.language)
    return turned(key, text, act, saying) if led and is_name(text, act.language) else None


def phrase(key: str, act: Act, saying: Saying, *, opens: bool = False) -> Sentence | None:
    """Say an act of a thing: a known one in every language, others in the goal's own words."""
    what, reason = without_reason(act.rest)
    it = named_in(what, saying)
    fits = it.thing and (key == "ask" or it.thing not in ASKED_FOR)
    thing = saying.words.thing(it.thing) if fits else ""
    if thing and not it.left and not it.days and not it.times and it.amount is None:
        about, rests_on = about_what(saying)
        # "your order number for order 12" says it twice.
        about = "" if it.thing.endswith("number") or it.thing == "order" else about
        text = saying.words.say(key, thing=thing, about=about)
        sentence = Sentence(text, opens=opens, rests_on=rests_on)
    else:
        found = naming(f"{key}_own", what, act, saying)
        if found is None:
            return None
        sentence = replace(found, opens=opens)
    return because(sentence, reason, act, saying)


def because(sentence: Sentence, reason: str, act: Act, saying: Saying) -> Sentence:
    """Add the reason that the goal gives, or say that it is missing."""
    if not reason:
        return sentence
    is_clear = act.language != ENGLISH or is_clause(reason)
    found = turned("reason", reason, act, saying) if is_clear else None
    if found is None:
        return replace(sentence, missed=reason)
    return replace(sentence, text=f"{sentence.text} {found.text}", sure=TURNED)
