"""What a clause of a goal tells the writer to do, in each language whose instructions are known."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import regex

from inbox.languages import ENGLISH, any_of, language, languages, lazy_regex
from inbox.languages.writing import Instructions

_FLAGS = regex.IGNORECASE | regex.DOTALL
# How it is to be said, behind the verb: "ask him politely to be patient".
_HOW = lazy_regex(
    lambda: (
        rf"^(?P<verb>\S+(?:\s\S+){{0,2}}?)\s(?:{any_of(lambda it: it.talk.how)}"
        rf"(?: {any_of(lambda it: it.talk.how_too)})?)"
        rf"(?=,?\s{any_of(lambda it: it.talk.before_how)}\b)"
    ),
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


class _Patterns:
    """The instructions of a language: each of its own kind, and what finds out if there is any."""

    def __init__(self, code: str, known: Instructions) -> None:
        whom = f"(?P<whom>{known.whom})"
        each = [(kind, it.replace("{w}", whom)) for kind, it in known.patterns]
        self.language = code
        self.any = lazy_regex(f"^{known.politely}(?:{'|'.join(it for _, it in each)})", _FLAGS)
        self.each = [
            (kind, lazy_regex(f"^{known.politely}(?:{it})(?P<rest>.*)$", _FLAGS))
            for kind, it in each
        ]


@cache
def _patterns() -> list[_Patterns]:
    return [_Patterns(it.code, it.instructions) for it in languages() if it.instructions.patterns]


@cache
def _joint(code: str) -> regex.Pattern[str]:
    """Return what may follow the verb of a language and says no more than the verb does."""
    kept = any_of(lambda it: it.talk.no_joints if it.code == code else "")
    joints = any_of(lambda it: it.talk.empty_joints)
    return regex.compile(rf"^(?!{kept}\s)(?:{joints}|[:,])(?:\s|(?<=[:,]))", _FLAGS)


def readings(clause: str, whom: str = "") -> list[Act]:
    """Return what the clause may tell the writer to do, the likeliest first; [] if nothing known.

    `whom` is to whom the clause before speaks, and this one too where it names nobody.
    """
    return [act for patterns in _patterns() for act in _readings(patterns, clause, whom)]


def _readings(patterns: _Patterns, clause: str, whom: str) -> Iterator[Act]:
    clause = _imperative(clause, patterns.language)
    plain = _HOW.sub(r"\g<verb>", clause)
    if not patterns.any.match(plain):
        return
    for kind, pattern in patterns.each:
        if (found := pattern.match(plain)) and not _within_word(found):
            yield _act(kind, found, clause, patterns.language, whom)


@cache
def _forms(code: str) -> regex.Pattern[str] | None:
    """Return what finds an infinitive of a language at the beginning; None where it has none."""
    known = language(code)
    forms = sorted(known.instructions.forms, key=len, reverse=True) if known else []
    found = "|".join(regex.escape(it) for it in forms)
    return regex.compile(rf"^({politely()})({found})(?![\p{{L}}-])", _FLAGS) if forms else None


@cache
def infinitives() -> str:
    """Return the pattern of the infinitives by which an instruction may begin."""
    forms = dict.fromkeys(form for it in languages() for form in it.instructions.forms)
    return "|".join(regex.escape(it) for it in forms) or "(?!)"


def _imperative(clause: str, code: str) -> str:
    """Return the clause with the imperative in place of an infinitive that it begins with."""
    pattern, known = _forms(code), language(code)
    if pattern is None or known is None:
        return clause
    forms = known.instructions.forms
    return pattern.sub(lambda it: f"{it[1]}{forms[it[2].lower()]}", clause, count=1)


def _within_word(found: regex.Match[str]) -> bool:
    """Return True if the pattern ended inside a word, as `confirm` does in `confirma`."""
    at = found.start("rest")
    text = found.string
    return bool(
        0 < at < len(text) and regex.match(r"[\p{Latin}\p{Arabic}]{2}", text[at - 1 : at + 1])
    )


def _act(kind: str, found: regex.Match[str], clause: str, code: str, before_whom: str) -> Act:
    parts = found.groupdict()
    rest = " ".join(
        part.strip() for part in (parts.get("tail"), found["rest"]) if part and part.strip()
    )
    lead = clause[: found.start("rest")]
    whole = kind in {"say", "confirm"} and _WHOLE.search(lead) is not None
    joint, before = _joint(code), None
    while rest != before:
        before, rest = rest, rest if kind == "invite" else joint.sub("", rest).strip()
        if kind not in {"say", "quote"}:
            rest = _MANNER.sub("", rest).strip()
    if kind in {"say", "confirm"} and code == ENGLISH and regex.match(r"that,?\s", before or ""):
        whole = True
    whom = (parts.get("whom") or before_whom).strip()
    return Act(kind, rest.strip(" ,"), clause, code, whole, whom)


@cache
def politely() -> str:
    """Return the pattern of what may stand before an instruction, in any language."""
    return (
        "(?:"
        + "|".join(it.instructions.politely for it in languages() if it.instructions.politely)
        + ")"
    )
