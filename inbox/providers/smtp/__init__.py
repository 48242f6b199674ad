"""Talking to an SMTP server: its connection, and a session up to the message."""
