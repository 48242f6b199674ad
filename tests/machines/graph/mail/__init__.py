"""Mail at the stand-in: what is kept, folders, messages, and MIME as Exchange writes it."""
