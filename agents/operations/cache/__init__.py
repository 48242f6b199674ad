"""The mirror of accounts as a cache: its figures, and readings in the background."""
