"""Formats that are read and written without Django."""
