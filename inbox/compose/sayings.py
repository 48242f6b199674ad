"""How each act of a goal is said in the reader's language."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import regex

from inbox.compose.facts import Saying, about_what, meeting_when, when_named
from inbox.compose.goals import Act, thing_in
from inbox.compose.speech import as_sentence, is_clause, to_you, without_reason
from inbox.extract.numbers import find_amounts
from inbox.models import Message

# How sure a sentence is that it does what the goal asks.
FIXED, TURNED, WISHED, FOREIGN, GUESSED = 0.9, 0.75, 0.6, 0.35, 0.3


@dataclass(frozen=True)
class Sentence:
    """A sentence, whether it meets the goal (else it answers a question), and what it rests on.

    `opens` tells that a letter may begin with it, without thanks before.
    """

    text: str
    sure: float = FIXED
    meets_goal: bool = True
    opens: bool = False
    rests_on: tuple[Message, ...] = ()


_Say: TypeAlias = Callable[[Act, Saying], Sentence]


def _template(key: str, act: Act, saying: Saying, english: Callable[[str], str]) -> Sentence:
    """Say an act of a thing: known things in every language, other words only in English."""
    about, rests_on = about_what(saying)
    name = thing_in(without_reason(act.rest)[0])
    reason = without_reason(act.rest)[1]
    if name and (thing := saying.words.thing(name)):
        # "your order number for order 12" says it twice.
        about = "" if name.endswith("number") else about
        sentence = saying.words.say(key, thing=thing, about=about)
        return _because(
            Sentence(sentence, opens=key in {"apology", "thanks"}, rests_on=rests_on),
            reason,
            saying,
        )
    if saying.english:
        return Sentence(
            as_sentence(english(to_you(act.rest))), TURNED, opens=key in {"apology", "thanks"}
        )
    return _foreign(act, saying)


def _because(sentence: Sentence, reason: str, saying: Saying) -> Sentence:
    if not reason:
        return sentence
    if saying.english:
        text = f"{sentence.text} {as_sentence(f'The reason is that {to_you(reason)}')}"
        return Sentence(text, TURNED, True, sentence.opens, sentence.rests_on)
    return Sentence(sentence.text, FOREIGN, True, sentence.opens, sentence.rests_on)


def _foreign(act: Act, saying: Saying) -> Sentence:
    """Say in the goal's own words what cannot be put into the reader's language, unsure of it."""
    return Sentence(
        as_sentence(to_you(act.rest or act.clause), "。" if saying.words.language == "ja" else "."),
        FOREIGN,
    )


def _apologise(act: Act, saying: Saying) -> Sentence:
    if not act.rest:
        return Sentence(saying.words.say("apology_plain"), opens=True)
    return _template(
        "apology",
        act,
        saying,
        lambda rest: f"I apologise {'' if rest.startswith('that') else 'for '}{rest}",
    )


def _thank(act: Act, saying: Saying) -> Sentence:
    if not act.rest:
        return Sentence(saying.words.say("thanks", thing=saying.words.thing("message")), opens=True)
    return _template("thanks", act, saying, lambda rest: f"Thank you for {rest}")


def _confirm(act: Act, saying: Saying) -> Sentence:
    if not thing_in(act.rest) and saying.english and is_clause(act.rest):
        return Sentence(as_sentence(f"I can confirm that {to_you(act.rest)}"), TURNED)
    if not act.rest:
        return received(act, saying)
    return _template("confirm", act, saying, lambda rest: f"I can confirm {rest}")


def _refund(act: Act, saying: Saying) -> Sentence:
    """Confirm a refund, of the sum that the goal names, else of the only one in the mail."""
    about, rests_on = about_what(saying)
    named = find_amounts(act.rest)
    situation = saying.situation
    amount = named[0] if named else situation.amount
    text = ""
    if amount is not None:
        text = saying.words.say("amount", amount=saying.words.amount(amount.value, amount.currency))
        if not named and situation.amount_from is not None:
            rests_on = (*rests_on, situation.amount_from)
    sure = FIXED
    rest = regex.sub(r"^(?:of|in full|the|for).{0,60}$", "", act.rest)
    if rest and not named:
        sure = TURNED
    return Sentence(saying.words.say("refund", amount=text, about=about), sure, rests_on=rests_on)


def _refund_declined(act: Act, saying: Saying) -> Sentence:
    about, rests_on = about_what(saying)
    sentence = Sentence(saying.words.say("refund_declined", about=about), rests_on=rests_on)
    return _because(sentence, without_reason(act.rest)[1], saying)


_FILES = frozenset({"photo", "screenshot"})


def _ask(act: Act, saying: Saying) -> Sentence:
    if thing_in(act.rest) and (saying.english or thing_in(act.rest) not in _FILES):
        return _template("ask", act, saying, str)
    if not saying.english:
        return _ask_for_file(act, saying)
    rest = regex.sub(
        r"^the (?=order|customer|account|delivery|serial|phone|address)", "your ", to_you(act.rest)
    )
    tell = "let us know" if regex.search(r"^(?:about|more)", rest) else "send us"
    return Sentence(as_sentence(f"Could you please {tell} {rest}", "?"), TURNED)


def _ask_for_file(act: Act, saying: Saying) -> Sentence:
    """Ask for a photo or a screenshot, of whatever it is to be."""
    name = thing_in(regex.sub(r"\s(?:of|from|showing|with)\s.*$", "", act.rest))
    thing = saying.words.thing(name) if name in _FILES else ""
    if not thing:
        return _foreign(act, saying)
    key = "ask_file" if saying.words.say("ask_file", thing=thing) else "ask"
    return Sentence(saying.words.say(key, thing=thing), FIXED if thing_in(act.rest) else WISHED)


def _promise(act: Act, saying: Saying) -> Sentence:
    """Promise a thing; in other languages only that they hear of it by the day that is named."""
    if saying.english:
        return Sentence(as_sentence(f"You will receive {to_you(act.rest)}"), TURNED)
    when = when_named(act.rest, saying).strip()
    if when:
        return Sentence(saying.words.say("promise", when=when), WISHED)
    return _foreign(act, saying)


def _ask_whether(act: Act, saying: Saying) -> Sentence:
    if not saying.english:
        return _foreign(act, saying)
    return Sentence(as_sentence(f"Could you let us know {to_you(act.rest)}", "?"), TURNED)


def _ask_to(act: Act, saying: Saying) -> Sentence:
    if not saying.english:
        return _foreign(act, saying)
    return Sentence(as_sentence(f"Could you please {to_you(act.rest)}", "?"), TURNED)


def _accept(act: Act, saying: Saying) -> Sentence:
    rest = without_reason(act.rest)[0]
    if saying.english:
        what = f" {to_you(rest)}" if rest else ""
        return Sentence(
            saying.words.say("accept", what=what),
            FIXED if not rest or thing_in(rest) else TURNED,
            opens=True,
        )
    return Sentence(
        saying.words.say("accept"),
        FIXED if not rest or thing_in(rest) else FOREIGN + 0.1,
        opens=True,
    )


def _accept_meeting(act: Act, saying: Saying) -> Sentence:
    return Sentence(saying.words.say("accept_meeting", when=meeting_when(act, saying)), opens=False)


def _decline(act: Act, saying: Saying) -> Sentence:
    rest, reason = without_reason(act.rest)
    what = f" {to_you(rest)}" if saying.english and rest else ""
    sure = FIXED if not rest else TURNED if saying.english else FOREIGN
    return _because(
        Sentence(saying.words.say("decline", what=what), sure, opens=True), reason, saying
    )


def _decline_meeting(act: Act, saying: Saying) -> Sentence:
    sentence = Sentence(
        saying.words.say("decline_meeting", when=meeting_when(act, saying)), opens=True
    )
    return _because(sentence, without_reason(act.rest)[1], saying)


def _propose(act: Act, saying: Saying) -> Sentence:
    when = when_named(act.rest, saying).strip()
    if when:
        return Sentence(
            saying.words.say(
                "propose", when=regex.sub(r"^on ", "", when) if saying.english else when
            )
        )
    if saying.english and act.rest:
        return Sentence(
            as_sentence(
                f"I would like to suggest "
                f"{to_you(regex.sub(r'^(?:suggest|propose) ', '', act.rest))}"
            ),
            WISHED,
        )
    return Sentence(saying.words.say("propose_plain"), FIXED if not act.rest else FOREIGN)


def _move_meeting(act: Act, saying: Saying) -> Sentence:
    when = when_named(act.rest, saying).strip()
    if when:
        return Sentence(
            saying.words.say("moved", when=regex.sub(r"^on ", "", when) if saying.english else when)
        )
    return Sentence(saying.words.say("propose_plain"), WISHED)


def _cancel(act: Act, saying: Saying) -> Sentence:
    name = thing_in(regex.sub(r"\s(?:on|at|for)\s.*$", "", act.rest))
    if thing := saying.words.thing(name) if name else "":
        return Sentence(
            saying.words.say("canceled", thing=thing, when=when_named(act.rest, saying))
        )
    return _would_like("We have to cancel")(act, saying)


def _promise_by(act: Act, saying: Saying) -> Sentence:
    when = when_named(act.rest, saying).strip()
    if saying.english:
        rest = regex.sub(r"^(?:by|before|until|within|on)\s", "", act.rest)
        lead = "within " if act.rest.startswith("within") else "by "
        return Sentence(f"You will hear from us {lead}{rest}.")
    if when:
        return Sentence(saying.words.say("promise", when=when))
    return _foreign(act, saying)


def _fixed(key: str) -> _Say:
    def say(_: Act, saying: Saying) -> Sentence:
        about, rests_on = about_what(saying)
        return Sentence(saying.words.say(key, about=about), rests_on=rests_on)

    return say


received = _fixed("received")


def _would_like(what: str, sure: float = TURNED, end: str = ".") -> _Say:
    """Say in English an act that has no sentence of its own: "We would like to offer you …"."""

    def say(act: Act, saying: Saying) -> Sentence:
        if not saying.english:
            return _foreign(act, saying)
        return Sentence(
            as_sentence(f"{what} {to_you(act.rest)}".replace("to you ", "you "), end), sure
        )

    return say


def _told(act: Act, saying: Saying) -> Sentence:
    """Say what the goal says to tell, in its own words where they are in the reader's language."""
    if not saying.english and act.rest.isascii():
        return _foreign(act, saying)
    return Sentence(as_sentence(to_you(act.rest)), TURNED if is_clause(act.rest) else WISHED)


