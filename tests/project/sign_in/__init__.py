"""Signing in, by its parts."""
