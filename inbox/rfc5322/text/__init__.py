"""The text of a message: its characters, its quotes, its language."""
