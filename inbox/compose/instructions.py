"""What a clause of a goal tells the writer to do, in each language whose instructions are known."""

from dataclasses import dataclass
from functools import cache

import regex

from inbox.languages import ENGLISH, any_of, languages, lazy_regex
from inbox.languages.writing import Instructions

_FLAGS = regex.IGNORECASE | regex.DOTALL
# What may follow the verb and says no more than the verb does.
_JOINT = lazy_regex(
    lambda: rf"^(?:{any_of(lambda it: it.talk.empty_joints)}|[:,])(?:\s|(?<=[:,]))", _FLAGS
)
# How it is to be said, behind the verb: "ask him politely to be patient".
_HOW = lazy_regex(
    r"^(?P<verb>\S+(?:\s\S+){0,2}?)\s(?:(?:politely|kindly|nicely|firmly|gently|briefly|warmly|clearly|"
    r"in an? (?:\p{L}+ ){1,3}(?:tone|way|manner)|höflich|freundlich|kurz|herzlich)(?: (?:and|und) "
    r"\p{Ll}+(?:ly|lich|ich))?)(?=,?\s(?:that|to|for|dass|ob|um|für|nach)\b)",
    _FLAGS,
)
_MANNER = lazy_regex(lambda: rf"(?:^|\s+){any_of(lambda it: it.talk.manners)}$", _FLAGS)
_WHOLE = lazy_regex(lambda: rf"{any_of(lambda it: it.talk.whole)}$", _FLAGS)


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that the reply does, and of what.

    `rest` is the goal's own words about it, `clause` all of them, `language` the one they are in;
    `whole` says that the words are a sentence of their own ("say that …").
    """

    kind: str
    rest: str = ""
    clause: str = ""
    language: str = ENGLISH
    whole: bool = False
    whom: str = ""


@cache
def _patterns() -> list[tuple[str, list[tuple[str, regex.Pattern[str]]]]]:
    return [(it.code, _compiled(it.instructions)) for it in languages() if it.instructions.patterns]


def _compiled(known: Instructions) -> list[tuple[str, regex.Pattern[str]]]:
    whom = f"(?P<whom>{known.whom})"
    return [
        (kind, lazy_regex(f"^{known.politely}(?:{it.replace('{w}', whom)})(?P<rest>.*)$", _FLAGS))
        for kind, it in known.patterns
    ]


def readings(clause: str, whom: str = "") -> list[Act]:
    """Return what the clause may tell the writer to do, the likeliest first; [] if nothing known.

    `whom` is to whom the clause before speaks, and this one too where it names nobody.
    """
    plain = _HOW.sub(r"\g<verb>", clause)
    return [
        _act(kind, found, clause, language, whom)
        for language, patterns in _patterns()
        for kind, pattern in patterns
        if (found := pattern.match(plain)) and not _within_word(found)
    ]


def _within_word(found: regex.Match[str]) -> bool:
    """Return True if the pattern ended inside a word, as `confirm` does in `confirma`."""
    at = found.start("rest")
    text = found.string
    return bool(
        0 < at < len(text) and regex.match(r"[\p{Latin}\p{Arabic}]{2}", text[at - 1 : at + 1])
    )


def _act(kind: str, found: regex.Match[str], clause: str, language: str, before_whom: str) -> Act:
    parts = found.groupdict()
    rest = " ".join(
        part.strip() for part in (parts.get("tail"), found["rest"]) if part and part.strip()
    )
    lead = clause[: found.start("rest")]
    whole = kind in {"say", "confirm"} and _WHOLE.search(lead) is not None
    before = None
    while rest != before:
        before, rest = rest, rest if kind == "invite" else _JOINT.sub("", rest).strip()
        if kind not in {"say", "quote"}:
            rest = _MANNER.sub("", rest).strip()
    if (
        kind in {"say", "confirm"}
        and language == ENGLISH
        and regex.match(r"that,?\s", before or "")
    ):
        whole = True
    whom = (parts.get("whom") or before_whom).strip()
    return Act(kind, rest.strip(" ,"), clause, language, whole, whom)


@cache
def politely() -> str:
    """Return the pattern of what may stand before an instruction, in any language."""
    return (
        "(?:"
        + "|".join(it.instructions.politely for it in languages() if it.instructions.politely)
        + ")"
    )
