"""Which request something is done for: known in its process, and carried on to the jobs it causes.

The id stands in the log, in `X-Request-ID` and in `Job.request_id`; it says nothing about rights.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# As long as an id may be; what a caller sends is taken over only where it is not longer.
LONGEST = 64

_CURRENT: ContextVar[str] = ContextVar("request_id", default="")


def current_request_id() -> str:
    """Return the id of the request under way here, or that a job is done for; empty: none."""
    return _CURRENT.get()


@contextmanager
def for_request(request_id: str) -> Iterator[None]:
    """Do the block for this request; empty: for none."""
    token = _CURRENT.set(request_id)
    try:
        yield
    finally:
        _CURRENT.reset(token)
