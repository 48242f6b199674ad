"""Work that is done in several threads at the same moment."""

import threading
from collections.abc import Callable

from django.db import connections


def at_once(work: Callable[[int], object], number: int = 20) -> list[Exception]:
    """Run `work(n)` in so many threads; return what they raised."""
    barrier, raised = threading.Barrier(number), list[Exception]()

    def run(place: int) -> None:
        try:
            barrier.wait()
            work(place)
        except Exception as error:  # noqa: BLE001
            raised.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(place,)) for place in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised
