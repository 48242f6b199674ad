"""How something is put to a person: as options, never as an order or a reproach."""

import re
import unicodedata
from typing import Final

from inbox.rfc5322.unicode_text import clean_line

ACCEPTED: Final = "options, without “you should”, “don't forget”, “you haven't” or “you're behind”"
# Every way to write an apostrophe; NFKC would take some of them apart.
_APOSTROPHES: Final = dict.fromkeys(map(ord, "’‘ʼ‛`´′ʹ＇ꞌ"), "'")
_ADVERBS: Final = (
    "actually|already|also|always|certainly|definitely|either|just|maybe|never|now|perhaps|probably"
    "|really|simply|still|then"
)
_YOU: Final = rf"you(?: (?:{_ADVERBS}))?"
_PHRASES: Final = (
    rf"{_YOU} should(?: not|n'?t)?",
    r"(?:don'?t|do not)(?: you)?(?: ever)? forget",
    rf"{_YOU} (?:haven'?t|have(?: still)? not)",
    r"you'?ve(?: still)? not",
    rf"(?:you'?re|{_YOU} are)(?: (?:{_ADVERBS}))? behind",
    r"du (?:solltest|bist im (?:rückstand|verzug)|hast (?:immer )?noch nicht|hast nicht)",
    r"(?:vergiss|vergesst|vergessen sie)(?: bitte)? nicht",
    r"(?:bitte )?nicht vergessen",
)
# The polite “Sie” begins with a capital; “sie sollten” is “they should”.
_POLITE: Final = (
    r"Sie sollten",
    r"Sie sind im (?:Rückstand|Verzug)",
    r"Sie haben (?:(?:immer )?noch )?nicht",
)
# What may stand between two words of a phrase, if anything; no end of a clause.
_BETWEEN: Final = r"[\s_*~\"“”‐‑-]*"
_QUOTES: Final = r"“[^”]*”|„[^“]*“|«[^»]*»|\"[^\"]*\""
_BRACKETS: Final = r"\([^()]*\)"
# A stray mark in what is quoted must not turn the inside out: each way of reading is tried.
_QUOTED: Final = tuple(map(re.compile, (_QUOTES, _BRACKETS, f"{_QUOTES}|{_BRACKETS}")))


def _compile(phrases: tuple[str, ...], flags: int = 0) -> re.Pattern[str]:
    spaced = "|".join(phrases).replace(" ", _BETWEEN)
    return re.compile(rf"(?<![^\W_])(?:{spaced})(?![^\W_])", flags)


_ANY_CASE: Final = _compile(_PHRASES, re.IGNORECASE)
_AS_WRITTEN: Final = _compile(_POLITE)


def find_reproach(text: str) -> str:
    """Return the words by which a text orders its reader about or reproaches them; "" if none do.

    It reads as a person does: whatever the case, the apostrophe and the spacing, and without what
    nobody sees.
    """
    plain = unicodedata.normalize("NFKC", clean_line(text)[0].translate(_APOSTROPHES))
    found = _ANY_CASE.search(plain) or _AS_WRITTEN.search(plain)
    return " ".join(found[0].split()) if found else ""


def find_own_reproach(text: str) -> str:
    """Return the same of what a text says itself, not of what it quotes or puts in brackets."""
    found = [find_reproach(quoted.sub(" … ", text)) for quoted in _QUOTED]
    return found[0] if all(found) else ""
