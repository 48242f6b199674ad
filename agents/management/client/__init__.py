"""The Python client in `client/`, written from the registry: a method for each tool, and types."""
