"""Telling the provider what was changed here."""
