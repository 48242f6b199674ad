"""The log of events, and their delivery to webhooks."""
