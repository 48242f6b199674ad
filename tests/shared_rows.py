"""Rows that are made once for all tests of a module, and that each test gets as they were made.

What a test changes is rolled back at its end, as ever: its transaction lies within one that is held
open for as long as the module's tests run. A test that commits (`transaction=True`, `live_server`)
cannot stand in such a module.
"""

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import transaction
from django.test import override_settings

from tests import factories


@dataclass
class Held:
    """What stays for the tests of the module that runs; of its files each test gets a copy."""

    files: Path | None = None
    # What the next row of a factory is numbered by.
    next_number: int = 1


held = Held()


@contextmanager
def kept_rows(folder: Path, unblock: Callable[[], Any]) -> Iterator[Callable[[Callable], Any]]:
    """Yield what makes rows, by calling what it is given; take all of it back at the end."""
    own = {"MEDIA_ROOT": folder / "media", "EXCHANGE_DIR": folder / "exchange"}

    def make(maker: Callable[[], Any]) -> Any:
        factories._numbers = itertools.count(held.next_number)
        with unblock(), override_settings(**own):
            made = maker()
        held.next_number = next(factories._numbers)
        return made

    whole = transaction.atomic()
    # As those of TestCase: what is done in them may want to be the outermost transaction.
    whole._from_testcase = True
    with unblock():
        whole.__enter__()
    held.files = folder
    try:
        yield make
    finally:
        held.files, held.next_number = None, 1
        with unblock():
            transaction.set_rollback(True)
            whole.__exit__(None, None, None)
