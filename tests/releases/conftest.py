"""Databases of this version, made once, from which each test gets one of its own."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.project.backups.places import Place
from tests.releases.databases import postgresql_database
from tests.services import postgresql_url
from tests.sqlite3.base import put_empty_database

ENGINES = ["sqlite", pytest.param("postgresql", marks=pytest.mark.services)]


@pytest.fixture(params=ENGINES, scope="module")
def engine(request) -> str:
    if request.param == "postgresql" and postgresql_url() is None:
        pytest.skip("PostgreSQL does not answer")
    return request.param


@pytest.fixture(scope="module")
def made(engine, tmp_path_factory) -> Iterator[Place]:
    """A place whose database was made by this version, and is used by nobody."""
    var = tmp_path_factory.mktemp("made")
    with ExitStack() as stack:
        environment = {}
        if engine == "postgresql":
            environment["DATABASE_URL"] = stack.enter_context(postgresql_database())
        place = Place(var, environment)
        if engine == "sqlite":
            put_empty_database(var)
        if not (var / "chancery.sqlite3").exists():
            done = place.manage("migrate", "-v0")
            assert done.returncode == 0, done.stderr
        yield place


@pytest.fixture
def empty(engine, tmp_path) -> Iterator[Callable[[str], Place]]:
    """Make a place by a name, with a database that has no tables."""
    with ExitStack() as stack:

        def make(name: str) -> Place:
            environment = {}
            if engine == "postgresql":
                environment["DATABASE_URL"] = stack.enter_context(postgresql_database())
            return Place(tmp_path / name, environment)

        yield make


@pytest.fixture
def fresh(engine, made, tmp_path) -> Iterator[Place]:
    """A place of one's own, whose database was made by this version."""
    var = tmp_path / "var"
    shutil.copytree(made.var, var)
    if engine == "sqlite":
        yield Place(var)
        return
    template = made.environment["DATABASE_URL"].rpartition("/")[2]
    with postgresql_database(template) as url:
        yield Place(var, {"DATABASE_URL": url})
