"""Triage by a taxonomy: which intent a message has, how urgent it is, and how its writer feels.

Pure: takes the text and the taxonomy. The built-in signals are those of `inbox.classify`, and a
taxonomy's phrases are written the same way (`rules.yaml` explains it). What is quoted from earlier
mail is not looked at. Beside the signs that an owner wrote, an intent's name, description and
phrases say by their words what it is about (`kind_words`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from time import monotonic
from typing import Annotated, Protocol, TypeAlias

import regex
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from inbox.classify.decide import bounded
from inbox.classify.facts import Facts, MessageFacts, Sentiment, Triage
from inbox.classify.facts import TriageUrgency as Urgency
from inbox.classify.kind_words import KindWords
from inbox.classify.observe import observe
from inbox.classify.phrases import PhraseIndex, compile_phrase
from inbox.classify.reading import clip, find_signals, read_text
from inbox.classify.rules import Rules, load_lists, load_rules, load_signals
from inbox.formats.yaml_source import read_source
from inbox.policies.patterns import compile_pattern
from inbox.reasons import phrase as _

# All patterns of a taxonomy together may take this long over one message, in seconds.
PATTERN_SECONDS = 0.2
# A sign in the subject says more than one in the text.
_SUBJECT_BONUS = 1.0
_NO_INTENT = 0.35
# What a word counts for that stands in an intent's name, its description and its phrases.
_OF_NAME, _OF_DESCRIPTION, _OF_PHRASES = 1.0, 0.5, 0.5
# All words of an intent count less than two of its signs; alone they have to say so much.
_OF_WORDS, _LEAST_WORDS = 1.5, 0.45
# A message of no more words is about what one of them says.
_FEW_WORDS = 6


class MessageLike(Protocol):
    """What triage reads of a message; `inbox.models.Message` is one."""

    subject: str
    new_text: str
    from_email: str
    from_name: str
    list_id: str
    signals: Mapping[str, str]


def _known_signal(name: str) -> str:
    if name not in load_signals():
        names = list(load_signals())
        raise ValueError(_("there is no signal of this name; use one of %(names)s", names=names))
    return name


def _phrase(text: str) -> str:
    compile_phrase(text, load_lists())
    return text


def _pattern(text: str) -> str:
    compile_pattern(text)
    return text


def _by_language(value: object) -> object:
    """Take a plain list of phrases for every language."""
    return {"any": value} if isinstance(value, list) else value


_Name = Annotated[str, Field(min_length=1, max_length=100)]
_Phrases: TypeAlias = Annotated[
    dict[_Name, list[Annotated[str, AfterValidator(_phrase)]]], BeforeValidator(_by_language)
]


class Signs(BaseModel):
    """Signs of one thing: built-in signals, phrases by language, regular expressions."""

    model_config = ConfigDict(extra="forbid", strict=True)

    signals: list[Annotated[str, AfterValidator(_known_signal)]] = []
    phrases: _Phrases = {}
    patterns: Annotated[list[Annotated[str, AfterValidator(_pattern)]], Field(max_length=50)] = []


class Intent(Signs):
    """An intent: what shows it, and where a message of it goes."""

    name: _Name
    route: _Name
    description: Annotated[str, Field(max_length=500)] = ""
    urgency: Urgency | None = None
    weight: Annotated[float, Field(gt=0, le=10)] = 1.0

    @model_validator(mode="after")
    def _has_signs(self) -> "Intent":
        if not (self.description or self.signals or self.phrases or self.patterns):
            raise ValueError(
                _("an intent needs at least one of description, signals, phrases and patterns")
            )
        return self

    def texts(self) -> Iterator[tuple[str, float]]:
        """Yield what says in words what it is about, with what a word counts for."""
        yield self.name, _OF_NAME
        yield self.description, _OF_DESCRIPTION
        yield from ((text, _OF_PHRASES) for texts in self.phrases.values() for text in texts)


class Default(BaseModel):
    """What a message without any sign is."""

    model_config = ConfigDict(extra="forbid", strict=True)

    intent: _Name
    route: _Name


class UrgencyHints(BaseModel):
    """What makes a message urgent or takes the hurry out of it, beside the built-in signs."""

    model_config = ConfigDict(extra="forbid", strict=True)

    high: Signs = Signs()
    low: Signs = Signs()


class TaxonomyFields(BaseModel):
    """The fields of a taxonomy, closed and strict."""

    model_config = ConfigDict(extra="forbid", strict=True)

    intents: Annotated[list[Intent], Field(min_length=1, max_length=200)]
    default: Default
    urgency: UrgencyHints = UrgencyHints()

    @model_validator(mode="after")
    def _names_differ(self) -> "TaxonomyFields":
        names = [intent.name for intent in self.intents]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(_("two intents are called %(name)s", name=repr(twice[0])))
        return self


@dataclass(frozen=True, slots=True)
class TaxonomySpec:
    """A taxonomy, ready for use."""

    fields: TaxonomyFields
    phrases: PhraseIndex
    patterns: tuple[tuple[str, "regex.Pattern[str]"], ...]
    words: KindWords


_HIGH, _LOW = "urgency/high", "urgency/low"


@lru_cache(maxsize=64)
def read_taxonomy(source: str) -> TaxonomySpec:
    """Read a taxonomy from YAML; raises ValueError naming the line and the field."""
    fields = read_source(source, TaxonomyFields, _("a taxonomy"))
    lists = load_lists()
    signs: list[tuple[str, Signs]] = [(intent.name, intent) for intent in fields.intents]
    signs += [(_HIGH, fields.urgency.high), (_LOW, fields.urgency.low)]
    return TaxonomySpec(
        fields=fields,
        phrases=PhraseIndex(
            (name, compile_phrase(text, lists))
            for name, sign in signs
            for texts in sign.phrases.values()
            for text in texts
        ),
        patterns=tuple(
            (name, compile_pattern(text)) for name, sign in signs for text in sign.patterns
        ),
        words=KindWords((intent.name, tuple(intent.texts())) for intent in fields.intents),
    )


@dataclass(frozen=True, slots=True)
class _Seen:
    """The built-in signals of a message, and what they add up to."""

    names: frozenset[str]
    # Of these, those that a single word shows which may mean anything.
    slight: frozenset[str]
    sums: Mapping[str, float]


def triage(message: MessageLike, taxonomy: TaxonomySpec) -> Triage:
    """Say which of the taxonomy's intents a message has; equal input, equal answer."""
    rules = load_rules()
    in_subject = _look(message, message.subject, "", rules).names
    seen = _look(message, message.subject, message.new_text, rules)
    own = _own_signs(taxonomy, f"{message.subject}\n\n{message.new_text}")
    words = taxonomy.words.scores(message.subject, message.new_text)
    intents = taxonomy.fields.intents
    signs = {it.name: _score(it, seen, in_subject, own.get(it.name, 0)) for it in intents}
    scores = {
        it.name: signs[it.name] + _OF_WORDS * min(it.weight, 1.0) * words[it.name] for it in intents
    }
    best = max(intents, key=lambda intent: scores[intent.name])
    ranked = sorted(scores.values(), reverse=True)
    if not any(signs.values()) and words[best.name] < _LEAST_WORDS:
        default = taxonomy.fields.default
        urgency = _urgency(None, seen, own)
        return Triage(default.intent, urgency, _sentiment(seen), _NO_INTENT, default.route)
    return Triage(
        intent=best.name,
        urgency=_urgency(_least(best, signs[best.name]), seen, own),
        sentiment=_sentiment(seen),
        confidence=_confidence(ranked[0], ranked[1] if len(ranked) > 1 else 0.0),
        suggested_route=best.route,
    )


