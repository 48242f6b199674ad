"""Which words of a text stand beside a value and say what it is; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import regex

from inbox.languages import any_of, lazy_regex

BEFORE, AFTER = 80, 28
_SENTENCE_END = lazy_regex(r"[.!?。!?؟](?:\s|$)|\n\s*\n|;\s")
_ABBREVIATED = lazy_regex(
    lambda: rf"(?:(?<!\p{{L}})(?:{any_of(lambda it: it.labels.abbreviations)})|\d)\.\s?$",
    regex.IGNORECASE,
)

_STOP = lazy_regex(r"[!?;。!?]|\.(?!\s\p{Ll})|,\s")

# "Until 5 May" may be when something is due, and is no more than an end where nothing says so.
# What is said right behind a sum counts for more than what stands before: "120 net, 144 gross".
_TOLD_BEHIND = frozenset({"net", "total", "payable", "each"})
_ONLY_BEHIND = frozenset({"each"})
_MAY_BE_SAID_CLOSER = _TOLD_BEHIND | {"", "price"}
_BY_A_SMALL_WORD = frozenset({"start", "end"})
_RIGHT_BEFORE = 12


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value that was found: what it is, where it stands, how surely, and the role it has."""

    value: Any
    start: int
    end: int
    sure: float
    written: str = ""
    role: str = ""


def before(text: str, start: int, since: int = 0) -> str:
    """Return what stands before a place in the same line or sentence, or as the line above it."""
    context = text[max(since, start - BEFORE) : start]
    for match in reversed(list(_SENTENCE_END.finditer(context))):
        if not _ABBREVIATED.search(context[: match.start() + 1] + " "):
            context = context[match.end() :]
            break
    lines = context.split("\n")
    if len(lines) > 1 and lines[-1].strip() and _is_wrapped(text, start):
        return " ".join(lines[-2:])
    if len(lines) > 1 and not lines[-1].strip():
        return lines[-2] + "\n"
    return lines[-1] if len(lines) == 1 or lines[-1].strip(" :-\t*•|") else context


def _is_wrapped(text: str, start: int) -> bool:
    """Return True if the line of a place goes on with the sentence of a long line above it."""
    begin = text.rfind("\n", 0, start)
    above = text[text.rfind("\n", 0, max(begin, 0)) + 1 : max(begin, 0)]
    is_prose = not regex.search(r"\||\S\s{2,}\S", above + text[begin + 1 : start])
    return is_prose and _WRAPS_AT <= len(above) <= _WIDEST and text[begin + 1 : begin + 2].isalnum()


# A line of prose that a mail program or somebody wrapped is about so long.
_WRAPS_AT, _WIDEST = 60, 130


def after(text: str, end: int, until: int) -> str:
    """Return what stands after a place in the same line and sentence."""
    context = text[end : min(until, end + AFTER)].partition("\n")[0]
    for stop in _STOP.finditer(context):
        if not (stop[0] == "." and _ABBREVIATED.search(context[: stop.end()] + " ")):
            return context[: stop.start()]
    return context


def with_roles(
    candidates: Sequence[Candidate], text: str, known: Mapping[str, regex.Pattern[str]]
) -> list[Candidate]:
    """Return the candidates with the roles that the words beside them give."""
    found = []
    # What was said right behind a value is not said of the next one.
    told = 0
    for index, candidate in enumerate(candidates):
        since = max(candidates[index - 1].end if index else 0, told)
        until = candidates[index + 1].start if index + 1 < len(candidates) else len(text)
        left, right = before(text, candidate.start, since), after(text, candidate.end, until)
        # What stands right before the next value is said of that one.
        leads_on = index + 1 < len(candidates) and candidate.end + len(right) >= until
        role, sure = _role(left, right, known)
        behind, length = _role_right_behind(right, leads_on, known)
        if behind and role in _MAY_BE_SAID_CLOSER:
            role, sure = behind, 1.0 if role == behind else 0.95
            told = candidate.end + length
        found.append(replace(candidate, role=role, sure=candidate.sure * sure))
    return found


def _role_right_behind(
    right: str, leads_on: bool, known: Mapping[str, regex.Pattern[str]]
) -> tuple[str, int]:
    """Return the role of a sum that is told right behind it, and where that ends; else "".

    "120 net", "1 440 € TTC".
    """
    start = len(right) - len(right.lstrip(" (,"))
    hits = [
        (match.end(), role)
        for role, pattern in known.items()
        if role in _TOLD_BEHIND and (match := pattern.match(right, start))
    ]
    end, role = max(hits, default=(0, ""))
    return ("", 0) if leads_on and not right[end:].strip(" :|=\t") else (role, end)


def _role(left: str, right: str, known: Mapping[str, regex.Pattern[str]]) -> tuple[str, float]:
    """Return the role whose words end nearest before the value, else the first after it."""
    nearest = [
        (
            # "We take it from your account on …": a small word tells only what it stands before.
            role not in _BY_A_SMALL_WORD or len(left) - match.end() <= _RIGHT_BEFORE,
            match.end(),
            role not in _BY_A_SMALL_WORD,
            match.end() - match.start(),
            role,
        )
        for role, pattern in known.items()
        if role not in _ONLY_BEHIND
        for match in pattern.finditer(left)
    ]
    if nearest:
        return max(nearest)[-1], 1.0
    following = [
        (match.start(), role)
        for role, pattern in known.items()
        if role not in _ONLY_BEHIND and (match := pattern.search(right))
    ]
    return (min(following)[1], 0.85) if following else ("", 0.6)
