"""Asking the reader for something, about something, or to do something."""

from dataclasses import replace

import regex

from inbox.compose.acts.sentence import Sentence, naming, phrase, turned
from inbox.compose.goals.instructions import Act
from inbox.compose.phrasing.speech import is_clause, is_statement, without_relative
from inbox.compose.thread.facts import Saying, named_in
from inbox.compose.thread.things import ASKED_FOR, ASKED_TOO, begins_with_article
from inbox.languages import ENGLISH, any_of, lazy_regex

_FLAGS = regex.IGNORECASE
_FILES = frozenset({"photo", "screenshot"})
_SENT = lazy_regex(
    r"\b(?:numbers?|address(?:es)?|e-?mail|photos?|pictures?|cop(?:y|ies)|details?|information|"
    r"info|documents?|invoices?|receipts?|"
    r"files?|lists?|quotes?|quotation|forms?|contracts?|ids?|screenshots?|logs?|cv|references?|"
    r"agenda|plans?|report|statement|proof|"
    r"certificates?|specifications?|specs|drawings?|measurements?|dimensions|model|code|link|"
    r"samples?|brochure|catalogu?e?|data|iban)$",
    _FLAGS,
)
_TOLD = lazy_regex(
    r"\b(?:names?|prices?|costs?|terms|budget|deadline|dates?|times?|availability|status|size|"
    r"colou?r|quantity|version|reasons?|preference|"
    r"opinion|thoughts|requirements?|rates?|conditions|schedule|opening hours)$",
    _FLAGS,
)


_PARTS = lazy_regex(lambda: rf"{any_of(lambda it: it.talk.parts)}|,\s")


def ask(act: Act, saying: Saying) -> Sentence | None:
    """Ask for a thing that can be sent or told, or for anything else, such as a discount."""
    it = named_in(act.rest, saying)
    if saying.english or it.thing not in _FILES:
        own = act.language == ENGLISH and saying.english and it.thing in _FILES
        sent = it.thing in ASKED_FOR | ASKED_TOO
        if sent and not own and not it.left and (found := phrase("ask", act, saying)):
            return found
    elif found := _ask_for_file(act, saying):
        return found
    if is_statement(without_relative(act.rest)):
        return None
    return _ask_for_several(act, saying) or _ask_in_own_words(act, saying)


def _ask_in_own_words(act: Act, saying: Saying) -> Sentence | None:
    if act.language != ENGLISH:
        return naming("ask_own", act.rest, act, saying) if begins_with_article(act.rest) else None
    rest = regex.sub(
        r"^the (?=order|customer|account|delivery|serial|phone|address)", "their ", act.rest
    )
    parts = [without_relative(part) for part in regex.split(r",? and |, ", rest)]
    if all(_SENT.search(part) or _TOLD.search(part) for part in parts):
        sends = any(_SENT.search(part) for part in parts)
        return naming("ask_own" if sends else "ask_told", rest, act, saying)
    if regex.search(r"\bfor\b|\brequest\b", act.clause.removesuffix(act.rest), _FLAGS):
        return naming("ask_for", rest, act, saying)
    return None


def _ask_for_several(act: Act, saying: Saying) -> Sentence | None:
    """Ask for each of several known things, in a sentence of its own."""
    parts = _PARTS.split(act.rest)
    if (saying.english and act.language == ENGLISH) or len(parts) < 2:
        return None
    asked = [ask(replace(act, rest=part), saying) for part in parts]
    found = [it for it in asked if it is not None]
    if len(found) < len(parts):
        return None
    missed = next((it.missed for it in found if it.missed), "")
    return Sentence(saying.words.joint.join(it.text for it in found), missed=missed)


def _ask_for_file(act: Act, saying: Saying) -> Sentence | None:
    """Ask for a photo or a screenshot, and of what, where that can be said."""
    it = named_in(act.rest, saying)
    thing = saying.words.thing(it.thing)
    if not thing:
        return None
    key = "ask_file" if saying.words.say("ask_file", thing=thing) else "ask"
    return Sentence(saying.words.say(key, thing=thing), missed=it.left and act.rest)


def ask_about(act: Act, saying: Saying) -> Sentence | None:
    """Ask about something."""
    return naming("ask_about", act.rest, act, saying)


def ask_whether(act: Act, saying: Saying) -> Sentence | None:
    """Ask an indirect question."""
    if act.language == ENGLISH and not (is_clause(act.rest) or act.rest.count(" ") > 1):
        return None
    return turned("ask_whether", act.rest, act, saying)


_LETS_KNOW = lazy_regex(r"let (?:me|us) know\W*", _FLAGS)
# "Restart it, and if that does not help, to call us": no longer one thing to do.
_GOES_ELSEWHERE = lazy_regex(r",\s*(?:and )?(?:to|if)\s|\band if\s", _FLAGS)


def ask_to(act: Act, saying: Saying) -> Sentence | None:
    """Ask the reader to do something."""
    if not act.whom:
        return None
    # Who is asked to "send her papers" sends their own.
    rest = regex.sub(
        r"^(\p{L}+) her(?=\s\p{Ll}{3})(?! (?:the|what|when|how|about)\b)", r"\1 their", act.rest
    )
    rest = regex.sub(r"\b(and|or|then) to (?=\p{Ll})", r"\1 ", rest)
    if act.language == ENGLISH and _GOES_ELSEWHERE.search(rest):
        return None
    if _LETS_KNOW.fullmatch(rest):
        return None
    if regex.match(r"\W*(?:tell|instruct|urge)", act.clause, _FLAGS):
        return turned("tell_to", rest, act, saying)
    return turned("ask_to", rest, act, saying)
