"""How something is put to a person: as options, never as an order or a reproach."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Final

from inbox.languages import languages, lazy
from inbox.languages.model import Tone
from inbox.rfc5322.text.unicode_text import clean_line

ACCEPTED: Final = "options, without “you should”, “don't forget”, “you haven't” or “you're behind”"
# Every way to write an apostrophe; NFKC would take some of them apart.
_APOSTROPHES: Final = dict.fromkeys(map(ord, "’‘ʼ‛`´′ʹ＇ꞌ"), "'")
# What may stand between two words of a phrase, if anything; no end of a clause.
_BETWEEN: Final = r"[\s_*~\"“”‐‑-]*"
_QUOTES: Final = r"“[^”]*”|„[^“]*“|«[^»]*»|\"[^\"]*\""
_BRACKETS: Final = r"\([^()]*\)"
# A stray mark in what is quoted must not turn the inside out: each way of reading is tried.
_QUOTED: Final = tuple(map(lazy, (_QUOTES, _BRACKETS, f"{_QUOTES}|{_BRACKETS}")))


def _any_phrase(part: Callable[[Tone], Sequence[str]]) -> str:
    spaced = "|".join(text for it in languages() for text in part(it.tone)).replace(" ", _BETWEEN)
    return rf"(?<![^\W_])(?:{spaced})(?![^\W_])"


_ANY_CASE: Final = lazy(lambda: _any_phrase(lambda tone: tone.phrases), re.IGNORECASE)
_AS_WRITTEN: Final = lazy(lambda: _any_phrase(lambda tone: tone.as_written))


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
    each_way = (find_reproach(quoted.sub(" … ", text)) for quoted in _QUOTED)
    found = list(takewhile(bool, each_way))
    return found[0] if len(found) == len(_QUOTED) else ""
