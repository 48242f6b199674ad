"""How each act of a goal is said in the reader's language."""

from dataclasses import replace

import regex

from inbox.compose.acts import appointments, asking, stating
from inbox.compose.acts.sentence import (
    FIXED,
    TURNED,
    Say,
    Sentence,
    because,
    naming,
    own_words,
    phrase,
    turned,
)
from inbox.compose.acts.unfounded import is_unfounded
from inbox.compose.goals.instructions import Act
from inbox.compose.goals.orders import main_part, orders_besides
from inbox.compose.phrasing.languages import is_written_in
from inbox.compose.phrasing.speech import as_sentence, is_sayable, is_statement, without_reason
from inbox.compose.thread.facts import Saying, about_what, is_written, named_in
from inbox.compose.thread.things import speaks_of, without_article
from inbox.languages import ENGLISH, any_of, lazy_regex

_FLAGS = regex.IGNORECASE


_STRESS = lazy_regex(
    lambda: (
        rf"^{any_of(lambda it: it.talk.stress)}"
        rf"(?:$|\s(?:{any_of(lambda it: it.talk.for_what)}\s)?)"
    ),
    _FLAGS,
)


def _apologise(act: Act, saying: Saying) -> Sentence | None:
    act = replace(act, rest=_STRESS.sub("", act.rest))
    if not act.rest:
        return Sentence(saying.words.say("apology_plain"), opens=True)
    is_told = act.clause.lower().endswith(f" that {act.rest}".lower())
    if act.language == ENGLISH and (is_told or is_statement(without_reason(act.rest)[0])):
        found = turned("apology_that", act.rest, act, saying)
        return replace(found, opens=True) if found else None
    return phrase("apology", act, saying, opens=True)


def _thank(act: Act, saying: Saying) -> Sentence | None:
    act = replace(act, rest=_STRESS.sub("", act.rest))
    if set(act.rest.split()) <= saying.situation.names:
        act = replace(act, rest="")
    if not act.rest:
        return Sentence(saying.words.say("thanks", thing=saying.words.thing("message")), opens=True)
    return phrase("thanks", act, saying, opens=True)


def _confirm(act: Act, saying: Saying) -> Sentence | None:
    """Confirm what the thread speaks of, or what the goal says in a sentence."""
    if not act.rest:
        return _confirm_what_is_asked(act, saying)
    if is_unfounded(act.clause, saying):
        return None
    if (act.whole or is_statement(act.rest)) and act.language == ENGLISH:
        return turned("confirm_that", act.rest, act, saying)
    if act.language != ENGLISH and _THAT.search(act.clause):
        return turned("told", act.rest, act, saying)
    named = named_in(act.rest, saying)
    if not is_written(named, saying):
        return None
    return phrase("confirm", act, saying) if _is_in_thread(act, saying) else None


_CONFIRM_RECEIPT = lazy_regex(lambda: any_of(lambda it: it.talk.receipts), _FLAGS)
_LIMITS = lazy_regex(lambda: rf"\b{any_of(lambda it: it.talk.limits)}\b", _FLAGS)
_THAT = lazy_regex(lambda: rf"\b{any_of(lambda it: it.talk.that)}\b", _FLAGS)


def _confirm_what_is_asked(act: Act, saying: Saying) -> Sentence | None:
    """Say that the mail arrived where it asks for that; a bare "confirm" means nothing else."""
    asked = _CONFIRM_RECEIPT.search(saying.situation.text)
    return _received(act, saying) if asked and not saying.situation.meets else None


def _is_in_thread(act: Act, saying: Saying) -> bool:
    """Return True if the thread has what is to be confirmed: the thing, each number, each word."""
    text = saying.situation.text.casefold()
    named = named_in(act.rest, saying)
    if any(number not in text for number in regex.findall(r"\d[\d.,-]{2,}\d|\d{3,}", act.rest)):
        return False
    if named.thing and not named.left:
        return speaks_of(named.thing, text)
    bare = without_article(act.rest).casefold()
    words = regex.findall(r"\p{L}{5,}", bare) or regex.findall(r"\p{L}{4,}", bare)
    return bool(words) and all(word[:5] in text for word in words)


