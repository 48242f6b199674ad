"""Signing a client in: OAuth 2.1, by django-oauth-toolkit; the person's page, and its rows."""
