"""The modules of this app in which handlers of jobs stand; loaded with the apps."""

from inbox.language_model import consulting
from inbox.operations import deletions, file_forms, files, worker_processes
from inbox.operations.contacts import contacts, search_words, shared_addresses
from inbox.operations.learned import backend as learned
from inbox.operations.learned import training
from inbox.operations.mail import attachment_texts, search_forms
from inbox.operations.sending import (
    delivering_here,
    delivery,
    filing,
    keeping_copies,
    marking_answered,
    reports,
    submissions,
)
from inbox.semantic import embedding, indexing
from inbox.syncing import mirror, session
from inbox.syncing.collections import session as source_session
from inbox.syncing.collections import visiting
from inbox.syncing.collections.contacts import marking as contact_marking
from inbox.syncing.collections.contacts.keeper import ContactKeeper
from inbox.syncing.collections.files import marking as file_marking
from inbox.syncing.collections.files.keeper import FileKeeper
from inbox.syncing.collections.keepers import register_keeper
from inbox.understanding.backends import register_backend
from inbox.understanding.port import RULES
from inbox.understanding.rules import RulesBackend

__all__ = [
    "attachment_texts",
    "consulting",
    "contact_marking",
    "contacts",
    "deletions",
    "delivering_here",
    "delivery",
    "embedding",
    "file_forms",
    "file_marking",
    "files",
    "filing",
    "indexing",
    "keeping_copies",
    "marking_answered",
    "mirror",
    "reports",
    "search_forms",
    "search_words",
    "session",
    "shared_addresses",
    "source_session",
    "submissions",
    "training",
    "visiting",
    "worker_processes",
]

register_keeper("contacts", ContactKeeper())
register_keeper("files", FileKeeper())

_rules = RulesBackend()
register_backend(RULES, lambda workspace_ids: dict.fromkeys(workspace_ids, _rules))
register_backend(learned.LEARNED, learned.learned_backends)
