"""What may be wrong with something that is to leave: one registry, its findings, their words."""

from inbox.flags.finding import Finding, Flag, as_json, collect, found, read_flags
from inbox.flags.registry import CONDITIONS, FILTERS, FLAGS, FlagKind, title_of

__all__ = [
    "CONDITIONS", "FILTERS", "FLAGS", "Finding", "Flag", "FlagKind", "as_json", "collect", "found",
    "read_flags", "title_of",
]  # fmt: skip
