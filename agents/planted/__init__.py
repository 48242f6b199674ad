"""Planted items: a deck of proposals with one thing wrong, mixed in, told afterwards, counted."""