def _look(message: MessageLike, subject: str, text: str, rules: Rules) -> _Seen:
    """Return the built-in signals in subject and text, and in the headers, with their sums."""
    whole = f"{subject}\n\n{text}"
    facts = bounded(
        Facts(
            title=subject,
            content=text,
            sender_email=message.from_email,
            sender_name=message.from_name,
            message=MessageFacts(headers=dict(message.signals), list_id=message.list_id),
        )
    )
    whole = clip(whole)
    reading = read_text(whole, rules)
    names = frozenset(reading.found) | {name for name, _ in observe(facts, whole, rules)}
    is_short = len(whole.split(None, _FEW_WORDS)) <= _FEW_WORDS
    slight = frozenset(() if is_short else (n for n, times in reading.times.items() if times < 1))
    sums: dict[str, float] = {}
    for name in names:
        for topic, points in rules.signals[name].adds.items():
            sums[topic] = sums.get(topic, 0.0) + points * (0.5 if name in slight else 1.0)
    sums["asking"] = reading.asks
    return _Seen(names, slight, sums)


def _own_signs(taxonomy: TaxonomySpec, text: str) -> dict[str, int]:
    """Count the different phrases and patterns of each name that the text holds."""
    text = clip(text)
    seen = {
        (hit.name, text[hit.start : hit.end].lower())
        for hit in find_signals(taxonomy.phrases, text)
    }
    counts: dict[str, int] = {}
    for name, _sign in seen:
        counts[name] = counts.get(name, 0) + 1
    deadline = monotonic() + PATTERN_SECONDS
    for name, pattern in taxonomy.patterns:
        if _matches(pattern, text, deadline):
            counts[name] = counts.get(name, 0) + 1
    return counts


