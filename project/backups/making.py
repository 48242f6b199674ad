"""Makes a backup: the database as of one moment, then every byte that its rows speak of."""

import hashlib
import tarfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import connection
from django.utils import timezone

from project.backups import databases, keys
from project.backups.archive import (
    DATABASE,
    EXCHANGE,
    KEYS,
    MAIL,
    MEDIA,
    BackupError,
    Manifest,
    add_bytes,
    add_manifest,
    forget_members,
    new_archive,
)


@dataclass(frozen=True, slots=True)
class BackupContents:
    """What went into a backup; `missing` are stored bytes that the storage has lost."""

    blobs: int
    files: int
    missing: tuple[str, ...]
    has_keys: bool


def make_backup(destination: Path, *, passphrase: str = "") -> BackupContents:
    """Write everything into one file, while others go on working; with a passphrase the keys too.

    The database comes first: stored bytes are written before the rows that speak of them, and stay.
    Raises BackupError.
    """
    if databases.is_empty():
        raise BackupError("There is nothing to back up: the database has no tables.")
    try:
        with TemporaryDirectory(dir=destination.parent, prefix=".backup-") as scratch:
            return _make(destination, Path(scratch), passphrase)
    except OSError as error:
        raise BackupError(f"The backup cannot be written: {error}") from error


def _make(destination: Path, folder: Path, passphrase: str) -> BackupContents:
    migrations = databases.applied_migrations()
    columns, blobs = databases.dump(folder)
    parts = {path.name: _sha256(path) for path in sorted(folder.iterdir())}
    with new_archive(destination) as tar:
        manifest = Manifest(
            made_at=timezone.now().isoformat(), engine=connection.vendor, migrations=migrations,
            parts=parts, key_marks=keys.marks(), has_keys=bool(passphrase), columns=columns,
        )  # fmt: skip
        add_manifest(tar, manifest)
        for name in parts:
            tar.add(folder / name, f"{DATABASE}/{name}", recursive=False)
        if passphrase:
            add_bytes(tar, KEYS, keys.encrypt_keys(passphrase))
        stored, missing = _add_blobs(tar, blobs)
        files = _add_folder(tar, EXCHANGE, Path(settings.EXCHANGE_DIR))
        files += _add_folder(tar, MAIL, Path(settings.LOCAL_MAIL_DIR))
        return BackupContents(stored, files, missing, bool(passphrase))


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _add_blobs(tar: tarfile.TarFile, names: Iterable[str]) -> tuple[int, tuple[str, ...]]:
    added, missing = 0, []
    for name in names:
        try:
            with default_storage.open(name) as file:
                content = file.read()
        except FileNotFoundError:
            missing.append(name)
            continue
        add_bytes(tar, f"{MEDIA}/{name}", content)
        added += 1
        forget_members(tar)
    return added, tuple(missing)


def _add_folder(tar: tarfile.TarFile, part: str, folder: Path) -> int:
    added = 0
    for path in sorted(folder.rglob("*")):
        # What is being written, or is gone by now, is not there yet or any more.
        with suppress(FileNotFoundError):
            if path.is_file() and not path.is_symlink():
                add_bytes(tar, f"{part}/{path.relative_to(folder).as_posix()}", path.read_bytes())
                added += 1
    return added
