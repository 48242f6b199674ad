"""A draft for a goal, and what is wrong with it."""

from dataclasses import dataclass
from functools import cached_property

import regex

from bench.understanding.drafts.checking import strange_facts, words_of_instruction
from bench.understanding.drafts.goals import Goal
from inbox.compose import compose_reply
from inbox.models import Identity
from inbox.policies import Policy

_FLAGS = regex.IGNORECASE


@dataclass(frozen=True)
class Tried:
    """A goal and the draft for it."""

    goal: Goal
    body: str
    reasons: tuple[str, ...]

    @property
    def is_flagged(self) -> bool:
        """Whether the draft says that something of the goal is missing."""
        return bool(self.reasons)

    @cached_property
    def missing(self) -> list[str]:
        """The points of the goal that the draft does not say."""
        return [it for it in self.goal.says if not regex.search(it, self.text, _FLAGS)]

    @cached_property
    def false(self) -> list[str]:
        """What it says that it must not."""
        return [
            *(f"says {it!r}" for it in self.goal.never if regex.search(it, self.text)),
            *strange_facts(self.text, self.goal), *words_of_instruction(self.text, self.goal),
        ]  # fmt: skip

    @property
    def text(self) -> str:
        """The letter without its greeting and its closing."""
        return "\n\n".join(self.body.split("\n\n")[1:-1])

    @property
    def wrong(self) -> list[str]:
        """All that is wrong with it, in words."""
        return [*self.false, *(f"does not say {it!r}" for it in self.missing)]

    @property
    def is_sendable(self) -> bool:
        """Whether it says every point of the goal and nothing else."""
        return bool(self.goal.says) and not self.missing and not self.false

    @property
    def is_of_others(self) -> bool:
        """Whether all that is wrong is a "he" or "she", who may be somebody whom the goal names."""
        of_others = all(it.startswith("not to the reader") for it in self.false)
        return bool(self.goal.says) and not self.missing and bool(self.false) and of_others

    @property
    def is_false(self) -> bool:
        """Whether something is wrong with it, or missing, and nothing says so."""
        return not self.is_flagged and (not self.goal.says or bool(self.wrong))


def try_goal(goal: Goal) -> Tried:
    """Return the draft for a goal."""
    identity = Identity(name=goal.us, email="office@letters.example")
    reply = compose_reply(goal.thread, goal.text, Policy(), identity)
    reasons = tuple(it.english for it in reply.risk_flags if it.flag == "low_confidence")
    return Tried(goal, reply.body, reasons)
