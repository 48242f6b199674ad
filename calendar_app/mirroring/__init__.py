"""Calendars and lists of to-dos that lie at a server as well: our side of them."""
