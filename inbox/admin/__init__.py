"""The admin of mail, people and what a workspace teaches; its modules register themselves."""

from inbox.admin import accounts, files, mail, people, understanding, work

__all__ = ["accounts", "files", "mail", "people", "understanding", "work"]
