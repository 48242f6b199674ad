"""What finds the messages that are near in meaning: an index of the database, or our comparing."""

from collections.abc import Iterator
from typing import Final

from inbox.semantic.finding import MESSAGES
from inbox.semantic.indexing import LEAST_INDEXED, Extension, find_extension, find_wanted
from inbox.semantic.loading import is_on
from inbox.semantic.vector_index import find_indexes
from project.doctor.findings import Finding, good, warn

_ABOUT: Final = "meanings"
_COMPARED: Final = (
    "The nearest are found by comparing all in memory, of an inbox the newest 100,000"
)
_ADD: Final = (
    "Run CREATE EXTENSION vector in this database, as a user who may; a worker then makes the "
    "indexes. Without it search works as well, with more of the processor."
)
_UPDATE: Final = "Install pgvector 0.8 or later, and run ALTER EXTENSION vector UPDATE."
_WAIT: Final = "A worker makes it within the hour; its job is under Jobs in the admin."


def look_at_nearness() -> Iterator[Finding]:
    """Look at which of the two works, where mail is found by what it means."""
    if not is_on():
        return
    extension = find_extension()
    if extension is None:
        yield good(_ABOUT, f"{_COMPARED}; this database has no extension vector (pgvector).")
        return
    lacking = len(find_wanted(MESSAGES).lacking)
    if not extension.is_new_enough:
        have = extension.version or extension.offered
        yield warn(_ABOUT, f"{_COMPARED}; pgvector {have} is too old to help.", _UPDATE)
    elif extension.version:
        yield from _added(extension, len(find_indexes(MESSAGES).owners), lacking)
    elif lacking:
        words = f"{_COMPARED}; pgvector is there, and was not added to this database yet."
        yield warn(_ABOUT, words, _ADD)
    else:
        yield good(
            _ABOUT,
            f"{_COMPARED}; pgvector is added once an inbox has {LEAST_INDEXED:,} messages.",
        )


def _added(extension: Extension, made: int, lacking: int) -> Iterator[Finding]:
    yield good(
        _ABOUT,
        f"The nearest are found by pgvector {extension.version} where an inbox has "
        f"{LEAST_INDEXED:,} messages or more (indexed: {made}), and in others by comparing all.",
    )
    if lacking:
        words = (
            f"Inboxes that are to have an index and are compared in memory until then: {lacking}."
        )
        yield warn(_ABOUT, words, _WAIT)
