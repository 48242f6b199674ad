"""One start of pytest: all tests collected, the database made, and then what is to be done."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from django.db import connection

from tests.mutants.forking import close_databases, run_here
from tests.selection import uses_database

Work = Callable[[dict[str, pytest.Item], Path], int]


class Warm:
    """A plugin that does the work where pytest would run the tests."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.code = 1

    def run(self, folders: Sequence[str]) -> int:
        """Collect the tests of the folders, do the work, and return what it returned."""
        # A test that fails is to fail quickly: nobody reads why.
        quickly = [
            "-p",
            "no:xdist",
            "-p",
            "no:cacheprovider",
            "-s",
            "--assert=plain",
            "--tb=native",
        ]
        arguments = [*quickly, "-m", "not services", *folders]
        ended = pytest.main(arguments, plugins=[self])
        return self.code if ended == 0 else int(ended)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Make the database by the first test that uses one, then work."""
        first = next(item for item in session.items if uses_database(item))
        # What its module holds, an open transaction perhaps, is no child's to go on with.
        run_here(first)
        close_databases()
        with TemporaryDirectory(prefix="chancery-mutants-") as folder:
            database = Path(folder) / "empty.sqlite3"
            shutil.copyfile(str(connection.settings_dict["NAME"]), database)
            self.code = self.work({item.nodeid: item for item in session.items}, database)
        return True
