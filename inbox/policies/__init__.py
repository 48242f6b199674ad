"""What a reply must be and must not be."""

from inbox.policies.flags import Flag

__all__ = ["Flag"]
