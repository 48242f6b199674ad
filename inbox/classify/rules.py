"""Reads `rules.yaml`: what each signal is, what it counts for, and what follows from the sums.

The words that show a signal are those of `inbox.languages`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import yaml

from inbox.classify.facts import ActivityKind, UrgencyWord
from inbox.classify.phrases import Lists, Phrase, PhraseIndex, compile_phrase
from inbox.languages import languages

# libyaml reads ten times as fast; PyYAML may come without it.
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
RULES_FILE = Path(__file__).with_name("rules.yaml")


@dataclass(frozen=True, slots=True)
class Signal:
    """A named sign: what it adds to which subject."""

    name: str
    adds: Mapping[str, float]
    confidence: float = 0.0
    negatable: bool = False
    repeats: bool = False
    halved: bool = False
    small: bool = False


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of activity: `when` any of these sums are reached and none of `unless` is."""

    name: str
    when: tuple[Mapping[str, float], ...]
    unless: tuple[Mapping[str, float], ...]
    activity_type: ActivityKind
    tier: int
    urgency: UrgencyWord
    confidence: float
    by_asking: bool
    personas: tuple[str, ...]
    # The names of what could be done.
    actions: tuple[str, ...]
    # No correction for a sender or a list makes less of it.
    guarded: bool = False

    def fits(self, sums: Mapping[str, float]) -> bool:
        """Return True if the sums make a message this kind."""
        return _reached(self.when, sums) and not _reached(self.unless, sums)


@dataclass(frozen=True, slots=True)
class Rules:
    """The whole page of rules, ready for use."""

    lists: Lists
    signals: Mapping[str, Signal]
    phrases: PhraseIndex
    # Those of the signals that speak to an AI: looked for in what nobody is shown as well, and in
    # all languages, whatever a letter is in.
    wary_phrases: PhraseIndex
    wary: frozenset[str]
    # What signals add to what a sentence asks where they stand in it together.
    together: tuple[tuple[frozenset[str], float], ...]
    # Those that make people click, looked for in HTML as well where a text says next to nothing.
    lures: PhraseIndex
    kinds: tuple[Kind, ...]
    personas: Mapping[str, str]
    brands: Mapping[str, tuple[str, ...]]


@lru_cache(maxsize=1)
def load_rules() -> Rules:
    """Return the rules; reads the page, and every phrase of every language, once."""
    page, lists, signals = _page(), load_lists(), load_signals()
    named = _named_phrases(lists)
    wary = frozenset(name for name, signal in signals.items() if "injection" in signal.adds)
    return Rules(
        lists=lists,
        signals=signals,
        phrases=PhraseIndex(named),
        wary_phrases=PhraseIndex((name, phrase) for name, phrase in named if name in wary),
        wary=wary,
        together=tuple(
            (frozenset(entry["signals"]), float(entry["asks"])) for entry in page["together"]
        ),
        lures=PhraseIndex((name, phrase) for name, phrase in named if name.startswith("lure_")),
        kinds=tuple(_kind(entry) for entry in page["kinds"]),
        personas=page["personas"],
        brands={name: tuple(domains) for name, domains in page["brands"].items()},
    )


@lru_cache(maxsize=1)
def load_signals() -> Mapping[str, Signal]:
    """Return the signals by name; without the phrases that show them, which take long to read."""
    page = _page()
    entries = page["signals"] | page["observations"]
    return {name: _signal(name, entry) for name, entry in entries.items()}


@lru_cache(maxsize=1)
def load_lists() -> Lists:
    """Return the lists of words that phrases name, of all languages together."""
    lists: dict[str, list[str]] = {}
    for language in languages():
        for name, words in language.classify.lists.items():
            lists.setdefault(name, []).extend(words)
    return lists


@lru_cache(maxsize=1)
def _page() -> Mapping[str, Any]:
    # The base loader keeps every word as it is written: `no` and `on` are words here.
    page: Mapping[str, Any] = yaml.load(RULES_FILE.read_text("utf-8"), _LOADER)  # noqa: S506
    return page


NEGATION = "negation"
UNLESS = "unless:"


def _named_phrases(lists: Lists) -> list[tuple[str, Phrase]]:
    named: list[tuple[str, str, str]] = []
    for it in languages():
        named += [(NEGATION, text, it.code) for text in it.classify.negations]
        for prefix, phrases in (("", it.classify.signals), (UNLESS, it.classify.unless)):
            for name, texts in phrases.items():
                named += [(prefix + name, text, it.code) for text in texts]
    return [(name, compile_phrase(text, lists, code)) for name, text, code in named]


def _signal(name: str, entry: Mapping[str, Any]) -> Signal:
    return Signal(
        name=name,
        adds=_sums(entry.get("adds", {})),
        confidence=float(entry.get("confidence", 0)),
        negatable=entry.get("negatable") == "true",
        repeats=entry.get("repeats") == "true",
        halved=entry.get("halved") == "true",
        small=entry.get("small") == "true",
    )


def _kind(entry: Mapping[str, Any]) -> Kind:
    confidence = entry["confidence"]
    return Kind(
        name=entry["name"],
        when=tuple(_sums(sums) for sums in entry["when"]),
        unless=tuple(_sums(sums) for sums in entry.get("unless", ())),
        activity_type=cast("ActivityKind", entry["type"]),
        tier=int(entry["tier"]),
        urgency=cast("UrgencyWord", entry["urgency"]),
        confidence=0.0 if confidence == "asking" else float(confidence),
        by_asking=confidence == "asking",
        personas=tuple(entry.get("personas", ())),
        actions=tuple(entry["actions"]),
        guarded=entry.get("guarded") == "true",
    )


def _sums(entry: Mapping[str, str]) -> dict[str, float]:
    return {subject: float(points) for subject, points in entry.items()}


def _reached(choices: tuple[Mapping[str, float], ...], sums: Mapping[str, float]) -> bool:
    return any(
        all(sums.get(subject, 0.0) >= least for subject, least in choice.items())
        for choice in choices
    )
