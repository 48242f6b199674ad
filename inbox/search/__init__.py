"""Searching the mail of an inbox: by words, and for passages taken from other conversations."""

from inbox.search.finding import Hit, rank_messages, search_messages

__all__ = ["Hit", "rank_messages", "search_messages"]
