"""Events in Graph's calendars as iCalendar, and what is done with them."""
