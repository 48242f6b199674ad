"""A reason: its code and parameters, as rows keep it, and the text that is made of them."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple, Self, TypeAlias

from inbox.reasons.rules import ACTIONS, KINDS, OPTIONS, SIGNS
from inbox.reasons.sentences import CALLS, DRIFT, MODELS, NOTES, RECEIPTS, REFUSALS, SENDING, TERMS


def _by_group(group: str, sentences: Mapping[str, str]) -> dict[str, str]:
    return {f"{group}.{name}": sentence for name, sentence in sentences.items()}


# Each code's sentence in English, with `%(name)s` for its parameters; those of flags stand in
# `inbox/flags/registry.py`.
SENTENCES: Final[Mapping[str, str]] = {
    # What somebody wrote, as it is.
    "own_words": "%(words)s",
    **CALLS,
    **DRIFT,
    **REFUSALS,
    **SENDING,
    **MODELS,
    **NOTES,
    **RECEIPTS,
    **TERMS,
    **_by_group("kind", KINDS),
    **_by_group("sign", SIGNS),
    **_by_group("options", OPTIONS),
    **_by_group("action", ACTIONS),
}
# A text; codes, such as those of states; or reasons that stand inside of another.
Param: TypeAlias = "str | tuple[str, ...] | tuple[Reason, ...]"
_NAME = re.compile(r"%\((\w+)\)s")
# The parameters that are codes: as they are in English, by their names on pages.
_CODED = frozenset({"status", "before", "urgency", "parts", "kind"})
_OWN = "own_words"


class Voice(NamedTuple):
    """How sentences, and the codes in them, are said in a language."""

    sentence: Callable[[str], str]
    code: Callable[[str], str]


# As the registry has the sentences, and as rows have the codes.
ENGLISH = Voice(str, str)


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason: a code of the registry, and what stands in its sentence."""

    code: str
    params: tuple[tuple[str, Param], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return it as rows keep it: {"code": …, "params": {…}}."""
        params = {name: _param_as_json(value) for name, value in self.params}
        return {"code": self.code, "params": params} if params else {"code": self.code}


class ReasonText(str):
    """Reasons as a text in English, as agents, receipts and the API are told.

    Pages say it in the language of their reader: `inbox.reasons.words.worded`.
    """

    reasons: tuple[Reason, ...]

    def __new__(cls, *reasons: Reason) -> Self:
        """Return the text of these reasons, one sentence after the other."""
        text = super().__new__(cls, tell(reasons, " ", ENGLISH))
        text.reasons = reasons
        return text

    def __getnewargs__(self) -> tuple[Reason, ...]:  # type: ignore[override]
        return self.reasons

    def as_json(self) -> list[dict[str, Any]]:
        """Return the reasons as rows keep them."""
        return [reason.as_json() for reason in self.reasons]

    def dumps(self) -> str:
        """Return the reasons as the text of a column; "" for none."""
        return json.dumps(self.as_json(), ensure_ascii=False) if self.reasons else ""


def say(code: str, **params: object) -> ReasonText:
    """Return the text of a reason.

    A parameter is a text, a list of codes, the text of a reason, or a list of such. Raises KeyError
    or ValueError where the registry has no such sentence.
    """
    named = names_in(SENTENCES[code])
    if named != params.keys():
        raise ValueError(f"{code} takes {sorted(named)}, not {sorted(params)}")
    return ReasonText(Reason(code, _params(params)))


def phrase(sentence: str, /, **params: object) -> ReasonText:
    """Return the text of a sentence that stands where it is given, and is its own code.

    For refusals and failures: nothing asks later which one it was. Imported as `_`, for then
    `make messages` collects it. Raises ValueError where the parameters are others.
    """
    if names_in(sentence) != params.keys():
        raise ValueError(f"{sentence!r} takes {sorted(names_in(sentence))}")
    return ReasonText(Reason(sentence, _params(params)))


def own(words: str) -> ReasonText:
    """Return what somebody wrote, as it is; "" for nothing."""
    if isinstance(words, ReasonText):
        return words
    return say(_OWN, words=words) if words else ReasonText()


def of_error(error: BaseException) -> ReasonText:
    """Return what an error was made with, by its codes where it has them."""
    return own(error.args[0]) if error.args and isinstance(error.args[0], str) else own(str(error))


def quoted(words: str, reply: str, longest: int) -> ReasonText:
    """Return our words and then a server's, cut, as a database can keep them."""
    kept = _storable(words)[:longest]
    said, answer = own(words) if kept == words else own(kept), _storable(reply)[:longest]
    # One reason, so that it may stand inside of another.
    return phrase("%(words)s %(answer)s", words=said, answer=answer) if answer else said


def _storable(words: str) -> str:
    return words.replace("\0", "�").encode("utf-8", "replace").decode()


def together(*texts: str) -> ReasonText:
    """Return texts one after the other, each by its codes."""
    return ReasonText(*_reasons_of(texts))


def read(stored: object) -> ReasonText:
    """Return the text of reasons as rows keep them."""
    return ReasonText(*_reasons(stored))


def loads(column: str) -> ReasonText:
    """Return the text of reasons as a column keeps them."""
    return read(json.loads(column)) if column else ReasonText()


@lru_cache(maxsize=4096)
def names_in(template: str) -> frozenset[str]:
    """Return the names of a sentence's parameters."""
    return frozenset(_NAME.findall(template))


def fill(template: str, params: Mapping[str, Param], voice: Voice) -> str:
    """Return a sentence with its parameters in it; one that is missing is an ellipsis."""
    told = {name: _said(name, params.get(name, "…"), voice) for name in names_in(template)}
    return voice.sentence(template) % told


def tell(reasons: Iterable[Reason], between: str, voice: Voice) -> str:
    """Return the sentences of reasons, with what stands between two."""
    return between.join(fill(_sentence(one), dict(one.params), voice) for one in reasons)


def _sentence(reason: Reason) -> str:
    if reason.code in SENTENCES:
        return SENTENCES[reason.code]
    # A phrase is its own sentence; one word is a row's code that was taken out of the registry.
    return reason.code if " " in reason.code else reason.code.replace("_", " ")


def _said(name: str, value: Param, voice: Voice) -> str:
    if isinstance(value, str):
        return voice.code(value) if name in _CODED else value
    inner = [one for one in value if isinstance(one, Reason)]
    if inner:
        return tell(inner, "; ", voice)
    return ", ".join(_said(name, one, voice) for one in value if isinstance(one, str))


def _params(given: Mapping[str, object]) -> tuple[tuple[str, Param], ...]:
    return tuple((name, _param(value)) for name, value in sorted(given.items()))


def _param(value: object) -> Param:
    if isinstance(value, ReasonText):
        return value.reasons
    if not isinstance(value, list | tuple):
        return str(value)
    if any(isinstance(one, ReasonText) for one in value):
        return _reasons_of(value)
    return tuple(str(one) for one in value)


def _reasons_of(texts: Iterable[str]) -> tuple[Reason, ...]:
    return tuple(reason for text in texts for reason in own(text).reasons)


def _param_as_json(value: Param) -> Any:
    if isinstance(value, str):
        return value
    return [one.as_json() if isinstance(one, Reason) else one for one in value]


def _reasons(stored: object) -> Iterable[Reason]:
    for one in stored if isinstance(stored, list) else ():
        params = one.get("params", {})
        yield Reason(one["code"], tuple((name, _read(value)) for name, value in params.items()))


def _read(value: Any) -> Param:
    if not isinstance(value, list):
        return str(value)
    if value and isinstance(value[0], dict):
        return tuple(_reasons(value))
    return tuple(str(one) for one in value)
