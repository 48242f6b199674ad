"""Messages whose bytes are held already, such as those that were fetched from a server."""

from collections.abc import Iterator
from dataclasses import dataclass

from inbox.intake.prepared import Delivery
from inbox.reasons import ReasonText


@dataclass(frozen=True, slots=True)
class HeldItem:
    """One message, its bytes and how it came; to be read as a `SourceItem` is."""

    name: str
    raw: bytes
    delivery: Delivery

    # It was brought as mail, so whatever it is, it is kept.
    certain = True
    problem = ReasonText()

    @property
    def size(self) -> int:
        """The number of its bytes."""
        return len(self.raw)

    def head(self, size: int) -> bytes:
        """Return the first bytes, `size` at most."""
        return self.raw[:size]

    def chunks(self) -> Iterator[bytes]:
        """Yield the message's bytes, in one piece."""
        yield self.raw
