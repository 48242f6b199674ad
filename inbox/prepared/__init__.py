"""Queries that are put together once, and what is made of their rows."""

from inbox.prepared.statements import Prepared, Value, padded

__all__ = ["Prepared", "Value", "padded"]
