"""The admin of mail, people and what a workspace teaches; its modules register themselves."""

from inbox.admin import files, understanding, work
from inbox.admin.accounts import lists as account_lists
from inbox.admin.messages import lists as message_lists
from inbox.admin.people import lists as people_lists

__all__ = ["account_lists", "files", "message_lists", "people_lists", "understanding", "work"]
