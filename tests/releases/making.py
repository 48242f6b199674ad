"""Make what is kept of a release: a place in use and its backup, on each database."""

import json
import os
import socket
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.project.backups.places import Place
from tests.releases.archive import pack, plain_dump, write_sums
from tests.releases.databases import postgresql_database

PASSPHRASE = "wax, ribbon and a ring"
# What waits for a person when a release is made still waits when it is updated.
FIFTY_YEARS = str(24 * 365 * 50)
POPULATE = (
    "import json; from tests.releases.populate import populate; print(json.dumps(populate()))"
)
ENGINES = ("sqlite", "postgresql")


def make_release(folder: Path, engines: tuple[str, ...] = ENGINES) -> None:
    """Make a release's folder; nothing of it is there unless all of it is."""
    with TemporaryDirectory() as scratch:
        made = Path(scratch) / "made"
        made.mkdir()
        for engine in engines:
            make_place(engine, made)
        write_sums(made)
        folder.mkdir(parents=True)
        for path in made.iterdir():
            (folder / path.name).write_bytes(path.read_bytes())


def make_place(engine: str, made: Path, database: Path | None = None) -> None:
    """Make a place in use on one database, and pack it; `database` is an empty one to begin with."""
    with TemporaryDirectory() as scratch, _environment(engine) as environment:
        place = Place(
            Path(scratch) / "var", {"CHANCERY_APPROVAL_HOURS": FIFTY_YEARS, **environment}
        )
        place.var.mkdir()
        if database:
            (place.var / "chancery.sqlite3").write_bytes(database.read_bytes())
        _run(place, "migrate", "-v0")
        found = json.loads(place.ask(POPULATE).splitlines()[-1])
        if empty := [table for table, count in found["rows"].items() if not count]:
            raise RuntimeError(f"nothing is in {', '.join(empty)}")
        phrase = Path(scratch) / "passphrase"
        phrase.write_text(PASSPHRASE)
        _run(place, "backup", Path(scratch) / "backup.tar", "--passphrase-file", phrase)
        phrase.unlink()
        _settle(place, Path(scratch))
        _check_names_nobody(Path(scratch))
        pack(made / f"{engine}.tar.xz", Path(scratch))
        (made / f"{engine}.json").write_text(json.dumps(found, indent=1) + "\n")


@contextmanager
def _environment(engine: str) -> Iterator[dict[str, str]]:
    if engine == "sqlite":
        yield {}
        return
    with postgresql_database() as url:
        yield {"DATABASE_URL": url}


def _run(place: Place, *arguments: object) -> None:
    done = place.manage(*arguments)
    if done.returncode:
        raise RuntimeError(f"{arguments[0]}: {done.stderr}")


def _settle(place: Place, scratch: Path) -> None:
    """Leave the database in files, as small as can be."""
    url = place.environment.get("DATABASE_URL")
    if url is None:
        with closing(sqlite3.connect(place.var / "chancery.sqlite3")) as database:
            database.execute("PRAGMA journal_mode = DELETE")
            database.execute("VACUUM")
        return
    command = ["pg_dump", "--no-owner", "--no-privileges", "--dbname", url]
    dump = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    (scratch / "database.sql").write_text(plain_dump(dump))


def _check_names_nobody(scratch: Path) -> None:
    """Raise RuntimeError where a file names a path or a host of this machine."""
    names = ["/tmp/", "/home/", "/root/", str(Path.cwd()), str(scratch)]
    host = socket.gethostname()
    names += [host, f"{host}:{os.getpid()}"] if len(host) > 5 else []
    for path in scratch.rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        for name in names:
            if name.encode() in content:
                where = content.index(name.encode())
                raise RuntimeError(f"{path.name}: {content[max(0, where - 40) : where + 60]!r}")
