"""Signing in at a provider: the client's side of OAuth 2.0 and OpenID Connect. No database here."""
