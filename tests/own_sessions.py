"""Sessions with the database that outlive the threads which opened them."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created


@contextmanager
def sessions_closed() -> Iterator[None]:
    """Close, at the end, what other threads opened meanwhile: nobody may use it any more.

    A server in a thread keeps those of its pool for ever, and PostgreSQL then removes no database.
    """
    opened: list[BaseDatabaseWrapper] = []

    def note(connection: BaseDatabaseWrapper, **_: object) -> None:
        if threading.current_thread() is not threading.main_thread():
            opened.append(connection)

    connection_created.connect(note, weak=False)
    try:
        yield
    finally:
        connection_created.disconnect(note)
        for connection in opened:
            connection.inc_thread_sharing()
            connection.close()
