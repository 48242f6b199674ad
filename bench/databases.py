"""Which database the data in a folder has: SQLite there, or one of its own in PostgreSQL."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql

from tests.services import postgresql_url

# The file in a folder that names its database, where that is not SQLite.
_ADDRESS = "database-url"


def database_of(folder: Path) -> str:
    """Return the address of the database of the data in a folder, for `DATABASE_URL`."""
    named = folder / _ADDRESS
    return named.read_text() if named.exists() else f"sqlite:///{folder / 'chancery.sqlite3'}"


@contextmanager
def in_postgresql(folder: Path) -> Iterator[bool]:
    """Give the data in a folder a database in PostgreSQL until the block ends.

    False, and nothing done, where no PostgreSQL lets us in on loopback.
    """
    server = postgresql_url()
    if server is None:
        yield False
        return
    name = f"chancery_bench_{os.getpid()}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _ADDRESS).write_text(urlunsplit(urlsplit(server)._replace(path=f"/{name}")))
        try:
            yield True
        finally:
            (folder / _ADDRESS).unlink()
            connection.execute(
                sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name))
            )
