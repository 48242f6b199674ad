"""What an extraction answers."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was found. `confidence` is 0 to 1: 0 where nothing was.

    `missing_fields` are names (`supplier/email` inside an object); `validation_errors` begin with
    the JSON pointer of the value.
    """

    data: dict[str, Any] = field(default_factory=dict)
    confidence: float = 0.0
    missing_fields: tuple[str, ...] = ()
    validation_errors: tuple[str, ...] = ()
