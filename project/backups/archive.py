"""The file that a backup is: members by name, checked when they are read."""

import io
import json
import os
import re
import secrets
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Any

from project.schema.shape import Key

FORMAT = 1
MANIFEST = "manifest.json"
KEYS = "keys.json"
DATABASE, MEDIA, EXCHANGE, MAIL = "database", "media", "exchange", "mail"
# The names of stored bytes, which are those of `inbox.files.storage.blob_name`.
_BLOB = re.compile(r"blobs/[0-9]{1,19}/[0-9a-f]{2}/([0-9a-f]{64})")
_LARGEST_MANIFEST = 2**20


class BackupError(Exception):
    """A backup cannot be made or restored; the words say why and what to do."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup is of: the engine of the database and its parts, each with its SHA-256.

    `key_marks` tell the keys for credentials apart without giving them away.
    """

    made_at: str
    engine: str
    migrations: list[str]
    parts: dict[str, str]
    key_marks: list[str]
    has_keys: bool
    format: int = FORMAT
    columns: dict[str, list[str]] = field(default_factory=dict)

    @property
    def applied(self) -> set[Key]:
        """The migrations as (app, name)."""
        parts = (each.partition(".") for each in self.migrations)
        return {(app, name) for app, _, name in parts}


@contextmanager
def new_archive(destination: Path) -> Iterator[tarfile.TarFile]:
    """Open a file to be written, for its owner only; it has its name once it is whole.

    Raises BackupError where there is such a file already.
    """
    if destination.exists():
        raise BackupError(f"{destination} is there already; name another file.")
    part = destination.with_name(f".{destination.name}.{secrets.token_hex(4)}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar:
                yield tar
            file.flush()
            os.fsync(file.fileno())
        part.rename(destination)
    finally:
        part.unlink(missing_ok=True)


def add_bytes(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    """Add a member."""
    member = tarfile.TarInfo(name)
    member.size, member.mode = len(content), 0o600
    tar.addfile(member, io.BytesIO(content))


def add_manifest(tar: tarfile.TarFile, manifest: Manifest) -> None:
    """Add what the archive is of; the first member."""
    add_bytes(tar, MANIFEST, json.dumps(asdict(manifest), indent=1).encode())


def read_manifest(tar: tarfile.TarFile) -> Manifest:
    """Return what an archive is of; raises BackupError where it is none that we can read."""
    first = tar.next()
    if first is None or first.name != MANIFEST or first.size > _LARGEST_MANIFEST:
        raise BackupError("The file is no backup: it does not begin with a manifest.")
    found: dict[str, Any] = json.loads(_content(tar, first).read())
    if found.get("format") != FORMAT:
        words = f"It is of format {found.get('format')}, and this version reads {FORMAT}."
        raise BackupError(f"{words} Restore it with the version that made it.")
    return Manifest(**found)


def members(tar: tarfile.TarFile) -> Iterator[tuple[str, str, IO[bytes]]]:
    """Yield each member after the manifest: its part, its name in it, and its content.

    Raises BackupError for one that has no business there: a link, a path that leads elsewhere.
    """
    while (member := tar.next()) is not None:
        part, _, name = member.name.partition("/")
        if not member.isfile() or not _is_fit(part, name):
            raise BackupError(f"The file holds {member.name[:200]!r}, which no backup does.")
        yield part, name, _content(tar, member)
        forget_members(tar)


def forget_members(tar: Any) -> None:
    """Have an archive forget what it has seen, of which it keeps a list: it may be millions."""
    tar.members.clear()


def hash_of_blob(name: str) -> str:
    """Return the SHA-256 that stored bytes of this name must have."""
    found = _BLOB.fullmatch(name)
    return found[1] if found else ""


def _is_fit(part: str, name: str) -> bool:
    if part == MEDIA:
        return bool(hash_of_blob(name))
    if part in {EXCHANGE, MAIL, DATABASE}:
        path = PurePosixPath(name)
        plain = not path.is_absolute() and ".." not in path.parts and "\0" not in name
        return bool(name) and plain
    return part == KEYS and not name


def _content(tar: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    content = tar.extractfile(member)
    if content is None:
        raise BackupError(f"The file's {member.name[:200]!r} cannot be read.")
    return content
