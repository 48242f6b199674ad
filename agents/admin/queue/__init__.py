"""The queue: what wants a person, in tabs and by filters."""
