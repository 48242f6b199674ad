"""Messages in the admin: their lists, and reading one or a thread."""
