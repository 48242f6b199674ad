"""What must survive a loss of power: an approval, a claim, what a server answered."""

import contextlib
from pathlib import Path

from django.db import connection, transaction

from inbox.files.storage import sync_to_disk


def sync_on_commit() -> None:
    """Have the transaction under way on disk by the time its commit returns.

    SQLite in WAL mode with `synchronous=NORMAL` commits without a sync, which a loss of power may
    undo; syncing the log after the commit makes it, and all before it, last. PostgreSQL does so
    itself.
    """
    if connection.vendor == "sqlite":
        transaction.on_commit(_sync_write_ahead_log)


def _sync_write_ahead_log() -> None:
    # No log: it was checkpointed into the database, and that is always synced. SQLite keeps no
    # lock on the log's file, so closing a descriptor of our own takes none away.
    with contextlib.suppress(FileNotFoundError):
        sync_to_disk(Path(f"{connection.settings_dict['NAME']}-wal"), bytes_only=True)
