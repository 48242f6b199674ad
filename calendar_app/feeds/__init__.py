"""Calendars given out at a secret address: made and revoked by owners, read by whoever has it."""
