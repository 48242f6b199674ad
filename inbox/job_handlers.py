"""The modules of this app in which handlers of jobs stand; loaded with the apps."""

from inbox.operations import (
    contacts,
    deletions,
    files,
    mirror,
    sending,
    submissions,
)

__all__ = ["contacts", "deletions", "files", "mirror", "sending", "submissions"]
