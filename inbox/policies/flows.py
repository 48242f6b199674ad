"""Flows: what a policy lets agents do, flags, has wait for a person, or forbids."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from inbox.flags import Flag, collect, found
from inbox.policies.closed import Closed

Action: TypeAlias = Literal["allow", "flag", "hold", "block"]
# The mildest first.
ACTIONS: tuple[Action, ...] = ("allow", "flag", "hold", "block")


class Flows(Closed):
    """What is done about each flow; what leaves by mail waits for a person in any case."""

    # A message goes to somebody whom the workspace does not know.
    stranger_recipient: Action = "flag"
    # Words or files reach recipients who were not among their readers.
    readers: Action = "flag"
    # Something is deleted.
    destroy: Action = "allow"
    # Somebody is invited to a meeting, or told that it changed.
    invitation: Action = "allow"
    # An address is put on, or taken off, the card of somebody whom we have written with.
    card_address_change: Action = "hold"
    # A meeting of ours is taken off the calendar, and its guests are not told.
    silent_cancel: Action = "hold"
    # A file is written anew that a message attaches which has not left yet.
    overwrite_attached_file: Action = "hold"

    @property
    def blocks_some(self) -> bool:
        """Whether it forbids a flow."""
        return any(getattr(self, flow) == "block" for flow in FLAG_OF)


# The flag that each flow raises.
FLAG_OF: Mapping[str, str] = {
    "stranger_recipient": "new_recipient",
    "readers": "not_for_these_readers",
    "destroy": "destroys",
    "invitation": "invitation",
    "card_address_change": "address_changed",
    "silent_cancel": "guests_not_told",
    "overwrite_attached_file": "overwrites_attached",
}


@dataclass(frozen=True, slots=True)
class FlowRule:
    """What is done about a flow, and the name of the policy that says so; empty: none does."""

    flow: str
    action: Action
    policy: str = ""

    @property
    def words(self) -> str:
        """The rule as it stands in a policy."""
        return f"{self.flow}: {self.action}"


# By the flag that the flow raises.
FlowRules: TypeAlias = Mapping[str, FlowRule]


def strictest(policies: Iterable[tuple[str, Flows]]) -> FlowRules:
    """Return the strictest rule for each flow of policies that apply together, by their names."""
    stated = list(policies) or [("", Flows())]
    rules: dict[str, FlowRule] = {}
    for flow, flag in FLAG_OF.items():
        said = [FlowRule(flow, getattr(flows, flow), name) for name, flows in stated]
        rules[flag] = max(said, key=lambda rule: ACTIONS.index(rule.action))
    return rules


def judge(rules: FlowRules, flags: Sequence[Flag]) -> list[Flag]:
    """Return the flags without those that are allowed, and with `policy_blocked` for the forbidden.

    Flags that are of no flow stay as they are.
    """
    kept = [flag for flag in flags if _action(rules, flag) != "allow"]
    blocked = [
        found("policy_blocked", "flow", policy=rules[flag.flag].policy,
              rule=rules[flag.flag].words, excerpt=flag.findings[0].excerpt)
        for flag in kept if _action(rules, flag) == "block"
    ]  # fmt: skip
    if not blocked:
        return kept
    before = [one for flag in kept if flag.flag == "policy_blocked" for one in flag.findings]
    others = [flag for flag in kept if flag.flag != "policy_blocked"]
    return [*collect([*before, *blocked]), *others]


def find_hold(rules: FlowRules, flags: Iterable[Flag]) -> FlowRule | None:
    """Return the first rule by which what raised these flags waits for a person; None: none."""
    held = (rules[flag.flag] for flag in flags if _action(rules, flag) == "hold")
    return next(held, None)


def _action(rules: FlowRules, flag: Flag) -> Action | None:
    rule = rules.get(flag.flag)
    return rule.action if rule else None
