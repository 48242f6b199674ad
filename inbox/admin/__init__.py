"""The admin of mail, people and what a workspace teaches; its modules register themselves."""

from inbox.admin import accounts, mail, understanding, work

__all__ = ["accounts", "mail", "understanding", "work"]
