"""Searching the mail of an inbox: by words, and for passages taken from other conversations."""

from inbox.search.finding import MOST_SEARCHED, Hit, keep_matching, rank_messages, search_messages

__all__ = ["MOST_SEARCHED", "Hit", "keep_matching", "rank_messages", "search_messages"]
