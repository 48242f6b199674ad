"""Google Calendar: events with their changed instances, as iCalendar and back."""
