"""Telling people that something waits for them: by mail, by webhook, and in an open page."""
