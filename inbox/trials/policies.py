"""A policy tried on the messages of the past."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from inbox.flags import Finding, title_of
from inbox.models import Identity
from inbox.policies import Outgoing, OutOfTimeError, Policy
from inbox.trials.decisions import DecisionTrial, try_on_decisions
from inbox.trials.past import Clock, Scope, SentMessage, read_sent_messages

Change: TypeAlias = Literal["stops", "lets pass", "finds more", "finds less", "other", "same"]
_ORDER: dict[str, int] = {
    "stops": 0, "lets pass": 1, "finds more": 2, "finds less": 3, "other": 4, "same": 5,
}  # fmt: skip
_BLOCKED = "policy_blocked"
_AROUND = 80


@dataclass(frozen=True, slots=True)
class PolicyFinding:
    """What a policy says of a message, and the words that raised it among those around them.

    In the reader's language.
    """

    title: str
    reason: str
    before: str
    words: str
    after: str


@dataclass(frozen=True, slots=True)
class TriedMessage:
    """A message with what the new policy finds besides, what it finds no more, and what stays."""

    message: SentMessage
    change: Change
    added: tuple[PolicyFinding, ...]
    removed: tuple[PolicyFinding, ...]
    kept: tuple[PolicyFinding, ...]


@dataclass(frozen=True, slots=True)
class PolicyTrial:
    """What a policy would have said of messages, those first of which it says something else."""

    tried: tuple[TriedMessage, ...]
    # Messages that were not looked at because the time was over.
    left_out: int
    decisions: DecisionTrial

    def count(self, change: str) -> int:
        """Count the messages with this change."""
        return sum(one.change == change for one in self.tried)

    @property
    def stopped(self) -> int:
        """How many it would have stopped that pass now."""
        return self.count("stops")

    @property
    def passed(self) -> int:
        """How many it lets pass that are stopped now."""
        return self.count("lets pass")

    @property
    def found_otherwise(self) -> int:
        """How many it only finds something else in."""
        return sum(self.count(change) for change in ("finds more", "finds less", "other"))

    @property
    def same(self) -> int:
        """How many it says the same of."""
        return self.count("same")


def try_policy(*, scope: Scope, now: Policy, then: Policy) -> PolicyTrial:
    """Say of past messages what the policy says `now`, and what it would; in a few seconds.

    Of past decisions as well: what would have become of what persons rejected and approved.
    """
    messages, clock, hosts = read_sent_messages(scope), Clock(), _own_hosts(scope)
    tried: list[TriedMessage] = []
    try:
        for message in clock.over(messages):
            outgoing = Outgoing(message.body, message.subject, message.recipients, own_hosts=hosts)
            found = (now.check(outgoing, clock.deadline), then.check(outgoing, clock.deadline))
            tried.append(_compare(message, *found))
    except OutOfTimeError:
        clock.left_out = len(messages) - len(tried)
    ordered = sorted(tried, key=lambda one: _ORDER[one.change])
    decisions = try_on_decisions(scope=scope, now=now, then=then, hosts=hosts)
    return PolicyTrial(tuple(ordered), clock.left_out, decisions)


def _own_hosts(scope: Scope) -> frozenset[str]:
    emails = Identity.objects.visible_to(scope.actor)
    return frozenset(
        email.rpartition("@")[2].lower() for email in emails.values_list("email", flat=True)[:100]
    )


def _compare(message: SentMessage, now: Sequence[Finding], then: Sequence[Finding]) -> TriedMessage:
    added = [flag for flag in then if flag not in now]
    removed = [flag for flag in now if flag not in then]
    kept = [flag for flag in then if flag in now]
    return TriedMessage(
        message, _change(now, then, bool(added), bool(removed)),
        *(tuple(_in_place(flag, message) for flag in flags) for flags in (added, removed, kept)),
    )  # fmt: skip


def _change(now: Sequence[Finding], then: Sequence[Finding], more: bool, less: bool) -> Change:
    was, would = (any(flag.flag == _BLOCKED for flag in flags) for flags in (now, then))
    if was != would:
        return "stops" if would else "lets pass"
    if more and less:
        return "other"
    return "finds more" if more else "finds less" if less else "same"


def _in_place(finding: Finding, message: SentMessage) -> PolicyFinding:
    """Return the finding with the words around its own."""
    title, words = title_of(finding.flag), finding.excerpt
    for text in (message.body, message.subject):
        place = text.find(words) if words else -1
        if place >= 0:
            end = place + len(words)
            start = max(0, place - _AROUND)
            return PolicyFinding(
                title, finding.words, text[start:place], words, text[end : end + _AROUND]
            )
    return PolicyFinding(title, finding.words, "", words, "")
