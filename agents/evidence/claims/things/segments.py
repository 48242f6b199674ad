"""The part of a text that a value is said in: a line, a sentence, or a clause; pure."""

from agents.evidence.claims.records import Value
from inbox.languages import lazy_regex

_END = lazy_regex(r"[;\n]|(?:(?<=[\p{L}\d)\"']{2})|(?<=[%\p{Sc}]))[.!?](?=\s)")


def segment_of(text: str, value: Value) -> tuple[int, int]:
    """Return where the segment of a text begins and ends in which a value stands."""
    first = max((it.end() for it in _END.finditer(text, 0, value.start)), default=0)
    behind = _END.search(text, value.end)
    return first, behind.start() if behind else len(text)