def _refund(act: Act, saying: Saying) -> Sentence | None:
    """Confirm a refund, of the sum that the goal names, else of the only one in the mail."""
    situation = saying.situation
    if not any(speaks_of(name, situation.text) for name in _PAID) and not _MONEY.search(
        situation.text
    ):
        return None
    what, reason = without_reason(act.rest)
    named = named_in(what, saying)
    if named.thing not in {"", "order", "refund", "delivery", "payment", "invoice", "return"}:
        return None
    tail = _tail(what, named.left or named.when, act, saying)
    if tail is None:
        return None
    about, rests_on = about_what(saying)
    amount, text = named.amount or situation.amount, ""
    if amount is not None:
        text = saying.words.say("amount", amount=saying.words.amount(amount.value, amount.currency))
        if not named.amount and situation.amount_from is not None:
            rests_on = (*rests_on, situation.amount_from)
    said = saying.words.say("refund", amount=text, about=about)
    if tail:
        said = as_sentence(f"{said.rstrip('.')} {tail}")
    return because(
        Sentence(said, TURNED if tail else FIXED, rests_on=rests_on), reason, act, saying
    )


_PAID = ("order", "refund", "invoice", "payment", "return")
_MONEY = lazy_regex(lambda: any_of(lambda it: it.talk.money), _FLAGS)
_ADDED = lazy_regex(
    r"^(?:within|by|to|on|in|via|from|before|tomorrow|today|next|as soon as|into|onto)\b", _FLAGS
)


def _tail(text: str, left: str, act: Act, saying: Saying) -> str | None:
    """Return what the goal adds, "within 14 days", as said to the reader; None if it cannot be."""
    if not left:
        return ""
    plain = regex.sub(r"^of \S+(?: \p{Lu}{3})?\s*", "", text)
    if not _ADDED.match(plain) or _LIMITS.search(plain):
        return None
    return own_words(plain, act, saying) or None


def _refund_declined(act: Act, saying: Saying) -> Sentence | None:
    what, reason = without_reason(act.rest)
    if named_in(what, saying).left:
        return None
    about, rests_on = about_what(saying)
    said = Sentence(saying.words.say("refund_declined", about=about), rests_on=rests_on)
    return because(said, reason, act, saying)


def _accept(act: Act, saying: Saying) -> Sentence | None:
    """Accept what the mail offers; a meeting by its time."""
    situation = saying.situation
    what = without_article(without_reason(act.rest)[0])
    if regex.fullmatch(r"it|this|that", act.rest, _FLAGS):
        act, what = replace(act, rest=""), ""
    named = named_in(act.rest, saying)
    if situation.proposals and (not act.rest or named.days or named.times or not named.left):
        return appointments.accept_meeting(act, saying)
    if act.rest and named.thing not in {"offer", "invitation", "cancellation", "return"}:
        return (
            naming("accept_thing_own", what and act.rest, act, saying)
            if _is_in_thread(act, saying)
            else None
        )
    offered = next((name for name, sign in _OFFERED.items() if sign.search(situation.text)), "")
    name = named.thing or offered
    if named.left or not name or not speaks_of(name, situation.text):
        return None
    return Sentence(saying.words.say("accept_thing", thing=saying.words.thing(name)), opens=True)


# By what a message offers something itself: one that asks for a quote has none to be accepted.
_OFFERED = {
    "offer": lazy_regex(lambda: any_of(lambda it: it.talk.offers), _FLAGS),
    "invitation": lazy_regex(lambda: any_of(lambda it: it.talk.invites), _FLAGS),
}


def _promise(act: Act, saying: Saying) -> Sentence | None:
    """Promise a thing; in other languages only that they hear of it by the day that is named."""
    if saying.english:
        return naming("promise_thing", act.rest, act, saying)
    when = named_in(act.rest, saying).when.strip()
    if not when:
        return None
    return Sentence(saying.words.say("promise", when=when), missed=act.clause)


