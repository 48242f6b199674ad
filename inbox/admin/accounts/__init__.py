"""Accounts in the admin: their lists, their page, and connecting one."""
