"""What a model answered: one JSON object, its quotes found again in the texts; all bounded."""

import re
from collections.abc import Mapping
from typing import Any, Final

from inbox.language_model.errors import ModelError
from inbox.providers.http.json_values import read_json

# Bytes of an answer that are read at all, and characters that are kept of it.
LONGEST_BODY: Final = 512 * 1024
LONGEST_ANSWER: Final = 60_000
_FENCE = re.compile(r"\A\s*```(?:json)?\s*\n(.*)\n\s*```\s*\Z", re.DOTALL | re.IGNORECASE)
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_LEAST_QUOTE = 2
_LONGEST_QUOTE = 600


def read_object(text: str) -> dict[str, Any]:
    """Return the JSON object of an answer; raises ModelError `garbled` where it is none.

    Models set theirs in a fence of Markdown now and then, and some say first what they thought.
    """
    text = _THOUGHT.sub("", text)
    fenced = _FENCE.match(text)
    try:
        found = read_json((fenced[1] if fenced else text).strip().encode("utf-8", "replace"))
    except ValueError as error:
        raise ModelError("garbled") from error
    if not isinstance(found, dict):
        raise ModelError("garbled")
    return found


def rows_of(found: Mapping[str, Any], name: str, most: int) -> list[dict[str, Any]]:
    """Return the objects of a list in an answer, so many at most; raises ModelError `garbled`."""
    rows = found.get(name)
    if not isinstance(rows, list):
        raise ModelError("garbled")
    return [row for row in rows[:most] if isinstance(row, dict)]


def text_in(row: Mapping[str, Any], name: str, longest: int = _LONGEST_QUOTE) -> str:
    """Return a text of an answer, "" where there is none that may be used."""
    value = row.get(name)
    if not isinstance(value, str) or len(value) > longest or "\0" in value:
        return ""
    return value.strip()


def find_quote(text: str, quote: str) -> tuple[int, int] | None:
    """Return from where to where a quote stands in a text; None where it stands nowhere.

    Letters and signs count as they are, and blanks of any length as one. What begins or ends within
    a word or a number of the text stands there only if it stands nowhere whole.
    """
    words = quote.split()
    if not words or not _LEAST_QUOTE <= len(quote) <= _LONGEST_QUOTE:
        return None
    pattern = r"\s+".join(re.escape(word) for word in words)
    hit = re.search(rf"(?<!\w){pattern}(?!\w)", text) or re.search(pattern, text)
    return hit.span() if hit else None


def as_kept(text: str) -> str:
    """Return an answer as it is kept: cut, and without what a database does not take."""
    return text[:LONGEST_ANSWER].replace("\0", "�").encode("utf-8", "replace").decode()
