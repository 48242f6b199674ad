"""Where the database is spoken to: threads that stay, each with its connection."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from django.conf import settings
from django.db import close_old_connections

T = TypeVar("T")


class Threads:
    """As many threads as the API has; the event loop never waits for the database."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(settings.API_THREADS, thread_name_prefix="mcp")

    async def run(self, work: Callable[[], T]) -> T:
        """Return what the work returns; it is not broken off when nobody waits for it any more."""
        loop = asyncio.get_running_loop()
        # The thread knows for which request it works, as this task does.
        within = copy_context().run
        return await loop.run_in_executor(self._pool, within, _with_connection, work)


def _with_connection(work: Callable[[], T]) -> T:
    """Run it as a request of its own: a connection that is too old or broken is not used."""
    close_old_connections()
    try:
        return work()
    finally:
        close_old_connections()
