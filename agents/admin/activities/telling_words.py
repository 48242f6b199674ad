"""What a reader of an incoming message looks for first: amounts, days, and what is asked."""

import re
from datetime import date
from itertools import islice

from agents.admin.evidence.highlights import Highlight, Span
from agents.evidence.claims.readers.figures import read_amounts
from agents.evidence.claims.readers.moments import read_dates
from agents.evidence.claims.sentences import ends_sentence
from inbox.rfc5322.text.language import detect_language

_MOST = 60
# Beyond this nothing is looked for: what is longer is not read at a glance, and takes long here.
_LONGEST = 20_000
_LONGEST_QUESTION = 400
_MARK = re.compile("[?？؟]")
_GOES_ON = re.compile(r"\d\.\s+[^\W_A-ZÄÖÜ]")
# Where a sentence before it ends.
_BEGINS = re.compile(r"[.!?؟](?=\s)|[。！？]|\n[^\S\n]*\n")


def telling_spans(text: str, written_on: date) -> list[Span]:
    """Return where amounts, days and questions stand in the beginning of a text; at most sixty."""
    text = text[:_LONGEST]
    language = detect_language(text)
    found = [
        (one.start, one.end)
        for read in (read_amounts, read_dates)
        for one in read(text, written_on, language)
    ]
    found += [_question(text, hit.end()) for hit in islice(_MARK.finditer(text), _MOST)]
    kept = sorted(set(found))[:_MOST]
    return [Span(*place, Highlight("telling", n)) for n, place in enumerate(kept, start=1)]


def _question(text: str, end: int) -> tuple[int, int]:
    """Return the sentence that a question mark ends, as far as it is not endlessly long."""
    least = max(0, end - _LONGEST_QUESTION)
    found = (hit.end() for hit in _BEGINS.finditer(text, least, end - 1))
    ends = (at for at in found if text[at - 1] != "." or _ends(text, at))
    begins = max(ends, default=least)
    return end - len(text[begins:end].lstrip()), end


def _ends(text: str, at: int) -> bool:
    """Return True if a full stop ends a sentence, and no number: "am 5. 12. oder 6. 12."."""
    return _GOES_ON.match(text, at - 2) is None and ends_sentence(text, at)
