"""What every request goes through: its id, its language, its time zone, static files."""
