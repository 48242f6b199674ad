"""Saying yes or no to a meeting, and naming times; nothing is confirmed that nobody proposed."""

import regex

from inbox.compose.acts.sentence import Sentence, because, turned
from inbox.compose.facts import Saying, matching, named_in, proposal_when
from inbox.compose.instructions import Act
from inbox.compose.speech import is_statement, without_reason
from inbox.compose.things import speaks_of

_THEIRS = regex.compile(
    r"^(?:the|this) (?=(?:\p{L}+ )?(?:request|proposal|offer|application|suggestion|idea|"
    r"invitation)\b)",
    regex.IGNORECASE,
)


_ATTACHED = regex.compile(
    r"\b(?:is|are|find|have|i['’]ve|we['’]ve) (?:\p{L}+ )?(?:attached|enclosed)"
    r"|\b(?:attached|enclosed) (?:is|are)\b"
    r"|\banbei\b|im anhang|\bci-joint|\badjunt",
    regex.IGNORECASE,
)
_SETTLED = regex.compile(
    r"confirm|booked|scheduled|agreed|bestätig|vereinbart|confirmé|confirmad", regex.IGNORECASE
)


def is_unfounded(text: str, saying: Saying) -> bool:
    """Return True if the words call a meeting settled that the thread does not have.

    So they are where they speak of an attachment, for a draft has none.
    """
    if _ATTACHED.search(text):
        return True
    named = named_in(text, saying)
    if not _SETTLED.search(text) or not speaks_of("meeting", text):
        return False
    situation = saying.situation
    timed = bool(named.days or named.times)
    return not situation.meets or (
        timed and bool(situation.proposals) and not matching(named, saying)
    )


def accept_meeting(act: Act, saying: Saying) -> Sentence | None:
    """Confirm the one time that the thread proposes, or the one of several that the goal names."""
    named = named_in(act.rest, saying)
    if (
        named.left
        or named.amount is not None
        or named.thing not in {"", "meeting", "date", "invitation"}
    ):
        return None
    situation = saying.situation
    fitting = matching(named, saying)
    if len(fitting) == 1:
        text = _accepted(act, proposal_when(fitting[0], saying), saying)
        return Sentence(text, rests_on=(fitting[0].message,))
    if situation.proposals or not situation.meets or not named.when:
        return None
    return Sentence(_accepted(act, named.when, saying))


_NAMES = {
    "appointment": "the appointment", "call": "our call", "demo": "the demo", "visit": "the visit",
    "interview": "the interview", "viewing": "the viewing", "lunch": "lunch",
}  # fmt: skip


def _accepted(act: Act, when: str, saying: Saying) -> str:
    """Return the yes, in English to what the goal or else the thread calls it."""
    if saying.english:
        for text in (act.clause, saying.situation.text):
            found = {
                word for word in (*_NAMES, "meeting") if regex.search(rf"(?i)\b{word}\b", text)
            }
            if len(found) == 1 and (name := _NAMES.get(found.pop())):
                return saying.words.say("accept_named", what=name, when=when)
            if found:
                break
    return _at("accept_meeting", when, saying)


def accept_time(act: Act, saying: Saying) -> Sentence | None:
    """Confirm a time, or what is to be confirmed where the goal says nothing else."""
    named = named_in(act.rest, saying)
    if named.thing and named.thing not in {"meeting", "date"}:
        return None
    if act.rest and not (named.days or named.times or named.thing):
        return None
    return accept_meeting(act, saying)


def decline_meeting(act: Act, saying: Saying) -> Sentence | None:
    """Say no to the meeting that the thread is about."""
    if not saying.situation.meets:
        return None
    what, reason = without_reason(act.rest)
    named = named_in(what, saying)
    if named.left:
        return None
    fitting = matching(named, saying)
    when = proposal_when(fitting[0], saying) if len(fitting) == 1 else named.when
    if (named.days or named.times) and not fitting and saying.situation.proposals:
        return None
    return because(Sentence(_at("decline_meeting", when, saying)), reason, act, saying)


def decline(act: Act, saying: Saying) -> Sentence | None:
    """Say no to what the mail asks for; a meeting by its time."""
    situation = saying.situation
    what, reason = without_reason(act.rest)
    if not what and len(situation.proposals) == 1:
        return decline_meeting(act, saying)
    if not situation.asks or is_statement(what):
        return None
    named = named_in(what, saying)
    if what and (
        named.left
        or named.days
        or named.times
        or (named.thing and saying.english and act.language == "en")
    ):
        found = turned("Unfortunately we have to decline", _THEIRS.sub("their ", what), act, saying)
        return because(found, reason, act, saying) if found else None
    return because(Sentence(saying.words.say("decline")), reason, act, saying)


def propose(act: Act, saying: Saying) -> Sentence | None:
    """Ask whether a time would suit, or which one would."""
    named = named_in(act.rest, saying)
    if named.when and not named.left:
        return Sentence(saying.words.say("propose", when=_without_on(named.when, saying)))
    if named.days or named.times:
        return turned("I would like to suggest", act.rest.removeprefix("on "), act, saying)
    return None if named.left or named.amount else Sentence(saying.words.say("propose_plain"))


def move_meeting(act: Act, saying: Saying) -> Sentence | None:
    """Ask whether the meeting can be at another time."""
    named = named_in(act.rest, saying)
    if named.left or not saying.situation.meets or named.thing not in {"", "meeting", "date"}:
        return None
    if named.when:
        return Sentence(saying.words.say("moved", when=_without_on(named.when, saying)))
    return Sentence(saying.words.say("propose_plain")) if not act.rest or named.thing else None


def cancel(act: Act, saying: Saying) -> Sentence | None:
    """Cancel the meeting; whose order is to be cancelled by whom, a goal does not tell."""
    what, reason = without_reason(act.rest)
    named = named_in(what, saying)
    fitting = matching(named, saying)
    if named.thing != "meeting" or named.left or not saying.situation.meets:
        return None
    if (named.days or named.times) and saying.situation.proposals and not fitting:
        return None
    when = proposal_when(fitting[0], saying) if len(fitting) == 1 else named.when
    text = saying.words.say("canceled", thing=saying.words.thing("meeting"), when=when)
    return because(Sentence(text), reason, act, saying)


def _at(key: str, when: str, saying: Saying) -> str:
    """Return the phrase with a time; some languages have another without one."""
    words = saying.words
    return (words.say(f"{key}_at", when=when) if when else "") or words.say(key, when=when)


def _without_on(when: str, saying: Saying) -> str:
    when = when.strip()
    return when.removeprefix("on ") if saying.english else when
