"""What may be wrong with a message that is to leave, or came in: one registry, its findings."""

from inbox.flags.finding import Finding, Flag, as_json, collect, found, in_order, read_flags
from inbox.flags.registry import CONDITIONS, FILTERS, FLAGS, ODDITIES, OF_CALLS, FlagKind, title_of

__all__ = [
    "CONDITIONS", "FILTERS", "FLAGS", "ODDITIES", "OF_CALLS", "Finding", "Flag", "FlagKind",
    "as_json", "collect", "found", "in_order", "read_flags", "title_of",
]  # fmt: skip
