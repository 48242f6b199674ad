"""The modules of this app in which handlers of jobs stand; loaded with the apps."""

from inbox.operations import (
    contacts,
    deletions,
    files,
    filing,
    keeping_copies,
    marking_answered,
    mirror,
    reports,
    sending,
    submissions,
    worker_processes,
)
from inbox.operations.syncing import session

__all__ = [
    "contacts",
    "deletions",
    "files",
    "filing",
    "keeping_copies",
    "marking_answered",
    "mirror",
    "reports",
    "sending",
    "session",
    "submissions",
    "worker_processes",
]
