"""Calendars, contacts and to-dos by Microsoft Graph v1.0."""
