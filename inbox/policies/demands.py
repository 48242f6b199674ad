"""What policies want of whoever approves one thing."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from inbox.extract.readers.numbers import find_amounts
from inbox.policies.amounts import AmountOver
from inbox.policies.deciding import DecisionRule


@dataclass(frozen=True, slots=True)
class Demands:
    """What policies want of whoever approves one thing, and the names of those that do."""

    second: bool = False
    fresh: bool = False
    policies: tuple[str, ...] = ()

    @property
    def alone(self) -> bool:
        """Whether it is approved by itself: whatever a policy wants of it does that."""
        return bool(self.policies)

    @property
    def named(self) -> str:
        """The policies, by their names."""
        return ", ".join(self.policies)


def demand(
    policies: Iterable[tuple[str, Iterable[DecisionRule]]],
    kinds: Collection[str],
    flags: Collection[str],
    text: str,
) -> Demands:
    """Return what policies want together, by their names; each adds, and none takes away."""
    met = [
        (name, rule) for name, rules in policies for rule in rules
        if _is_about(rule, kinds, flags, text)
    ]  # fmt: skip
    return Demands(
        second=any(rule.second_approver for _name, rule in met),
        fresh=any(rule.fresh_sign_in for _name, rule in met),
        policies=tuple(dict.fromkeys(name for name, _rule in met)),
    )


def _is_about(
    rule: DecisionRule, kinds: Collection[str], flags: Collection[str], text: str
) -> bool:
    if rule.kinds and not set(rule.kinds).intersection(kinds):
        return False
    return not rule.when or any(
        one in flags if isinstance(one, str) else names_more_than(text, one) for one in rule.when
    )


def names_more_than(text: str, rule: AmountOver) -> bool:
    """Return True if a text names a larger amount than the rule allows."""
    return any(
        amount.value > rule.amount_over and rule.currency in {"", amount.currency}
        for amount in find_amounts(text)
    )
