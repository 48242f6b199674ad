"""Sentences that are stored in English and said by pages in the reader's language.

Why a call waits, what has changed since and what the rules saw is kept as
the agent was told, with names and numbers in it. `retell` knows the forms of these sentences and
fills what stands in them into their translation; what has none of the forms stays as it is.
"""

from collections.abc import Iterator
from functools import cache

import regex
from django.utils.translation import get_language, gettext

from inbox.sentences.codes import CODES
from inbox.sentences.held import CLAUSES, DRIFT, REFUSALS, SENTENCES, TERMS
from inbox.sentences.rules import ACTIONS, KINDS, OPTIONS, SIGNS

_NAME = regex.compile(r"%\((\w+)\)s")
# Where a whole sentence may end, and where one of a list: at a semicolon or at the list's end.
_END, _END_IN_LIST = r"(?=\s|$)", r"(?=; |\.?$|\.\s)"
_BETWEEN = regex.compile(r"[\s;.:]+")
# A name in a sentence; what is longer is none of ours.
_LONGEST_NAME, _LONGEST = 1000, 4000
_TIMEOUT = 0.05
# The names for which codes stand.
_CODED = {"status", "before", "urgency", "parts"}


def retell(text: str) -> str:
    """Return a stored text with every sentence that is known in the language of the page.

    It reads from the beginning, and leaves the rest as it is from where it knows no more.
    """
    if not text or len(text) > _LONGEST or (get_language() or "en").startswith("en"):
        return text
    told, place = "", 0
    while place < len(text):
        found = _next(text, place)
        if found is None:
            return told + text[place:]
        told, place = told + found[0], found[1]
    return told


def _next(text: str, place: int) -> tuple[str, int] | None:
    """Return what begins at this place in the reader's language, and where it ends."""
    if between := _BETWEEN.match(text, place):
        return between[0], between.end()
    for form, template, is_head in _forms():
        try:
            found = form.match(text, place, timeout=_TIMEOUT)
        except TimeoutError:
            return None
        if found:
            names = {name: _term(name, words) for name, words in found.groupdict().items()}
            said = gettext(template) % names if names else gettext(template)
            return (said[:1].upper() + said[1:] if is_head else said), found.end()
    return None


def _term(name: str, words: str) -> str:
    if name in _CODED:
        codes = words.replace("_", " ").split(", ")
        return ", ".join(str(CODES.get(code, code)) for code in codes)
    return gettext(words) if words in TERMS else words


@cache
def _forms() -> tuple[tuple["regex.Pattern[str]", str, bool], ...]:
    return tuple(_compile())


def _compile() -> Iterator[tuple["regex.Pattern[str]", str, bool]]:
    for template in KINDS:
        head = template[:1].upper() + template[1:]
        yield regex.compile(regex.escape(head) + "(?=:)"), template, True
        yield regex.compile(regex.escape(template) + "$"), template, False
    # Of two that fit, the one that says more.
    rest = (*SENTENCES, *CLAUSES, *DRIFT, *REFUSALS, *SIGNS, *OPTIONS, *ACTIONS)
    for template in sorted(rest, key=lambda one: len(_NAME.sub("", one)), reverse=True):
        end = _END if template.endswith((".", ":")) else _END_IN_LIST
        yield regex.compile(_pattern(template) + end, regex.DOTALL), template, False


def _pattern(template: str) -> str:
    """Return the pattern of a template; the names in it are as short as they can be."""
    parts = _NAME.split(template)
    return "".join(
        f"(?P<{part}>.{{1,{_LONGEST_NAME}}}?)" if number % 2 else regex.escape(part)
        for number, part in enumerate(parts)
    )
