"""Policies, taxonomies and schemas: edited, tried on past mail, and kept in versions."""

from inbox.admin.understanding import rows

__all__ = ["rows"]
