"""The modules of this app in which handlers of jobs stand; loaded with the apps."""

from inbox.operations import sending, submissions

__all__ = ["sending", "submissions"]
