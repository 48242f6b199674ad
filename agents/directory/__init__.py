"""What an agent works with, by name: inboxes, mailboxes, accounts, calendars and what is taught."""

from agents.directory.kinds import KINDS, Kind, kinds_for, named_fields
from agents.directory.listing import list_kind
from agents.directory.naming import gives_a_name, say_what_there_is, with_ids

__all__ = [
    "KINDS",
    "Kind",
    "gives_a_name",
    "kinds_for",
    "list_kind",
    "named_fields",
    "say_what_there_is",
    "with_ids",
]