def _matches(pattern: "regex.Pattern[str]", text: str, deadline: float) -> bool:
    """Return True if a user's pattern matches; one that takes too long does not."""
    left = deadline - monotonic()
    if left <= 0:
        return False
    try:
        return pattern.search(text, timeout=left) is not None
    except TimeoutError:
        return False


def _score(intent: Intent, seen: _Seen, in_subject: frozenset[str], own: int) -> float:
    named = sum(
        (0.5 if n in seen.slight else 1.0) + (_SUBJECT_BONUS if n in in_subject else 0.0)
        for n in intent.signals
        if n in seen.names
    )
    return intent.weight * (named + min(own, 4))


def _confidence(best: float, second: float) -> float:
    """Return how sure the first is: more signs raise it, a close second halves what they say."""
    return round(min(0.95, 0.45 + 0.5 * (best - 0.6 * second) / (best + 1.0)), 2)


def _least(intent: Intent, signs: float) -> Urgency | None:
    """Return how urgent an intent is at least; one slight word does not make it so."""
    is_slight = 0 < signs < intent.weight
    return "medium" if is_slight and intent.urgency == "high" else intent.urgency


def _urgency(least: Urgency | None, seen: _Seen, own: Mapping[str, int]) -> Urgency:
    sums = seen.sums
    if sums.get("calm", 0) >= 3 or own.get(_LOW):
        return "low"
    if least == "high" or own.get(_HIGH) or _presses(sums):
        return "high"
    quiet = ("bulk", "automatic", "advert", "away")
    if least is None and any(sums.get(subject, 0) >= 3 for subject in quiet):
        return "low"
    return least or "medium"


def _presses(sums: Mapping[str, float]) -> bool:
    """Return True if something presses: one word alone, such as "urgent", decides nothing."""
    pressing = [sums.get(subject, 0) for subject in ("urgent", "outage", "legal")]
    beside = sums["asking"] > 0 or sums.get("deadline", 0) >= 2 or sums.get("angry", 0) >= 1.5
    return max(pressing) >= 3 or sum(pressing) >= 3 or (max(pressing) >= 1.5 and beside)


def _sentiment(seen: _Seen) -> Sentiment:
    bad = seen.sums.get("angry", 0) + seen.sums.get("unhappy", 0)
    good = seen.sums.get("glad", 0)
    if bad > good or (bad and seen.sums.get("angry", 0)):
        return "negative"
    return "positive" if good > bad else "neutral"
