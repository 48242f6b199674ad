"""Whom and what a message names, held against whom and what the sources name beside the same."""
