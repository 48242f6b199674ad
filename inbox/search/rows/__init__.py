"""Searching rows other than mail by what the search of mail takes: files, people, events."""
