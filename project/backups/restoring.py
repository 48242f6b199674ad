"""Restores a backup into an empty place; what was about to leave waits for a person again."""

import hashlib
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection

from inbox.operations.sending.after_restore import hold_all_again
from project.backups import databases, keys
from project.backups.archive import (
    DATABASE,
    EXCHANGE,
    KEYS,
    MAIL,
    MEDIA,
    BackupError,
    Manifest,
    hash_of_blob,
    members,
    read_manifest,
)


@dataclass(frozen=True, slots=True)
class Restored:
    """What was put back; `held` messages wait for a person.

    `keys_lack`: what stored passwords were encrypted with is not among the keys here.
    """

    made_at: str
    blobs: int
    files: int
    held: int
    keys_lack: bool


def restore_backup(source: Path, *, passphrase: str = "", keep_keys: bool = False) -> Restored:
    """Put everything back; nobody may work on the place meanwhile.

    The whole file is checked before anything is written. With a passphrase the keys in it are put
    into the data folder, unless `keep_keys`: they are given by the environment. Raises BackupError.
    """
    _check_place()
    try:
        with TemporaryDirectory(dir=_scratch(), prefix=".restore-") as scratch:
            return _restore(source, Path(scratch), passphrase, keep_keys=keep_keys)
    except (OSError, tarfile.TarError, EOFError) as error:
        raise BackupError(f"The backup cannot be restored: {error}") from error


def _scratch() -> Path:
    folder = Path(settings.VAR_DIR)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _check_place() -> None:
    """Raise BackupError where there is anything that a restored set-up would be mixed with."""
    if not databases.is_empty():
        raise BackupError(
            "The database is not empty. Restore into a new one: another CHANCERY_VAR for SQLite, "
            "a fresh database in DATABASE_URL for PostgreSQL."
        )
    for folder in (settings.EXCHANGE_DIR, settings.LOCAL_MAIL_DIR):
        if Path(folder).is_dir() and any(Path(folder).iterdir()):
            raise BackupError(f"{folder} is not empty; restore into another CHANCERY_VAR.")
    if _has_blobs():
        raise BackupError(
            "The storage holds bytes already, perhaps of a restore that broke off: empty it, or "
            "restore into another."
        )


def _has_blobs() -> bool:
    try:
        folders, files = default_storage.listdir("blobs")
    except FileNotFoundError:
        return False
    return bool(folders or files)


def _restore(source: Path, folder: Path, passphrase: str, *, keep_keys: bool) -> Restored:
    manifest, encrypted = check_backup(source, folder)
    opened = keys.decrypt_keys(encrypted, passphrase) if encrypted and passphrase else None
    if passphrase and not encrypted:
        raise BackupError("There are no keys in the backup, which a passphrase would open.")
    databases.check_fits(folder, manifest.columns, manifest.applied)
    blobs, files = _put_files(source)
    why = f"A backup of {manifest.made_at[:16].replace('T', ' ')} UTC was restored."
    with databases.loaded(folder, manifest.columns, manifest.applied):
        held = hold_all_again(why=f"{why} It may have left since then: look before you approve.")
    if opened and not keep_keys:
        keys.put_keys(opened, Path(settings.VAR_DIR))
    has_keys = (opened and not keep_keys) or set(manifest.key_marks) <= set(keys.marks())
    return Restored(manifest.made_at, blobs, files, held, not has_keys)


def check_backup(source: Path, folder: Path) -> tuple[Manifest, bytes]:
    """Read all of it, so that nothing is begun that would end half-way.

    The database's parts come into the folder. Returns what it is of, and the encrypted keys. Raises
    BackupError.
    """
    encrypted, found = b"", dict[str, str]()
    with _opened(source) as tar:
        manifest = read_manifest(tar)
        if manifest.engine != connection.vendor:
            raise BackupError(
                f"The backup is of a database in {manifest.engine}, and this one is in "
                f"{connection.vendor}: set DATABASE_URL accordingly."
            )
        for part, name, content in members(tar):
            if part == DATABASE:
                found[name] = _take(content, folder / Path(name).name)
            elif part == KEYS:
                encrypted = content.read()
            elif part == MEDIA and _digest(content) != hash_of_blob(name):
                raise BackupError(f"The backup is damaged: {name} has other bytes than it should.")
    if found != manifest.parts:
        raise BackupError("The backup is damaged: its database is not what was written.")
    return manifest, encrypted


@contextmanager
def _opened(source: Path) -> Iterator[tarfile.TarFile]:
    with tarfile.open(source, "r:") as tar:
        yield tar


def _take(content: IO[bytes], path: Path) -> str:
    with path.open("xb") as file:
        shutil.copyfileobj(content, file)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _digest(content: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while piece := content.read(2**20):
        digest.update(piece)
    return digest.hexdigest()


def _put_files(source: Path) -> tuple[int, int]:
    folders = {EXCHANGE: Path(settings.EXCHANGE_DIR), MAIL: Path(settings.LOCAL_MAIL_DIR)}
    blobs = files = 0
    with _opened(source) as tar:
        read_manifest(tar)
        for part, name, content in members(tar):
            if part == MEDIA:
                default_storage.save(name, ContentFile(content.read()))
                blobs += 1
            elif part in folders:
                _put(content, folders[part] / name)
                files += 1
    return blobs, files


def _put(content: IO[bytes], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with path.open("xb") as file:
        shutil.copyfileobj(content, file)
    path.chmod(0o600)
