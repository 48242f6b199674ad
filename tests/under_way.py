"""Which requests a server in this process is still at, so that no test ends in the middle of one."""

import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

# No page takes as long, on whatever machine.
SECONDS = 30


class UnderWay:
    """A WSGI application around another that counts what is asked of it and not answered yet."""

    def __init__(self, application: Callable[..., Iterable[bytes]]) -> None:
        self._application = application
        self._changed = threading.Condition()
        self._count = 0

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        """Answer, with the whole body at once."""
        self._count_by(1)
        try:
            response = self._application(environ, start_response)
            try:
                return list(response)
            finally:
                getattr(response, "close", lambda: None)()
        finally:
            self._count_by(-1)

    def wait(self) -> None:
        """Return once nothing is under way; a browser that was closed asks for nothing more."""
        # What was sent just before may not have been taken up.
        time.sleep(0.01)
        with self._changed:
            assert self._changed.wait_for(lambda: not self._count, SECONDS), "a request never ended"

    def _count_by(self, number: int) -> None:
        with self._changed:
            self._count += number
            self._changed.notify_all()
