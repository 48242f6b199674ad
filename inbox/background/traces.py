"""Spans of what is done, where an operator has them collected; nothing of it is loaded elsewhere.

Who collects them is said once, with `collect_by`. Where a trace goes on in another process, or at
another time, it is carried along as a `traceparent` (W3C Trace Context), like the request's id.
A span names what was done, by whom and what came of it, never what was said.
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Literal, Protocol, TypeAlias

Attribute: TypeAlias = str | int | float | bool
Kind: TypeAlias = Literal["internal", "client"]
# As long as a `traceparent` is.
LONGEST = 55


class Span(Protocol):
    """A span under way."""

    def note(self, attributes: Mapping[str, Attribute]) -> None:
        """Add what is known only now."""

    def fail(self, error_type: str) -> None:
        """Mark it as failed, by a code."""

    def excuse(self) -> None:
        """Take what is raised from now on for no failure."""


class Collector(Protocol):
    """What makes spans."""

    def span(
        self, name: str, kind: Kind, attributes: Mapping[str, Attribute], link: str
    ) -> AbstractContextManager[Span]:
        """Begin a span within the current one; `link` is the traceparent that it refers to."""

    def current(self) -> str:
        """Return the traceparent of the span under way; empty where there is none."""

    def within(self, traceparent: str, tracestate: str) -> AbstractContextManager[object]:
        """Do the block as a part of a trace that began elsewhere."""


class _Nothing:
    def note(self, attributes: Mapping[str, Attribute]) -> None:
        """Do nothing."""

    def fail(self, error_type: str) -> None:
        """Do nothing."""

    def excuse(self) -> None:
        """Do nothing."""


_NOTHING = _Nothing()
_COLLECTOR: list[Collector] = []


def collect_by(collector: Collector | None) -> None:
    """Have spans made by this from now on; None: by nobody."""
    _COLLECTOR[:] = [collector] if collector else []


def are_collected() -> bool:
    """Return True if anybody collects spans: where nobody does, none need be described."""
    return bool(_COLLECTOR)


@contextmanager
def span(
    name: str, attributes: Mapping[str, Attribute], *, kind: Kind = "internal", link: str = ""
) -> Iterator[Span]:
    """Do the block within a span; what it raises marks it by its class and goes on."""
    if not _COLLECTOR:
        yield _NOTHING
        return
    with _COLLECTOR[0].span(name, kind, attributes, link) as made:
        yield made


def current_trace() -> str:
    """Return what carries the trace on from here; empty where nobody collects."""
    return _COLLECTOR[0].current() if _COLLECTOR else ""


@contextmanager
def within_trace(traceparent: str, tracestate: str = "") -> Iterator[None]:
    """Do the block as a part of this trace; empty: of none but the one under way."""
    if not _COLLECTOR or not traceparent:
        yield
        return
    with _COLLECTOR[0].within(traceparent, tracestate):
        yield
