"""From signals to a classification.

1. Every signal found adds its points to its subjects; `asking` is the log-odds that the strongest
   sentence asks or promises something.
2. The first kind in `rules.yaml` whose sums are reached decides type, tier and urgency.
3. The confidence is the kind's own (how often it was right where the rules were made) or the
   probability behind the log-odds, plus what each signal found adds or takes away.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from inbox.classify.facts import Classification, Facts, UrgencyWord
from inbox.classify.observe import observe
from inbox.classify.phrases import fold
from inbox.classify.reading import EXCERPT, Reading, clip, read_text
from inbox.classify.rules import Kind, Rules, load_rules
from inbox.classify.tone import find_own_reproach, find_reproach
from inbox.reasons import ReasonText, say
from inbox.reasons.text import SENTENCES, names_in
from inbox.rfc5322.addresses.lookalikes import fold_imitators, mixes_letters

LOWEST, HIGHEST = 0.05, 0.97
# Of mail that the rules were not made on they know so much less: the slope of a curve (Platt
# 1999) through sentences that nobody had looked at.
_UNSEEN = 0.85
# Two or three words may mean anything.
_FEW_WORDS, _MOST_OF_FEW = 3, 0.55
# A text of fewer words leaves it to the HTML part to say something.
_LITTLE = 15
_LITTLE_TEXT = "little_text"
_PERSONA_FROM = 2.0
_EXCERPT = 120
_LONGEST_LINE = 300
# Said only where they decide nothing: a reader of `reasoning` wants the others first.
_MINOR = frozenset({"new_sender", "little_text", "authentication_passed", "any_sentence", "links"})
_MOST_SIGNALS = 9
# Subjects of which so much says that a message may not be what it seems.
_DECEIVES = ("imitation", "injection")


@dataclass(frozen=True, slots=True)
class Judgement:
    """A classification with what it rests on: the kind, the signals found, and their sums."""

    classification: Classification
    kind: Kind
    found: Mapping[str, str]
    times: Mapping[str, float]
    sums: Mapping[str, float]

    @property
    def is_guarded(self) -> bool:
        """Whether it may be meant to deceive, so that nothing makes less of it."""
        return self.kind.guarded or any(self.sums.get(name, 0) >= 2 for name in _DECEIVES)


def classify(facts: Facts) -> Classification:
    """Classify one activity by the rules: equal facts, equal answer; no clock, no chance."""
    return judge(facts).classification


def judge(facts: Facts) -> Judgement:
    """Classify as `classify` does, and say what the answer rests on."""
    rules = load_rules()
    facts = bounded(facts)
    text = f"{facts.title}\n\n{facts.content}"
    reading = read_text(fold_imitators(text) if mixes_letters(text) else text, rules)
    found = dict(reading.found)
    for name, excerpt in (*observe(facts, text, rules), *_unseen(facts, rules)):
        found.setdefault(name, excerpt)
    sums = _sum_up(found, reading, rules)
    kind = next(kind for kind in rules.kinds if kind.fits(sums))
    confidence = _confidence(kind, found, reading.asks, rules)
    if len(text.split(None, _FEW_WORDS)) <= _FEW_WORDS:
        confidence = min(confidence, _MOST_OF_FEW)
    words = _words(facts, reading, found)
    classification = Classification(
        activity_type=kind.activity_type,
        urgency=_urgency(kind, sums),
        autonomy_tier=kind.tier,
        confidence=confidence,
        personas=_personas(kind, sums, rules),
        reasoning=_reasoning(kind, found, rules),
        suggested_actions=tuple(_fill(f"action.{name}", words) for name in kind.actions[:3]),
        option_framing=_fill(f"options.{kind.name}", words) if kind.tier > 2 else None,
    )
    return Judgement(classification, kind, found, reading.times, sums)


def bounded(facts: Facts) -> Facts:
    """Return the facts cut to what is looked at: senders choose how long these are."""
    message = facts.message
    if message is not None:
        message = replace(
            message,
            headers={name: value[:_LONGEST_LINE] for name, value in message.headers.items()},
            html_text=clip(message.html_text),
        )
    return replace(
        facts,
        title=facts.title[:_LONGEST_LINE],
        content=clip(facts.content),
        sender_email=facts.sender_email[:_LONGEST_LINE],
        sender_name=facts.sender_name[:_LONGEST_LINE],
        message=message,
    )


def _unseen(facts: Facts, rules: Rules) -> Iterator[tuple[str, str]]:
    """Yield what the HTML part says beside the text.

    What speaks to an AI, for an agent reads it though a person may not see it; and, where the text
    says next to nothing, what lures, for that is what a person sees.
    """
    if not facts.message or not facts.message.html_text:
        return
    text = facts.message.html_text
    phrases = [rules.wary_phrases]
    if len(facts.content.split(None, _LITTLE)) < _LITTLE:
        phrases.append(rules.lures)
    for index in phrases:
        for hit in index.find(fold(text), frozenset()):
            yield hit.name, " ".join(text[hit.start : hit.end].split())[:EXCERPT]


def _sum_up(found: Mapping[str, str], reading: Reading, rules: Rules) -> dict[str, float]:
    sums: dict[str, float] = {}
    for name in found:
        times = reading.times.get(name, 1.0)
        for subject, points in rules.signals[name].adds.items():
            sums[subject] = sums.get(subject, 0.0) + points * times
    sums.pop("asks", None)
    sums["asking"] = reading.asks
    return sums


def probability(log_odds: float) -> float:
    """Return the probability behind log-odds of the rules, drawn in a little: see `_UNSEEN`."""
    return 1 / (1 + math.exp(-max(-20.0, min(20.0, log_odds * _UNSEEN))))


def _confidence(kind: Kind, found: Mapping[str, str], asks: float, rules: Rules) -> float:
    base = max(probability(asks), probability(-asks)) if kind.by_asking else kind.confidence
    # Of whether a text asks, how little it says is in the log-odds already.
    names = [name for name in found if not (kind.by_asking and name == _LITTLE_TEXT)]
    changed = base + sum(rules.signals[name].confidence for name in names)
    return round(min(max(changed, LOWEST), HIGHEST), 2)


def _urgency(kind: Kind, sums: Mapping[str, float]) -> UrgencyWord:
    if sums.get("calm", 0) >= 3 and kind.tier < 4:
        return "low"
    if sums.get("urgent", 0) >= 1.5 and kind.tier >= 3:
        return "high"
    return kind.urgency


def _personas(kind: Kind, sums: Mapping[str, float], rules: Rules) -> tuple[str, ...]:
    named = [*kind.personas]
    named += [p for subject, p in rules.personas.items() if sums.get(subject, 0) >= _PERSONA_FROM]
    if not named and kind.tier > 1:
        named.append("work")
    return tuple(dict.fromkeys(named))


def deciding_subjects(kind: Kind) -> set[str]:
    """Return the subjects that make a message this kind."""
    deciding = {subject for choice in kind.when for subject in choice}
    return deciding | {"asks"} if "asking" in deciding or kind.by_asking else deciding


def rank_signals(kind: Kind, found: Iterable[str], rules: Rules) -> list[str]:
    """Return the names of the signals found, those first that decided."""
    deciding = deciding_subjects(kind)

    def rank(name: str) -> int:
        adds = rules.signals[name].adds
        if any(adds.get(subject, 0) > 0 for subject in deciding):
            return 0
        if name in _MINOR:
            return 3
        # What only makes it less likely that a sentence asks is of little interest elsewhere.
        return 1 if any(points > 0 for points in adds.values()) or not adds else 2

    return sorted(found, key=rank)


def _reasoning(kind: Kind, found: Mapping[str, str], rules: Rules) -> ReasonText:
    """Name the kind and its signals, those first that decided."""
    said = (name for name in found if not rules.signals[name].small)
    names = rank_signals(kind, said, rules)[:_MOST_SIGNALS]
    told = _tell(kind, [tell_signal(name, found[name]) for name in names])
    if find_own_reproach(told):
        told = _tell(kind, [tell_signal(name, _calm(found[name], "…")) for name in names])
    return told


def _tell(kind: Kind, signs: Sequence[ReasonText]) -> ReasonText:
    return say("saw", kind=say(f"kind.{kind.name}"), signs=signs or [say("sign.none")])


def tell_signal(name: str, excerpt: str) -> ReasonText:
    """Return what a signal says, with what was found of it."""
    return _fill(f"sign.{name}", {"it": excerpt})


def _words(facts: Facts, reading: Reading, found: Mapping[str, str]) -> dict[str, str]:
    """Return what the sentences name, in the sender's words where these are fit to be repeated."""
    sentence = reading.strongest.text if reading.strongest else ""
    names = (facts.sender_name, facts.sender_email)
    sender = next((name for name in names if name and not find_reproach(name)), "")
    when = found.get("deadline") or found.get("names_time") or ""
    return {
        "sender": _one_line(sender, 60) or say("the_sender"),
        "what": _quoted(_calm(sentence) or (_calm(facts.title) if sentence else "")),
        "when": _calm(when) or say("the_date_named"),
    }


def _calm(words: str, instead: str = "") -> str:
    """Return a sender's words unless they order the reader about or reproach them."""
    return instead if find_reproach(words) else words


def _quoted(sentence: str) -> ReasonText:
    line = _one_line(sentence, _EXCERPT)
    return say("quoted", words=line) if line else say("something")


def _one_line(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def _fill(code: str, words: Mapping[str, str]) -> ReasonText:
    return say(code, **{name: words[name] for name in names_in(SENTENCES[code])})
