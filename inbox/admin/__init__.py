"""The admin of mail, people and what a workspace teaches; its modules register themselves."""

from inbox.admin import files, understanding, work
from inbox.admin.accounts import lists as accounts
from inbox.admin.messages import lists as messages
from inbox.admin.people import lists as people

__all__ = ["accounts", "files", "messages", "people", "understanding", "work"]
