"""Servers that the tests of a process share, each started by the first that asks for it."""

from collections.abc import Iterator

import pytest

from tests.cyrus_dav import CyrusDav
from tests.dav_servers import Apache, Radicale, WsgiDav, Xandikos, apache_program, run
from tests.davical import Davical, need_davical


@pytest.fixture(scope="session")
def radicale() -> Iterator[Radicale]:
    """A Radicale."""
    with run(Radicale()) as server:
        yield server


@pytest.fixture(scope="session")
def xandikos() -> Iterator[Xandikos]:
    """A Xandikos."""
    with run(Xandikos()) as server:
        yield server


@pytest.fixture(scope="session")
def shallow_apache() -> Iterator[Apache]:
    """An Apache that asks for digests, and lists one folder at a time."""
    with run(Apache(apache_program())) as server:
        yield server


@pytest.fixture(scope="session")
def deep_apache() -> Iterator[Apache]:
    """An Apache that asks for passwords, and lists a whole tree."""
    with run(Apache(apache_program(), scheme="Basic", deep=True)) as server:
        yield server


@pytest.fixture(scope="session")
def wsgidav() -> Iterator[WsgiDav]:
    """A WsgiDAV."""
    with run(WsgiDav()) as server:
        yield server


@pytest.fixture(scope="session")
def davical() -> Iterator[Davical]:
    """A DAViCal."""
    with run(need_davical()) as server:
        yield server


@pytest.fixture(scope="session")
def cyrus_dav(cyrus) -> CyrusDav:
    """Calendars and contacts at the one Cyrus."""
    return CyrusDav(cyrus)