def unknown(act: Act, saying: Saying) -> Sentence:
    """Say the goal in plain words, unsure of it."""
    if saying.english and regex.match(
        (
            r"(?!be |do |have )\p{Ll}+ (?:the|a|an|them|their|our|his|her|for|to|on|in|it|"
            r"this|that|\d)"
        ),
        act.clause,
        regex.IGNORECASE,
    ):
        return Sentence(
            as_sentence(f"We would like to {to_you(act.clause[0].lower() + act.clause[1:])}"),
            GUESSED,
        )
    lead = "This is about the following: " if saying.english else ""
    return Sentence(as_sentence(f"{lead}{to_you(act.clause)}"), GUESSED)


SAYINGS: dict[str, _Say] = {
    "apologise": _apologise,
    "thank": _thank,
    "confirm": _confirm,
    "refund": _refund,
    "refund_declined": _refund_declined,
    "ask": _ask,
    "ask_whether": _ask_whether,
    "ask_to": _ask_to,
    "accept": _accept,
    "accept_meeting": _accept_meeting,
    "decline": _decline,
    "decline_meeting": _decline_meeting,
    "propose": _propose,
    "move_meeting": _move_meeting,
    "cancel": _cancel,
    "promise_by": _promise_by,
    "promise": _promise,
    "promise_to": _would_like("We will"),
    "pass_on": _fixed("passed_on"),
    "look_into": _fixed("looking"),
    "receive": received,
    "offer_to": _would_like("We would be happy to"),
    "offer": _would_like("We would like to offer you"),
    "invite": _would_like("We would like to invite you"),
    "congratulate": _would_like("Congratulations on"),
    "remind": _would_like("A short reminder:"),
    "follow_up": _would_like("I am following up on", WISHED),
    "wish": _would_like("We wish you"),
    "send": _would_like("We will send you"),
    "say": _told,
}
