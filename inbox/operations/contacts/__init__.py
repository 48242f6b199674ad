"""People and their cards."""
