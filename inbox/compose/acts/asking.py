"""Asking the reader for something, about something, or to do something."""

from dataclasses import replace

import regex

from inbox.compose.acts.sentence import Sentence, phrase, turned
from inbox.compose.facts import Saying, named_in
from inbox.compose.instructions import Act
from inbox.compose.speech import is_statement

_FLAGS = regex.IGNORECASE
_FILES = frozenset({"photo", "screenshot"})
_SENT = regex.compile(
    r"\b(?:numbers?|address(?:es)?|e-?mail|photos?|pictures?|cop(?:y|ies)|details?|information|"
    r"info|documents?|invoices?|receipts?|"
    r"files?|lists?|quotes?|quotation|forms?|contracts?|ids?|screenshots?|logs?|cv|references?|"
    r"agenda|plans?|report|statement|proof|"
    r"certificates?|specifications?|specs|drawings?|measurements?|dimensions|model|code|link|"
    r"samples?|brochure|catalogu?e?|data|iban)$",
    _FLAGS,
)
_TOLD = regex.compile(
    r"\b(?:names?|prices?|costs?|terms|budget|deadline|dates?|times?|availability|status|size|"
    r"colou?r|quantity|version|reasons?|preference|"
    r"opinion|thoughts|requirements?|rates?|conditions|schedule|opening hours)$",
    _FLAGS,
)
HEAD = regex.compile(
    r"\s(?:of|for|from|to|on|in|about|that|which|showing|with|by|at|where|so)\s.*$", _FLAGS
)


def ask(act: Act, saying: Saying) -> Sentence | None:
    """Ask for a thing that can be sent or told, or for anything else, such as a discount."""
    named = named_in(act.rest, saying)
    if saying.english or named.thing not in _FILES:
        own = act.language == "en" and saying.english and named.thing in _FILES
        if named.thing and not own and not named.left and (found := phrase("ask", act, saying, "")):
            return found
    elif found := _ask_for_file(act, saying):
        return found
    if is_statement(HEAD.sub("", act.rest)):
        return None
    if several := _ask_for_several(act, saying):
        return several
    rest = regex.sub(
        r"^the (?=order|customer|account|delivery|serial|phone|address)", "their ", act.rest
    )
    parts = [HEAD.sub("", part) for part in regex.split(r",? and |, ", rest)]
    if all(_SENT.search(part) or _TOLD.search(part) for part in parts):
        sends = any(_SENT.search(part) for part in parts)
        verb = "send us" if sends else "let us know"
        return turned(f"Could you please {verb}", rest, act, saying, "?")
    if regex.search(r"\bfor\b|\brequest\b", act.clause.removesuffix(act.rest), _FLAGS):
        return turned("I would like to ask you for", rest, act, saying)
    return None


def _ask_for_several(act: Act, saying: Saying) -> Sentence | None:
    """Ask for each of several known things, in a sentence of its own."""
    parts = regex.split(r",?\s(?:and|und|et|y)\s|,\s|、|と|\sو", act.rest)
    if (saying.english and act.language == "en") or len(parts) < 2:
        return None
    asked = [ask(replace(act, rest=part), saying) for part in parts]
    found = [it for it in asked if it is not None]
    if len(found) < len(parts):
        return None
    missed = next((it.missed for it in found if it.missed), "")
    joint = "" if saying.words.language == "ja" else " "
    return Sentence(joint.join(it.text for it in found), missed=missed)


def _ask_for_file(act: Act, saying: Saying) -> Sentence | None:
    """Ask for a photo or a screenshot, and of what, where that can be said."""
    named = named_in(act.rest, saying)
    thing = saying.words.thing(named.thing)
    if not thing:
        return None
    key = "ask_file" if saying.words.say("ask_file", thing=thing) else "ask"
    return Sentence(saying.words.say(key, thing=thing), missed=named.left and act.rest)


def ask_about(act: Act, saying: Saying) -> Sentence | None:
    """Ask about something."""
    return turned("I would like to ask about", act.rest, act, saying)


def ask_whether(act: Act, saying: Saying) -> Sentence | None:
    """Ask an indirect question."""
    return turned("Could you let us know", act.rest, act, saying, "?")


def ask_to(act: Act, saying: Saying) -> Sentence | None:
    """Ask the reader to do something."""
    if not act.whom:
        return None
    if regex.match(r"\W*(?:tell|instruct|urge)", act.clause, _FLAGS):
        return turned("Please", act.rest, act, saying)
    return turned("Could you please", act.rest, act, saying, "?")
