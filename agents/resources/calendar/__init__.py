"""Calendars, their events and to-dos, by their address."""
