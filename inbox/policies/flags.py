"""What may be wrong with a text that is to leave."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Flag:
    """A risk, why it is one, and the words that raised it.

    `flag` is one of the contract's codes, such as `forbidden_phrase`; `excerpt` stands in the
    draft; `source` is the public id of the message it comes from, where there is one.
    """

    flag: str
    reason: str
    excerpt: str = ""
    source: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return it as drafts and approvals keep it."""
        return {
            "flag": self.flag,
            "reason": self.reason,
            "excerpt": self.excerpt,
            "source": self.source,
        }
