"""What happened, as server-sent events."""
