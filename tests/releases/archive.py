"""What is kept of a release, for its updates to be tried on: `tests/releases/VERSION/`.

`ENGINE.tar.xz` has the folder of an installation under `var/`, with keys that are used nowhere else,
and the same as a backup in `backup.tar`; of PostgreSQL the database in `database.sql`. What a later
version must find again stands in `ENGINE.json`, and `migrations.sha256` has every migration.
"""

import hashlib
import io
import json
import lzma
import re
import tarfile
from pathlib import Path
from typing import Any

import psycopg

from project.settings import BASE_DIR

FOLDER = Path(__file__).resolve().parent
SUMS = "migrations.sha256"
_SQUASHED = re.compile(r"\b0001_squashed_")
_COPY = re.compile(r"COPY .* FROM stdin;\n")
# Settings of a newer pg_dump that an older server does not know, and words to its own shell.
_NOT_FOR_ALL = re.compile(r"SET transaction_timeout|\\(?:un)?restrict\b|--")


def parse_version(version: str) -> list[int]:
    """Return the numbers of a version; raises ValueError where it is not like 0.2.0."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise ValueError(f"{version!r} is no version: three numbers are, such as 0.2.0")
    return [int(part) for part in version.split(".")]


def releases(folder: Path = FOLDER) -> list[Path]:
    """Return the folders of the releases, the oldest first."""
    found = [path for path in folder.glob("[0-9]*.*.*") if path.is_dir()]
    return sorted(found, key=lambda path: parse_version(path.name))


def pack(archive: Path, folder: Path) -> None:
    """Write a folder's files into an archive, which says nothing of who made it, when and where."""
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                member = tarfile.TarInfo(path.relative_to(folder).as_posix())
                member.size, member.mode = path.stat().st_size, 0o600
                with path.open("rb") as file:
                    tar.addfile(member, file)
    archive.write_bytes(lzma.compress(whole.getvalue(), preset=9 | lzma.PRESET_EXTREME))


def unpack(archive: Path, folder: Path) -> None:
    """Put the files of an archive into a folder."""
    with tarfile.open(archive, "r:xz") as tar:
        for member in tar:
            path = folder / member.name
            content = tar.extractfile(member)
            if content is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.read())
                path.chmod(member.mode)


def expected(release: Path, engine: str) -> dict[str, Any]:
    """Return what a later version must find in the database of a release."""
    found: dict[str, Any] = json.loads((release / f"{engine}.json").read_text())
    return found


def plain_dump(dump: str) -> str:
    """Return what pg_dump wrote, without what only its own version and shell understand."""
    lines, is_copy = [], False
    for line in dump.splitlines(keepends=True):
        is_copy = is_copy or bool(_COPY.fullmatch(line))
        if is_copy or not _NOT_FOR_ALL.match(line):
            lines.append(line)
        is_copy = is_copy and line != "\\.\n"
    return "".join(lines)


def restore_dump(dump: str, url: str) -> None:
    """Run such a dump in an empty database; no program of PostgreSQL is needed."""
    with psycopg.connect(url) as database, database.cursor() as cursor:
        statements: list[str] = []
        lines = iter(dump.splitlines(keepends=True))
        for line in lines:
            if not _COPY.fullmatch(line):
                statements.append(line)
                continue
            cursor.execute("".join(statements))
            statements = []
            with cursor.copy(line.rstrip(";\n")) as copy:
                while (row := next(lines)) != "\\.\n":
                    copy.write(row)
        cursor.execute("".join(statements))


# -- frozen migrations -----------------------------------------------------------------------------
def sums(root: Path = Path(BASE_DIR)) -> dict[str, str]:
    """Return the SHA-256 of each migration by its path, such as `inbox/migrations/0001_initial.py`."""
    files = sorted(root.glob("*/migrations/[0-9]*.py"))
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def write_sums(release: Path, root: Path = Path(BASE_DIR)) -> None:
    """Write them as `sha256sum` does."""
    lines = (f"{digest}  {path}\n" for path, digest in sums(root).items())
    (release / SUMS).write_text("".join(lines))


def _last_step(path: str) -> str:
    """Return the path of the last of those that a squashed migration stands for, else the same."""
    return _SQUASHED.sub("", path)


def broken_promises(folder: Path = FOLDER, root: Path = Path(BASE_DIR)) -> list[str]:
    """Return in English what was done to migrations that releases have; nothing where none has any.

    A released one stays byte for byte, and what is new of its application comes after it.
    """
    now, said = sums(root), []
    for release in releases(folder):
        lines = (release / SUMS).read_text().splitlines()
        frozen = {path: digest for digest, path in (line.split("  ") for line in lines)}
        for path, digest in frozen.items():
            if path not in now:
                said.append(f"{path} of {release.name} is gone")
            elif now[path] != digest:
                said.append(f"{path} of {release.name} was changed")
        for path in sorted(now.keys() - frozen.keys()):
            app = path.partition("/")[0]
            last = max((one for one in frozen if one.startswith(f"{app}/")), default="")
            if _last_step(path) < last:
                said.append(f"{path} comes before {last} of {release.name}")
    return said
