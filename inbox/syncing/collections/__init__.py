"""Calendars, address books, lists of to-dos and files, kept in step with a server."""
