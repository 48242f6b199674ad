"""Where bytes are kept: content-addressed, through Django's storage, whole or not at all."""

import hashlib
import os
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

from django.core.files.base import ContentFile, File
from django.core.files.storage import FileSystemStorage, default_storage
from django.utils.deconstruct import deconstructible


@deconstructible(path="inbox.files.storage.AtomicFileSystemStorage")
class AtomicFileSystemStorage(FileSystemStorage):
    """A folder in which a file has all of its bytes from the moment that it has its name.

    Bytes go to `.….part` beside their place and are then renamed, so that a process killed half-way
    leaves nothing that could be taken for the whole. A file of the same name is replaced.
    """

    def get_available_name(self, name: str, max_length: int | None = None) -> str:  # noqa: ARG002
        """Return the name itself: names come from the content, so a second file is the same."""
        return str(name)

    def put_bytes(self, name: str, content: bytes) -> None:
        """Have these bytes under a name of our own making, which is not looked at again.

        As `save`, for a third of its time. A file that has as many bytes is left as it is.
        """
        path = os.path.join(self.location, *name.split("/"))  # noqa: PTH118 (a Path takes longer)
        # A power cut may leave a file that lost its end; it is then written anew.
        try:
            if os.stat(path).st_size == len(content):  # noqa: PTH116
                return
        except FileNotFoundError:
            pass
        self._write(path, (content,))

    def _save(self, name: str, content: "File[Any]") -> str:
        self._write(self.path(name), content.chunks())
        return name

    def _write(self, path: str, chunks: Iterable[bytes]) -> None:
        folder = os.path.dirname(path)  # noqa: PTH120
        part = f"{folder}{os.sep}.{secrets.token_hex(8)}.part"
        try:
            with self._create(part) as file:
                for chunk in chunks:
                    file.write(chunk)
            os.replace(part, path)  # noqa: PTH105
        except BaseException:
            Path(part).unlink(missing_ok=True)
            raise

    def _create(self, path: str) -> BinaryIO:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        mode = self.file_permissions_mode or 0o600
        try:
            return os.fdopen(os.open(path, flags, mode), "wb")
        except FileNotFoundError:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            return os.fdopen(os.open(path, flags, mode), "wb")


def blob_name(workspace_id: int, sha256: str) -> str:
    """Return the storage path of the bytes with this hash."""
    return f"blobs/{workspace_id}/{sha256[:2]}/{sha256}"


def store_bytes(workspace_id: int, content: bytes) -> str:
    """Put bytes into the storage, once, and return their SHA-256 in hex; makes no row."""
    sha256 = hashlib.sha256(content).hexdigest()
    name = blob_name(workspace_id, sha256)
    if put := getattr(default_storage, "put_bytes", None):
        put(name, content)
    elif not _is_stored(name, len(content)):
        default_storage.save(name, ContentFile(content))
    return sha256


def store_chunks(workspace_id: int, chunks: Iterable[bytes], path: Path) -> tuple[str, int]:
    """Put bytes too many for the memory into the storage; return their SHA-256 and their number.

    They are gathered in a file at `path` first, for the hash that names them; it is removed.
    """
    digest, size = hashlib.sha256(), 0
    try:
        with path.open("xb") as gathered:
            for chunk in chunks:
                digest.update(chunk)
                size += gathered.write(chunk)
        name = blob_name(workspace_id, digest.hexdigest())
        if not _is_stored(name, size):
            with path.open("rb") as gathered:
                default_storage.save(name, File(gathered))
    finally:
        path.unlink(missing_ok=True)
    return digest.hexdigest(), size


def _is_stored(name: str, size: int) -> bool:
    # A power cut may leave a file that lost its end; it is then written anew.
    try:
        return default_storage.size(name) == size
    except FileNotFoundError:
        return False


def check_storage() -> None:
    """Write a few bytes, read them and remove them; raises what the storage raises.

    Raises OSError where they come back otherwise.
    """
    content = secrets.token_bytes(16)
    name = default_storage.save(f"probes/{content.hex()}", ContentFile(content))
    try:
        with default_storage.open(name) as file:
            if file.read() != content:
                raise OSError("the storage gives back other bytes than it took")
    finally:
        default_storage.delete(name)


def sync_to_disk(path: Path, *, bytes_only: bool = False) -> None:
    """Have a file's bytes, or the names in a folder, survive a loss of power.

    With `bytes_only` the time of a file's change may be lost, which need not wait for what others
    do to the file system (`fdatasync(2)`, where there is one).
    """
    sync = getattr(os, "fdatasync", os.fsync) if bytes_only else os.fsync
    descriptor = os.open(path, os.O_RDONLY)
    try:
        sync(descriptor)
    finally:
        os.close(descriptor)