def _promise_by(act: Act, saying: Saying) -> Sentence | None:
    if saying.english and act.language == ENGLISH:
        rest = regex.sub(r"^(?:until|on) ", "by ", act.rest)
        return turned("promise_own", rest, act, saying)
    named = named_in(regex.sub(r"^(?:within)\b", " ", act.rest), saying)
    if not named.when or named.left:
        return None
    when = named.when.strip()
    return Sentence(
        saying.words.say("promise", when=when.removeprefix("on ") if saying.english else when)
    )


def _fixed(key: str, *, opens: bool = False) -> Say:
    def say(act: Act, saying: Saying) -> Sentence | None:
        if named_in(act.rest, saying).left:
            return None
        about, rests_on = about_what(saying)
        return Sentence(saying.words.say(key, about=about), rests_on=rests_on, opens=opens)

    return say


def _received(act: Act, saying: Saying) -> Sentence | None:
    """Say that the mail has arrived, or the thing in it that the goal names."""
    named = named_in(act.rest, saying)
    thing = saying.words.thing(named.thing)
    text = saying.words.say("received_thing", thing=thing) if thing and not named.left else ""
    if text:
        return Sentence(text, opens=True)
    return _received_it(act, saying) or naming("received_own", act.rest, act, saying)


_received_it = _fixed("received", opens=True)


def _pass_on(act: Act, saying: Saying) -> Sentence | None:
    done = regex.search(
        r"\b(?:have|has|was|['’]ve)\b", act.clause[: -len(act.rest) or None], _FLAGS
    )
    if not act.rest:
        return Sentence(saying.words.say("passed_on" if done else "pass_on"))
    if not act.rest.startswith("to ") or "@" in act.rest:
        return None
    return naming("passed_on_own" if done else "pass_on_own", act.rest, act, saying)


def _leading(key: str, *, takes_clause: bool = False) -> Say:
    """Say an act in the goal's own words: "We would like to offer you …"."""
    say_it = turned if takes_clause else naming

    def say(act: Act, saying: Saying) -> Sentence | None:
        what, reason = (act.rest, "") if takes_clause else without_reason(act.rest)
        found = say_it(key, what, act, saying) if what else None
        return because(found, reason, act, saying) if found else None

    return say


def _remind(act: Act, saying: Saying) -> Sentence | None:
    rest = act.rest if regex.match(r"(?:of|about) ", act.rest) else f"that {act.rest}"
    return turned("remind", regex.sub("^about ", "of ", rest), act, saying)


def _follow_up(act: Act, saying: Saying) -> Sentence | None:
    if act.rest:
        waits = regex.search(r"\bchase\b.*\bfor\b", act.clause, _FLAGS)
        return naming("wait_for" if waits else "follow_up", act.rest, act, saying)
    if act.language != ENGLISH or saying.situation.answered is not None:
        return None
    return turned("follow_up", "my last message", act, saying)


def _suggest(act: Act, saying: Saying) -> Sentence | None:
    told = is_statement(main_part(act.rest, act.language))
    rest = f"that {act.rest}" if told else act.rest
    names = regex.match(r"(?:that|the|a|an|our|\p{L}+ing)\s", rest, _FLAGS)
    return turned("suggest", rest, act, saying) if names else None


# What only names a matter, without saying anything of it.
_NO_CONTENT = lazy_regex(
    lambda: (
        rf"^(?:{any_of(lambda it: it.talk.no_content)}|"
        r"what|when|how|why|where|who|"
        r"which|whether|if|about|something|anything|everything|nothing|yes|no|hello|hi|goodbye|"
        r"whatever|thanks|sorry|sure|it(?!(?:['’]s|['’]ll)?\s(?:is|was|will|has|had|can|could|would|should|does|did|"
        r"takes?|works?|ships?|\p{L}+ing)\b)|so|this|to|as|more|less)\b(?!.*\bwe\b.*\bif\b)"
    ),
    _FLAGS,
)


