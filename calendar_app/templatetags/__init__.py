"""What the templates of calendars are written with."""
