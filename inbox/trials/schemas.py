"""An extraction schema tried on messages that came in."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inbox.extract import Extraction, extract
from inbox.models import Message
from inbox.trials.past import Clock, Scope, read_received

MOST = 20


@dataclass(frozen=True, slots=True)
class Value:
    """A field with what is found for it now, and what would be."""

    name: str
    now: Any
    then: Any

    @property
    def is_changed(self) -> bool:
        """Whether something else would be found."""
        return bool(self.now != self.then)


@dataclass(frozen=True, slots=True)
class TriedMessage:
    """A message with its values; `then` says how sure they are, what is missing and what wrong."""

    message: Message
    values: tuple[Value, ...]
    then: Extraction
    has_now: bool

    @property
    def is_changed(self) -> bool:
        """Whether anything else would be found."""
        return self.has_now and any(value.is_changed for value in self.values)


@dataclass(frozen=True, slots=True)
class SchemaTrial:
    """What would be found in past messages, those first in which it is something else."""

    tried: tuple[TriedMessage, ...]
    left_out: int

    @property
    def changed(self) -> int:
        """In how many something else would be found."""
        return sum(one.is_changed for one in self.tried)

    @property
    def filled(self) -> int:
        """In how many anything would be found at all."""
        return sum(bool(one.then.data) for one in self.tried)


def try_schema(
    *,
    scope: Scope,
    now: dict[str, Any] | None,
    then: dict[str, Any],
    messages: Sequence[Message] | None = None,
) -> SchemaTrial:
    """Fill the schema in from past messages as it is `now`, and as it would be.

    On the newest, or on those given. Raises SchemaError where the new one cannot be filled in.
    """
    clock = Clock()
    found = list(messages) if messages is not None else read_received(scope, MOST)
    tried = [_try(message, now, then) for message in clock.over(found)]
    ordered = sorted(tried, key=lambda one: not one.is_changed)
    return SchemaTrial(tuple(ordered), clock.left_out)


def _try(message: Message, now: dict[str, Any] | None, then: dict[str, Any]) -> TriedMessage:
    would = extract(message, then)
    is_ = extract(message, now).data if now else {}
    names = dict.fromkeys((*would.data, *is_))
    values = tuple(Value(name, is_.get(name), would.data.get(name)) for name in names)
    return TriedMessage(message, values, would, now is not None)
