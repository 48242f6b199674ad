"""Signing in: fresh logins, second factors, and the first workspace."""
