"""The modules of this app in which handlers of jobs stand; loaded with the apps."""

from inbox.operations import deletions, files, worker_processes
from inbox.operations.contacts import contacts
from inbox.operations.sending import (
    delivery,
    filing,
    keeping_copies,
    marking_answered,
    reports,
    submissions,
)
from inbox.syncing import mirror, session

__all__ = [
    "contacts",
    "deletions",
    "delivery",
    "files",
    "filing",
    "keeping_copies",
    "marking_answered",
    "mirror",
    "reports",
    "session",
    "submissions",
    "worker_processes",
]
