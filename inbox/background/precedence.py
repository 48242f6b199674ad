"""Who has time to wait: work that nobody waits for lets other work write first."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_IN_BACKGROUND: Final[ContextVar[bool]] = ContextVar("in_background", default=False)


def is_in_background() -> bool:
    """Return True if nobody waits for what this thread does."""
    return _IN_BACKGROUND.get()


@contextmanager
def in_background(value: bool = True) -> Iterator[None]:
    """Note for a block that nobody waits for what is done in it, or that somebody does."""
    token = _IN_BACKGROUND.set(value)
    try:
        yield
    finally:
        _IN_BACKGROUND.reset(token)
