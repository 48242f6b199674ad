"""The tools of calendars and to-dos; what reaches others waits for a person."""
