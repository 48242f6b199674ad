"""Databases for a moment, on the PostgreSQL of the tests."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from tests.services import postgresql_url


class NoPostgreSQL(Exception):  # noqa: N818
    """None lets us in."""


@contextmanager
def postgresql_database(template: str = "template1") -> Iterator[str]:
    """Make a database, and remove it afterwards; yields its address. Raises NoPostgreSQL."""
    url = postgresql_url()
    if url is None:
        raise NoPostgreSQL("no PostgreSQL lets us in on 127.0.0.1:5432")
    name = f"chancery_release_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        try:
            yield f"{url.rpartition('/')[0]}/{name}"
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")
