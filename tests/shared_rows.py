"""Rows that are made once for all tests of a module, and that each test gets as they were made.

What a test changes is rolled back at its end, as ever: its transaction lies within one that is held
open for as long as the module's tests run. A test that commits (`transaction=True`, `live_server`)
cannot stand in such a module.
"""

import itertools
import os
import shutil
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
    # A copy that the test before left as it was, and what was seen of it.
    unused: tuple[Path, object] | None = None

    def copy(self, place: Path) -> tuple[Path, object]:
        """Return a copy of the files that no other test has, there or elsewhere, and what is seen of it."""
        if self.unused is None:
            shutil.copytree(self.files, place, dirs_exist_ok=True)
            return place, seen(place)
        given, self.unused = self.unused, None
        return given

    def take_back(self, copied: tuple[Path, object]) -> None:
        """Keep a copy for the next test, unless something in it is not as it was."""
        if self.files and not self.unused and seen(copied[0]) == copied[1]:
            self.unused = copied
        else:
            shutil.rmtree(copied[0], ignore_errors=True)

    def drop_copy(self) -> None:
        """Remove the copy, as there is more to be copied, or nothing."""
        if self.unused:
            shutil.rmtree(self.unused[0], ignore_errors=True)
        self.unused = None

    def forget(self) -> None:
        """Begin anew, as with a module that makes nothing."""
        self.drop_copy()
        self.files, self.next_number = None, 1


def seen(folder: Path) -> list[tuple[str, int, int, int, int]]:
    """Return all that is in it, with what a change of it changes."""
    found = []
    for place, folders, files in os.walk(folder):
        folders.sort()
        for name in (".", *sorted(files)):
            it = os.stat(f"{place}/{name}")  # noqa: PTH116 - some thousand times in a run
            found.append((f"{place}/{name}", it.st_mode, it.st_ino, it.st_size, it.st_mtime_ns))
    return found


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
        held.drop_copy()
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
        held.forget()
        with unblock():
            transaction.set_rollback(True)
            whole.__exit__(None, None, None)
