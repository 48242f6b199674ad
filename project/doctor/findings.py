"""What the doctor found, and how it looks without stopping at the first trouble."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["good", "warn", "bad"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: `bad` must be mended, `warn` may be meant so."""

    kind: Kind
    about: str
    words: str
    remedy: str = ""


Look: TypeAlias = Callable[[], Iterator[Finding]]


def good(about: str, words: str) -> Finding:
    """Return that something is as it should be."""
    return Finding("good", about, words)


def warn(about: str, words: str, remedy: str) -> Finding:
    """Return that something may be trouble."""
    return Finding("warn", about, words, remedy)


def bad(about: str, words: str, remedy: str) -> Finding:
    """Return that something does not work."""
    return Finding("bad", about, words, remedy)
