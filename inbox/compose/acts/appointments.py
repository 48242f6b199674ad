"""Saying yes or no to a meeting, and naming times; nothing is confirmed that nobody proposed."""

import regex

from inbox.compose.acts.sentence import Sentence, because, naming
from inbox.compose.goals.instructions import Act
from inbox.compose.phrasing.speech import is_statement, without_reason
from inbox.compose.thread.facts import (
    Named,
    Saying,
    is_written,
    matching,
    named_in,
    proposal_when,
)
from inbox.compose.thread.meetings import Proposal
from inbox.compose.thread.things import MEETINGS, begins_with_article, speaks_of
from inbox.languages import ENGLISH, any_of, lazy_regex

_THEIRS = lazy_regex(
    r"^(?:the|this) (?=(?:\p{L}+ )?(?:request|proposal|offer|application|suggestion|idea|"
    r"invitation)\b)",
    regex.IGNORECASE,
)


_OTHER_MEETING = lazy_regex(r"\b(?:call|demo|visit)\b", regex.IGNORECASE)
_WITH = lazy_regex(r"(?:with|for|about|to|between|via|over)\b", regex.IGNORECASE)
# "Schedule the demo for Thursday": where that is what was proposed, it is a yes.
_SETTLES = lazy_regex(r"\W*(?:schedule|arrange|book|set up|plan)\b", regex.IGNORECASE)
_INSTEAD = lazy_regex(
    lambda: rf"(?<!\p{{L}}){any_of(lambda it: it.talk.instead)}(?!\p{{L}})", regex.IGNORECASE
)


def accept_meeting(act: Act, saying: Saying) -> Sentence | None:
    """Confirm the one time that the thread proposes, or the one of several that the goal names."""
    named = named_in(act.rest, saying)
    if (
        named.left
        or named.amount is not None
        or named.thing not in {"", "date", "invitation", *MEETINGS}
    ):
        return None
    situation = saying.situation
    fitting = matching(named, saying)
    if len(fitting) == 1:
        text = _accepted(act, _when(named, fitting[0], saying), saying)
        return Sentence(text, rests_on=(fitting[0].message,))
    if named.days and named.times and named.when and is_written(named, saying):
        return Sentence(_accepted(act, named.when, saying))
    if situation.proposals or not situation.meets or not named.when:
        return None
    return Sentence(_accepted(act, named.when, saying))


def _when(named: Named, proposal: Proposal, saying: Saying) -> str:
    """Return the proposed time, or that of the goal where only a day was proposed."""
    if proposal.at is None and named.times and named.when:
        return named.when
    return proposal_when(proposal, saying)


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
        else:
            if regex.search(r"(?i)\bslot\b", act.clause):
                return saying.words.say("accept_named", what="the slot", when=when)
    return _at("accept_meeting", when, saying)


def accept_time(act: Act, saying: Saying) -> Sentence | None:
    """Confirm a time, or what is to be confirmed where the goal says nothing else."""
    named = named_in(act.rest, saying)
    if named.thing and named.thing not in {"date", *MEETINGS}:
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
    when = _when(named, fitting[0], saying) if len(fitting) == 1 else named.when
    if (named.days or named.times) and not fitting and saying.situation.proposals:
        return None
    return because(Sentence(_at("decline_meeting", when, saying)), reason, act, saying)


def decline(act: Act, saying: Saying) -> Sentence | None:
    """Say no to what the mail asks for; a meeting by its time."""
    situation = saying.situation
    what, reason = without_reason(act.rest)
    if not what and len(situation.proposals) == 1 and not speaks_of("offer", situation.text):
        return decline_meeting(act, saying)
    if not situation.asks or is_statement(what):
        return None
    named = named_in(what, saying)
    is_own = named.left or named.days or named.times
    if what and (is_own or (named.thing and saying.english and act.language == ENGLISH)):
        found = _declined(what, act, saying)
        return because(found, reason, act, saying) if found else None
    return because(Sentence(saying.words.say("decline")), reason, act, saying)


def _declined(what: str, act: Act, saying: Saying) -> Sentence | None:
    """Decline what is named with an article: of "say no thanks" nothing is declined."""
    if not begins_with_article(what):
        return None
    return naming("decline_thing", _THEIRS.sub("their ", what), act, saying)


def propose(act: Act, saying: Saying) -> Sentence | None:
    """Ask whether a time would suit, or which one would."""
    what, reason = without_reason(act.rest)
    what = _INSTEAD.sub(" ", what).strip(" ,")
    named = named_in(what, saying)
    if _SETTLES.match(act.clause) and len(matching(named, saying)) == 1:
        return accept_meeting(act, saying)
    is_meeting = named.thing in {"", "date", *MEETINGS}
    if named.when and not named.left and is_meeting:
        found = Sentence(saying.words.say("propose", when=_without_on(named.when, saying)))
        return because(found, reason, act, saying)
    if named.days or named.times:
        own = _propose_own(what, act, saying)
        return because(own, reason, act, saying) if own else None
    other = saying.english and _OTHER_MEETING.search(act.clause)
    if other or named.left or named.amount or not is_meeting:
        return None
    return because(Sentence(saying.words.say("propose_plain")), reason, act, saying)


def _propose_own(what: str, act: Act, saying: Saying) -> Sentence | None:
    """Suggest several times, in the goal's words; "a call with Ben at 9" is read otherwise."""
    to_do = regex.search(r"\bto\s+$", act.clause.removesuffix(act.rest))
    if to_do or _WITH.match(what) or act.clause.lower().startswith("offer"):
        return None
    return naming("propose_own", what.removeprefix("on "), act, saying)


def move_meeting(act: Act, saying: Saying) -> Sentence | None:
    """Ask whether the meeting can be at another time."""
    named = named_in(act.rest, saying)
    if named.left or not saying.situation.meets or named.thing not in {"", "date", *MEETINGS}:
        return None
    if named.when:
        return Sentence(saying.words.say("moved", when=_without_on(named.when, saying)))
    return Sentence(saying.words.say("propose_plain")) if not act.rest or named.thing else None


def cancel(act: Act, saying: Saying) -> Sentence | None:
    """Cancel the meeting; whose order is to be cancelled by whom, a goal does not tell."""
    what, reason = without_reason(act.rest)
    named = named_in(what, saying)
    fitting = matching(named, saying)
    if named.thing not in MEETINGS or named.left or not saying.situation.meets:
        return None
    if (named.days or named.times) and saying.situation.proposals and not fitting:
        return None
    when = _when(named, fitting[0], saying) if len(fitting) == 1 else named.when
    text = saying.words.say("canceled", thing=saying.words.thing(named.thing), when=when)
    return because(Sentence(text), reason, act, saying)


def _at(key: str, when: str, saying: Saying) -> str:
    """Return the phrase with a time; some languages have another without one."""
    words = saying.words
    return (words.say(f"{key}_at", when=when) if when else "") or words.say(key, when=when)


def _without_on(when: str, saying: Saying) -> str:
    when = when.strip()
    return when.removeprefix("on ") if saying.english else when
