"""What a reader of an incoming message looks for first: amounts, days, and what is asked."""

import re
from datetime import date
from itertools import islice

from agents.admin.evidence.highlights import Highlight, Span
from agents.evidence.claims.readers.figures import read_amounts
from agents.evidence.claims.readers.moments import read_dates
from inbox.rfc5322.text.language import detect_language

_MOST = 60
# Beyond this nothing is looked for: what is longer is not read at a glance, and takes long here.
_LONGEST = 20_000
_LONGEST_QUESTION = 400
_MARK = re.compile("[?？؟]")
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
    before = text[least : end - 1]
    begins = least + max((hit.end() for hit in _BEGINS.finditer(before)), default=0)
    return end - len(text[begins:end].lstrip()), end
