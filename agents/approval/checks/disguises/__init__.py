"""What a message says in another writing than its own: undone, and compared with what was shown."""
