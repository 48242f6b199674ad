"""Comparing what was found with what is there, field by field."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from bench.understanding.extraction.letters import Labelled
from inbox.extract.found import Extraction, Place


@dataclass(frozen=True)
class Verdict:
    """What became of one field: right, missed, wrong, or given though nothing is there."""

    name: str
    verdict: Literal["right", "missed", "wrong", "made up"]
    wanted: Any
    given: Any
    # How sure it was given.
    sure: float = 0.0


@dataclass
class Score:
    """How many fields were found."""

    counted: Counter[str] = field(default_factory=Counter)
    given: list[tuple[float, bool]] = field(default_factory=list)

    def add(self, verdict: Verdict) -> None:
        """Count this one as well."""
        self.counted[verdict.verdict] += 1
        if verdict.verdict != "missed":
            self.given.append((verdict.sure, verdict.verdict == "right"))

    @property
    def calibration_error(self) -> float:
        """How far confidence and the share of right values lie apart, on average (ECE, 10 bins)."""
        bins: dict[int, list[tuple[float, bool]]] = {}
        for it in self.given:
            bins.setdefault(min(int(it[0] * 10), 9), []).append(it)
        apart = sum(abs(sum(sure - right for sure, right in it)) for it in bins.values())
        return apart / len(self.given) if self.given else 0.0

    @property
    def found(self) -> float:
        """The share of what is there that was found."""
        there = self.counted["right"] + self.counted["missed"] + self.counted["wrong"]
        return self.counted["right"] / there if there else 1.0

    @property
    def precision(self) -> float:
        """The share of what was given that is right."""
        given = self.counted["right"] + self.counted["wrong"] + self.counted["made up"]
        return self.counted["right"] / given if given else 1.0

    def __str__(self) -> str:
        named = ", ".join(
            f"{self.counted[it]} {it}" for it in ("right", "missed", "wrong", "made up")
        )
        return (
            f"{self.found:6.1%}  {self.precision:.3f}  ({named}; ECE {self.calibration_error:.3f})"
        )


def judge(letter: Labelled, found: Extraction) -> list[Verdict]:
    """Return the verdict for every field that is there or was given; an item's fields are each one."""
    verdicts, data = [], found.data
    for name in dict.fromkeys((*letter.truth, *data)):
        wanted, given = letter.truth.get(name), data.get(name)
        if isinstance(wanted, list) or isinstance(given, list):
            verdicts += _rows(name, wanted or [], given or [])
        else:
            verdicts += _one(name, wanted, given, letter.also.get(name, ()))
    places = found.places
    return [
        replace(it, sure=places[at].sure) if (at := _place_of(it.name, places)) else it
        for it in verdicts
    ]


def _place_of(name: str, places: Mapping[str, Place]) -> str:
    """Return under which name the place of a value is kept; of an item's it is that of the item."""
    return next((it for it in (name, name.rpartition("/")[0]) if it in places), "")


def _rows(name: str, wanted: list[dict[str, Any]], given: list[dict[str, Any]]) -> list[Verdict]:
    verdicts = []
    for index in range(max(len(wanted), len(given))):
        truth = wanted[index] if index < len(wanted) else {}
        found = given[index] if index < len(given) else {}
        for key in dict.fromkeys((*truth, *found)):
            verdicts += _one(f"{name}/{index}/{key}", truth.get(key), found.get(key), ())
    return verdicts


# A company is the same with its legal form and without.
_COMPANIES = frozenset({"supplier", "vendor", "company"})
_LEGAL_FORM = re.compile(
    r"(?:,? (?:gmbh|ag|kg|ohg|se|ug|e\.k\.|& co\. kg|ltd|limited|llc|llp|plc|inc|corp|co|s\.?a|sarl|sas|s\.?l"
    r"|s\.?r\.?l|s\.?p\.?a|b\.?v|n\.?v|ab|as|oy|oü|lda|sp\. z o\.o)\.?)+$"
)


def _one(name: str, wanted: Any, given: Any, also: tuple[Any, ...]) -> list[Verdict]:
    if given is None:
        return [] if wanted is None else [Verdict(name, "missed", wanted, None)]
    if name in _COMPANIES:
        also = (*also, *(_LEGAL_FORM.sub("", str(it).casefold()) for it in (wanted, *also)))
    bare = _LEGAL_FORM.sub("", given.casefold()) if name in _COMPANIES else given
    if any(_same(it, one) for one in (wanted, *also) if one is not None for it in (given, bare)):
        return [Verdict(name, "right", wanted, given)]
    if wanted is None:
        # That nothing was asked back is no claim about what stands there.
        return [] if given is False else [Verdict(name, "made up", None, given)]
    return [Verdict(name, "wrong", wanted, given)]


def _same(given: Any, wanted: Any) -> bool:
    if isinstance(wanted, str) and isinstance(given, str):
        return _folded(given) == _folded(wanted)
    return bool(given == wanted)


def _folded(text: str) -> str:
    """Return a text as it is compared: without case, blanks, and punctuation between its parts."""
    return "".join(it for it in text.casefold() if it.isalnum())
