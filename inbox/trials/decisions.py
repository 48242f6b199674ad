"""A policy tried on what persons decided: what they rejected and approved, and what it would do.

Who proposes and decides is known to those above, which register how decisions are read.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from inbox.flags import Finding, Flag, collect, title_of
from inbox.policies import Outgoing, OutOfTimeError, Policy
from inbox.policies.demands import demand
from inbox.policies.flows import find_hold, judge, strictest
from inbox.trials.past import Clock, Scope

Verdict: TypeAlias = Literal["approved", "rejected"]
# What a policy does about something: it blocks it, has a rule by which a person is asked, or says
# nothing that would keep it.
Fate: TypeAlias = Literal["blocked", "held", "left"]
# A trial on decisions takes so many seconds at most.
_SECONDS = 3.0
# How sure a draft was is not kept; that it was unsure is told by its flag.
_SURE = 1.0
# What the check of a policy finds itself; all else was found when it was proposed.
_BY_POLICIES = frozenset(
    {
        "policy_blocked", "contains_sensitive_data", "forbidden_phrase", "missing_disclosure",
        "too_long", "external_link",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PastDecision:
    """What a person decided, with what was told of it then.

    `what` is a message's subject, or the tool of a call that sends none; `words` are the person's.
    """

    public_id: str
    verdict: Verdict
    what: str
    by: str
    at: datetime
    words: str
    kinds: frozenset[str]
    flags: tuple[Flag, ...]
    # Of a message; None: the call sends none.
    outgoing: Outgoing | None = None


@dataclass(frozen=True, slots=True)
class TriedDecision:
    """A decision, what the policy does about it now, and what it would do, with why."""

    decision: PastDecision
    now: Fate
    then: Fate
    # In the reader's language: titles of flags, and rules as they stand in the policy.
    why: tuple[str, ...] = ()

    @property
    def is_odd(self) -> bool:
        """Whether the policy would have done otherwise than the person."""
        return (self.decision.verdict == "rejected") is (self.then == "left")


@dataclass(frozen=True, slots=True)
class DecisionTrial:
    """What a policy would have done about what persons decided, the newest first."""

    tried: tuple[TriedDecision, ...] = ()
    left_out: int = 0

    @property
    def rejected(self) -> tuple[TriedDecision, ...]:
        """What persons rejected."""
        return tuple(one for one in self.tried if one.decision.verdict == "rejected")

    @property
    def approved(self) -> tuple[TriedDecision, ...]:
        """What persons approved."""
        return tuple(one for one in self.tried if one.decision.verdict == "approved")

    @property
    def rejected_left(self) -> tuple[TriedDecision, ...]:
        """What a person rejected and the policy would have let leave."""
        return tuple(one for one in self.rejected if one.is_odd)

    @property
    def approved_held(self) -> tuple[TriedDecision, ...]:
        """What a person approved and the policy would have held or blocked."""
        return tuple(one for one in self.approved if one.is_odd)

    @property
    def rejected_left_now(self) -> int:
        """How many that a person rejected the current version lets leave."""
        return sum(one.now == "left" for one in self.rejected)

    @property
    def approved_held_now(self) -> int:
        """How many that a person approved the current version holds or blocks."""
        return sum(one.now != "left" for one in self.approved)


Reader: TypeAlias = Callable[[Scope], Sequence[PastDecision]]
_READERS: list[Reader] = []


def decisions_reader(reader: Reader) -> Reader:
    """Have past decisions read by this function."""
    _READERS.append(reader)
    return reader


def try_on_decisions(
    *, scope: Scope, now: Policy, then: Policy, hosts: frozenset[str]
) -> DecisionTrial:
    """Say what policies do about what persons decided; `hosts` are ours. In a few seconds."""
    past, clock = [one for read in _READERS for one in read(scope)], Clock(_SECONDS)
    tried: list[TriedDecision] = []
    try:
        for one in clock.over(past):
            before, _why = _judge(now, one, hosts, clock.deadline)
            after, why = _judge(then, one, hosts, clock.deadline)
            tried.append(TriedDecision(one, before, after, why))
    except OutOfTimeError:
        clock.left_out = len(past) - len(tried)
    newest = sorted(tried, key=lambda one: one.decision.at, reverse=True)
    return DecisionTrial(tuple(newest), clock.left_out)


def _judge(
    policy: Policy, past: PastDecision, hosts: frozenset[str], deadline: float
) -> tuple[Fate, tuple[str, ...]]:
    """Return what a policy does about it, and why; with all flags that it was proposed with."""
    rules = strictest([("", policy.fields.flows)])
    flags = judge(rules, collect([*_found(policy, past, hosts, deadline), *_told(past.flags)]))
    blocked = [flag for flag in flags if flag.flag == "policy_blocked"]
    if blocked:
        return "blocked", tuple(one.words for flag in blocked for one in flag.findings)
    held = find_hold(rules, flags)
    why = [f"flows: {held.words}"] if held else []
    why += _asked(policy, past, [flag.flag for flag in flags])
    return ("held", tuple(why)) if why else ("left", tuple(title_of(flag.flag) for flag in flags))


def _found(
    policy: Policy, past: PastDecision, hosts: frozenset[str], deadline: float
) -> list[Finding]:
    if past.outgoing is None:
        return []
    message = past.outgoing
    ours = Outgoing(message.body, message.subject, message.recipients, own_hosts=hosts)
    return policy.check(ours, deadline)


def _told(flags: Iterable[Flag]) -> Iterable[Finding]:
    return (one for flag in flags if flag.flag not in _BY_POLICIES for one in flag.findings)


def _asked(policy: Policy, past: PastDecision, codes: Sequence[str]) -> list[str]:
    """Return by which sections of the policy a person is asked, or more of one is wanted."""
    text = f"{past.outgoing.subject}\n{past.outgoing.body}" if past.outgoing else ""
    rules = policy.fields.approval.required_when
    sections = {
        # What says so of everything tells nothing of this one.
        "approval": not isinstance(rules, str)
        and past.outgoing is not None
        and policy.needs_approval(past.outgoing.body, codes, _SURE),
        "decisions": demand([("House", policy.fields.decisions)], past.kinds, codes, text).alone,
    }
    return [name for name, asks in sections.items() if asks]
