"""A taxonomy tried on messages that came in."""

from dataclasses import dataclass

from inbox.classify.facts import Triage
from inbox.classify.triage import TaxonomySpec, triage
from inbox.models import Message
from inbox.trials.past import Clock, Scope, read_received


@dataclass(frozen=True, slots=True)
class TriedMessage:
    """A message as it is sorted now, and as it would be; `now` is None before a first version."""

    message: Message
    now: Triage | None
    then: Triage

    @property
    def is_changed(self) -> bool:
        """Whether it would have another intent, urgency or route."""
        return self.now is not None and _sorted_as(self.now) != _sorted_as(self.then)


@dataclass(frozen=True, slots=True)
class TaxonomyTrial:
    """How past messages would be sorted, those first that would be sorted otherwise."""

    tried: tuple[TriedMessage, ...]
    left_out: int

    @property
    def changed(self) -> int:
        """How many would be sorted otherwise."""
        return sum(one.is_changed for one in self.tried)


def try_taxonomy(*, scope: Scope, now: TaxonomySpec | None, then: TaxonomySpec) -> TaxonomyTrial:
    """Sort past messages by the taxonomy as it is `now`, and as it would be; in a few seconds."""
    clock = Clock()
    tried = [
        TriedMessage(message, triage(message, now) if now else None, triage(message, then))
        for message in clock.over(read_received(scope))
    ]
    ordered = sorted(tried, key=lambda one: not one.is_changed)
    return TaxonomyTrial(tuple(ordered), clock.left_out)


def _sorted_as(triaged: Triage) -> tuple[str, str, str]:
    return triaged.intent, triaged.urgency, triaged.suggested_route
