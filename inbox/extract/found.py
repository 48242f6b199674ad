"""What an extraction answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of what was read, in characters from its beginning.

    `source` is `text` (the subject, the sender's own words and what is attached), `signature`,
    `quoted`, `from`, `to` (the names and addresses of the message), or `attachments` (that there
    are any). `excerpt` is what stands there, at most 200 characters of it.
    """

    source: str
    start: int
    end: int
    excerpt: str


@dataclass(frozen=True, slots=True)
class Place:
    """How sure a value is (0 to 1), and where it stands."""

    sure: float
    span: Span


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was found. `confidence` is 0 to 1: 0 where nothing was.

    `missing_fields` are names (`supplier/email` inside an object); `validation_errors` begin with
    the JSON pointer of the value. `places` says of each value, by such a name (`items/0` in a
    list), how sure it is and where it stands; a backend other than the rules may know none.
    """

    data: dict[str, Any] = field(default_factory=dict)
    confidence: float = 0.0
    missing_fields: tuple[str, ...] = ()
    validation_errors: tuple[str, ...] = ()
    places: Mapping[str, Place] = field(default_factory=dict)
