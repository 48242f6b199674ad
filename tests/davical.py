"""A DAViCal of our own: PHP's own server on loopback, and a database in the tests' PostgreSQL."""

import os
import secrets
import shutil
import subprocess
import time
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from tests.dav_servers import PASSWORD, DavServer
from tests.services import postgresql_url

_SHARED = Path("/usr/share/davical")
_CONFIG = """<?php
$c->pg_connect[] = "{database}";
$c->domain_name = "127.0.0.1";
$c->admin_email = "office@lantern.example";
"""
_USER = (
    "INSERT INTO usr (username, password, fullname, email, active) VALUES (%s, %s, %s, %s, true)"
)
_PRINCIPAL = (
    "INSERT INTO principal (type_id, user_no, displayname, default_privileges)"
    " SELECT 1, user_no, username, 0::bit(24) FROM usr WHERE username = %s"
)
_OPEN = (
    "UPDATE principal SET default_privileges = ~ 0::bit(24)"
    " WHERE user_no = (SELECT user_no FROM usr WHERE username = %s)"
)


class Davical(DavServer):
    """DAViCal (Debian's packages davical, php-cli and php-pgsql); it schedules by itself."""

    title = "davical"

    def __init__(self, database: str) -> None:
        super().__init__()
        self._root = database
        self._name = f"davical_{secrets.token_hex(6)}"

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}/caldav.php"

    def start(self) -> None:
        """Make its database, and start it."""
        parts = urlsplit(self._root)
        surroundings = {
            **os.environ, "PGHOST": parts.hostname or "", "PGPORT": str(parts.port or 5432),
            "PGUSER": parts.username or "", "PGPASSWORD": parts.password or "",
        }  # fmt: skip
        made = subprocess.run(
            [
                _SHARED / "dba" / "create-database.sh", self._name, PASSWORD,
                parts.username or "", parts.username or "",
            ],
            env=surroundings, cwd=self.folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert made.returncode == 0, made.stdout + made.stderr
        shutil.copytree(_SHARED / "htdocs", self.folder / "app" / "htdocs")
        (self.folder / "app" / "inc").symlink_to(_SHARED / "inc")
        (self.folder / "app" / "config").mkdir()
        database = (
            f"host={parts.hostname} port={parts.port or 5432} dbname={self._name}"
            f" user={parts.username} password={parts.password or 'none'}"
        )
        config = _CONFIG.format(database=database)
        (self.folder / "app" / "config" / "config.php").write_text(config)
        super().start()

    def command(self) -> list[str]:
        """Return what starts it: without a look at a configuration of this machine."""
        return [
            "php", "-d", f"open_basedir=/usr/share:{self.folder}:/tmp", "-d", "display_errors=0",
            "-d", "include_path=/usr/share/awl/inc:/usr/share/php",
            "-S", f"127.0.0.1:{self.port}", "-t", str(self.folder / "app" / "htdocs"),
        ]  # fmt: skip

    def remove(self) -> None:
        """Stop it and drop its database."""
        super().remove()
        with psycopg.connect(self._root, autocommit=True) as database:
            database.execute(f'DROP DATABASE IF EXISTS "{self._name}" WITH (FORCE)')

    def new_user(self) -> str:
        """Return a user who has nothing yet."""
        user = f"{super().new_user()}{time.time_ns() % 10**6}"
        url = f"{self._root.rpartition('/')[0]}/{self._name}"
        with psycopg.connect(url, autocommit=True) as database:
            address = f"{user}@lantern.example"
            database.execute(_USER, (user, f"**{PASSWORD}", user, address))
            database.execute(_PRINCIPAL, (user,))
        return user

    def new_guest(self) -> str:
        """Return a user to whom everybody's invitations are delivered."""
        user = self.new_user()
        self.make_calendar(user, "calendar", ("VEVENT",))
        url = f"{self._root.rpartition('/')[0]}/{self._name}"
        with psycopg.connect(url, autocommit=True) as database:
            database.execute(_OPEN, (user,))
        return user


def need_davical() -> Davical:
    """Return a server that is not started; skip the test where one cannot run."""
    database = postgresql_url()
    if database is None or not _SHARED.is_dir() or shutil.which("php") is None:
        pytest.skip("DAViCal, PHP or PostgreSQL is not there (Debian: davical php-cli php-pgsql)")
    return Davical(database)
