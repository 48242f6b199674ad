"""Why the rules say what they say: each signal with its points and words, and what came next."""

from dataclasses import dataclass

from inbox.classify.decide import Judgement, deciding_subjects, rank_signals, tell_signal
from inbox.classify.rules import Kind, Rules, load_rules
from inbox.reasons import ReasonText, say


@dataclass(frozen=True, slots=True)
class FoundSignal:
    """A signal that was found: its words, what it adds to which subject, whether it decided."""

    name: str
    says: ReasonText
    excerpt: str
    points: tuple[tuple[str, float], ...]
    confidence: float
    decided: bool


@dataclass(frozen=True, slots=True)
class Explanation:
    """The kind chosen, the next that fits as well, and the signs, those that decided first."""

    kind: str
    kind_says: ReasonText
    runner_up: ReasonText | None
    reached: tuple[tuple[str, float], ...]
    signs: tuple[FoundSignal, ...]
    is_guarded: bool


def explain(judgement: Judgement) -> Explanation:
    """Lay out what a judgement rests on."""
    rules, kind = load_rules(), judgement.kind
    runner_up = next(
        (one for one in rules.kinds if one.name != kind.name and one.fits(judgement.sums)), None
    )
    subjects = {subject for choice in kind.when for subject in choice}
    return Explanation(
        kind=kind.name,
        kind_says=say(f"kind.{kind.name}"),
        runner_up=say(f"kind.{runner_up.name}") if runner_up else None,
        reached=tuple(
            (name, round(judgement.sums[name], 1))
            for name in sorted(subjects)
            if judgement.sums.get(name, 0) > 0
        ),
        signs=tuple(
            _found_signal(name, judgement, kind, rules)
            for name in rank_signals(kind, judgement.found, rules)
        ),
        is_guarded=judgement.is_guarded,
    )


def _found_signal(name: str, judgement: Judgement, kind: Kind, rules: Rules) -> FoundSignal:
    signal, excerpt = rules.signals[name], judgement.found[name]
    times = judgement.times.get(name, 1.0)
    return FoundSignal(
        name=name,
        says=tell_signal(name, excerpt),
        excerpt=excerpt,
        points=tuple((subject, points * times) for subject, points in signal.adds.items()),
        confidence=signal.confidence,
        decided=any(signal.adds.get(subject, 0) > 0 for subject in deciding_subjects(kind)),
    )