def _say(act: Act, saying: Saying) -> Sentence | None:
    """Say what the goal says to tell, in its own words where they are in the reader's language."""
    if act.language != saying.words.language or is_unfounded(act.rest, saying):
        return None
    if orders_besides(act.rest, act.language):
        return None
    is_said = act.language != ENGLISH or is_statement(act.rest)
    if not act.whole and (not is_said or _NO_CONTENT.match(act.rest)):
        return None
    return turned("told", act.rest, act, saying)


# A letter of its own, which cannot stand in another.
_LETTER = lazy_regex(
    lambda: (
        rf"^\W*{any_of(lambda it: it.talk.letters)}\b"
        rf"|\b{any_of(lambda it: it.talk.letter_ends)}(?:,|\s*$)"
    ),
    _FLAGS,
)
_QUOTE = lazy_regex(r"^[“\"„«'‘]\s?(?P<said>[^“”\"„«»]{2,1500}?)\s?[”\"“»'’][.,]?$")


def _quote(act: Act, saying: Saying) -> Sentence | None:
    """Say what the goal quotes, as it is, where it is in the reader's language."""
    found = _QUOTE.match(act.rest)
    if found is None or not is_written_in(found["said"], saying.words.language):
        return None
    if _LETTER.search(found["said"]):
        return None
    if regex.search(r"\[[^\]]*\]|\{[^}]*\}|<[^>]*>|_{2,}|\.{3}|…", found["said"]):
        return None
    return Sentence(as_sentence(found["said"], saying.words.of.compose.formats.stop), TURNED)


def _speech(act: Act, saying: Saying) -> Sentence | None:
    """Say what stands behind a colon and speaks to the reader: "tell him: your order ships"."""
    spoken = regex.search(r"\b(?:you|your)\b", act.rest, _FLAGS)
    if act.language != saying.words.language or not spoken or _OF_THIRD.search(act.rest):
        return None
    if not is_written_in(act.rest, ENGLISH) or not is_sayable(act.rest) or _LETTER.search(act.rest):
        return None
    return None if is_unfounded(act.rest, saying) else Sentence(as_sentence(act.rest), TURNED)


_OF_THIRD = lazy_regex(
    r"\b(?:he|she|they|him|her|them|his|their|hers|theirs|the (?:customer|client))\b", _FLAGS
)
SAID: dict[str, Say] = {
    "apologise": _apologise,
    "thank": _thank,
    "confirm": _confirm,
    "refund": _refund,
    "refund_declined": _refund_declined,
    "ask": asking.ask,
    "ask_for": _leading("ask_for"),
    "ask_about": asking.ask_about,
    "ask_whether": asking.ask_whether,
    "ask_to": asking.ask_to,
    "remind_to": _leading("remind_to", takes_clause=True),
    "accept": _accept,
    "accept_meeting": appointments.accept_meeting,
    "accept_time": appointments.accept_time,
    "decline": appointments.decline,
    "decline_meeting": appointments.decline_meeting,
    "propose": appointments.propose,
    "move_meeting": appointments.move_meeting,
    "cancel": appointments.cancel,
    "promise_by": _promise_by,
    "promise": _promise,
    "promise_that": _leading("promise_that", takes_clause=True),
    "promise_to": _leading("promise_to", takes_clause=True),
    "pass_on": _pass_on,
    "look_into": _fixed("looking"),
    "receive": _received,
    "noted": _leading("noted"),
    "offer_to": _leading("offer_to", takes_clause=True),
    "offer": _leading("offer"),
    "suggest": _suggest,
    "invite": _leading("invite"),
    "congratulate": _leading("congratulate"),
    "remind": _remind,
    "follow_up": _follow_up,
    "wish": _leading("wish"),
    "speech": _speech,
    "quote": _quote,
    "say": _say,
    "state": stating.state,
}
