"""Bytes at rest, names of files, and what is in a file."""
