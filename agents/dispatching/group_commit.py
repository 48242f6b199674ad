"""Transactions of PostgreSQL that let the next one go on before their log is on disk.

The receipts of a workspace are one chain, so that each waits for the commit of the one before it. A
commit holds its locks until its log is on disk (`synchronous_commit`), a disk's time for each. Here
the transaction ends without waiting, and then a record of its own is flushed, together with those
of all other sessions that wait at that moment: the log is written in order, so that whatever was
committed before it is on disk too.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.db import connection, transaction

_EARLY: ContextVar[bool] = ContextVar("agents_group_commit", default=False)
# A transaction that wrote nothing is not flushed, and neither is a message outside of one.
_FLUSH = "SELECT pg_logical_emit_message(true, 'chancery', '')"
_EARLY_SETTING = ", set_config('synchronous_commit', 'off', true)"


@contextmanager
def group_commit() -> Iterator[None]:
    """Run the block in a transaction, which is on disk once the context is left.

    Within a transaction of the caller's, and on SQLite, it is as `transaction.atomic`.
    """
    if connection.vendor != "postgresql" or connection.in_atomic_block:
        with transaction.atomic():
            yield
        return
    token = _EARLY.set(True)
    try:
        with transaction.atomic():
            yield
    finally:
        _EARLY.reset(token)
    with connection.cursor() as cursor:
        cursor.execute(_FLUSH)


def early_setting() -> str:
    """Return the column by which the statement that locks the chain has its commit not wait.

    Empty but within `group_commit`, so that no other transaction is ended without a flush.
    """
    return _EARLY_SETTING if _EARLY.get() else ""
