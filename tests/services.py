"""The real services that tests talk to; a test that needs one which is not there says why it skips.

`python -m tests.services postgresql` prints the address of a PostgreSQL that lets us in.
"""

import os
import shutil
import socket
import sys

import psycopg
import pytest

POSTGRESQL_URLS = (
    os.environ.get("CHANCERY_TEST_POSTGRESQL", ""),
    "postgres://postgres@127.0.0.1:5432/postgres",
    "postgres://chancery:chancery@127.0.0.1:5432/postgres",
)
REDIS_URL = os.environ.get("CHANCERY_TEST_REDIS", "redis://127.0.0.1:6379/5")
RABBITMQ_URL = os.environ.get("CHANCERY_TEST_RABBITMQ", "amqp://guest:guest@127.0.0.1:5672//")
CHROMIUM_FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
)  # fmt: skip


def postgresql_url() -> str | None:
    """Return the address of a PostgreSQL where we may make databases, or None."""
    for url in filter(None, POSTGRESQL_URLS):
        try:
            psycopg.connect(url, connect_timeout=3).close()
        except psycopg.OperationalError:
            continue
        return url
    return None


def answers(port: int) -> bool:
    """Return True if something listens on this port of 127.0.0.1."""
    try:
        socket.create_connection(("127.0.0.1", port), 2).close()
    except OSError:
        return False
    return True


def need_redis() -> str:
    """Return the address of Redis; skip the test where it does not answer."""
    if not answers(6379):
        pytest.skip("Redis does not answer on 127.0.0.1:6379")
    return REDIS_URL


def need_rabbitmq() -> str:
    """Return the address of RabbitMQ; skip the test where it does not answer."""
    if not answers(5672):
        pytest.skip("RabbitMQ does not answer on 127.0.0.1:5672")
    return RABBITMQ_URL


def find_chromium() -> str | None:
    """Return the path of Chromium or None: of its headless shell, which is quicker, if there is one."""
    return shutil.which("chromium-headless-shell") or shutil.which("chromium")


def need_chromium() -> str:
    """Return the path of Chromium; skip the test where there is none."""
    path = find_chromium()
    if path is None:
        pytest.skip("Chromium is not installed (Debian's package chromium)")
    return path


def need_whole_chromium() -> str:
    """Return the path of Chromium itself; skip the test where it is not there."""
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("Chromium is not installed (Debian's package chromium)")
    return path


if __name__ == "__main__":
    url = postgresql_url()
    sys.stdout.write(url or "no PostgreSQL lets us in on 127.0.0.1:5432")
    sys.exit(0 if url else 1)
