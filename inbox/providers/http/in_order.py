"""Work that takes a while for each of many, some at once, and what comes of it in their order."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")
# So many at once.
_AT_ONCE = 2


def in_order(
    work: Callable[[Given], Made | None], given: Sequence[Given], *, ahead: int = 6
) -> Iterator[Made]:
    """Yield what `work` makes of each, in their order, without None; raises what it raises.

    `ahead`: how many are worked on, or done, before they are asked for.
    """
    waiting: deque[Future[Made | None]] = deque()
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        try:
            for one in given:
                waiting.append(pool.submit(work, one))
                if len(waiting) >= ahead:
                    yield from _come(waiting.popleft())
            while waiting:
                yield from _come(waiting.popleft())
        finally:
            for future in waiting:
                future.cancel()


def _come(future: Future[Made | None]) -> Iterator[Made]:
    made = future.result()
    if made is not None:
        yield made
