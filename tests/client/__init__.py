"""The typed Python client, `client/`, at a real server."""
