"""Files and folders, kept in step with those of a server."""
