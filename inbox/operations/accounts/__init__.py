"""Accounts and workspaces: made, connected, and their keys changed."""
