"""The exchange folder: where an agent and this server hand each other files, one for each agent.

Every path is walked step by step from the folder's own descriptor and no link is followed, so that
nothing swapped in meanwhile leads outside. A file has all of its bytes from the moment that it has
its name, and a name that is taken stays as it is.
"""

import errno
import fcntl
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings

from agents.errors import ToolError, not_found
from agents.exchange.paths import clean_error, read_path
from inbox.actor import Actor

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Not to wait at a pipe that somebody put there.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_SUCH = {errno.ENOENT, errno.ENOTDIR, errno.EISDIR}
_KIND = "file in the exchange folder"


@dataclass(frozen=True, slots=True)
class ExchangeFile:
    """A file in an exchange folder: its path below it, its size in bytes, and when it came."""

    path: str
    size: int
    modified_at: datetime


def read_file(actor: Actor, path: str, pointer: str = "/path") -> bytes:
    """Return a file's bytes.

    Raises ToolError `invalid_input` for a path that is none, `not_found`, and `too_large`.
    """
    steps = read_path(path, pointer)
    with _opened(actor, fcntl.LOCK_SH) as root, _opened_file(root, steps, pointer) as file:
        _check_size(os.fstat(file).st_size)
        with os.fdopen(os.dup(file), "rb") as reader:
            return reader.read(settings.EXCHANGE_FILE_BYTES)


def find_file(actor: Actor, path: str, pointer: str = "/path") -> ExchangeFile:
    """Return what is known of a file; raises ToolError `invalid_input` and `not_found`."""
    steps = read_path(path, pointer)
    with _opened(actor, fcntl.LOCK_SH) as root, _opened_file(root, steps, pointer) as file:
        return _describe(path, os.fstat(file))


def write_file(actor: Actor, path: str, content: bytes, pointer: str = "/path") -> str:
    """Put bytes under a path that is free and return it; folders on the way are made.

    Raises ToolError `invalid_input`, `conflict` where the path is taken, `too_large`.
    """
    return write_chunks(actor, path, [content], pointer).path


def write_chunks(
    actor: Actor, path: str, chunks: Iterable[bytes], pointer: str = "/path"
) -> ExchangeFile:
    """Do the same with bytes that come in parts."""
    steps = read_path(path, pointer)
    with _opened(actor, fcntl.LOCK_EX) as root:
        room = _room_left(root)
        with _folder_of(root, steps, pointer, make=True) as folder:
            try:
                status = _put(root, folder, steps[-1], _bounded(chunks, room))
            except FileExistsError:
                raise ToolError(
                    "conflict", "The path is taken; nothing is overwritten",
                    {"pointer": pointer, "accepted": "another path, or remove that file first"},
                ) from None  # fmt: skip
    return _describe(path, status)


def list_files(actor: Actor) -> list[ExchangeFile]:
    """Return the files of the actor's folder by path; no more are there than may be kept."""
    with _opened(actor, fcntl.LOCK_SH) as root:
        found = [_describe(path, status) for path, status in _walk(root)]
    return sorted(found, key=lambda file: file.path)


def remove_file(actor: Actor, path: str, pointer: str = "/path") -> None:
    """Remove a file, and the folders that it leaves empty.

    Raises ToolError `invalid_input` and `not_found`.
    """
    steps = read_path(path, pointer)
    with _opened(actor, fcntl.LOCK_EX) as root:
        with _folder_of(root, steps, pointer) as folder:
            _check_plain(folder, steps[-1], pointer)
            os.unlink(steps[-1], dir_fd=folder)
        for depth in range(len(steps) - 1, 0, -1):
            try:
                with _folder_of(root, steps[:depth], pointer) as folder:
                    os.rmdir(steps[depth - 1], dir_fd=folder)
            except OSError:
                break  # not empty


# -- the folder ------------------------------------------------------------------------------------
@contextmanager
def _opened(actor: Actor, lock: int) -> Iterator[int]:
    """Yield the descriptor of the actor's own folder, locked against other writers."""
    base = Path(settings.EXCHANGE_DIR)
    base.mkdir(mode=0o700, parents=True, exist_ok=True)
    outer = os.open(base, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # A number of ours: no name that anybody chose.
        own = _enter(outer, f"{actor.kind}-{actor.id}", make=True)
    finally:
        os.close(outer)
    try:
        fcntl.flock(own, lock)
        yield own
    finally:
        os.close(own)


def _enter(folder: int, name: str, *, make: bool = False) -> int:
    if make:
        with suppress(FileExistsError):
            os.mkdir(name, mode=0o700, dir_fd=folder)
    return os.open(name, _FOLDER, dir_fd=folder)


@contextmanager
def _folder_of(
    root: int, steps: tuple[str, ...], pointer: str, *, make: bool = False
) -> Iterator[int]:
    """Yield the descriptor of the folder that a path's last step stands in."""
    folder = _enter(root, "files", make=True)
    try:
        for step in steps[:-1]:
            inner = _enter_step(folder, step, pointer, make=make)
            os.close(folder)
            folder = inner
        yield folder
    finally:
        os.close(folder)


def _enter_step(folder: int, step: str, pointer: str, *, make: bool) -> int:
    try:
        return _enter(folder, step, make=make)
    except OSError as error:
        if make and error.errno == errno.ENOTDIR:
            raise ToolError(
                "conflict", "A file stands where the path has a folder", {"pointer": pointer}
            ) from None
        raise _refusal(error, pointer) from None


@contextmanager
def _opened_file(root: int, steps: tuple[str, ...], pointer: str) -> Iterator[int]:
    with _folder_of(root, steps, pointer) as folder:
        _check_plain(folder, steps[-1], pointer)
        try:
            file = os.open(steps[-1], _READ, dir_fd=folder)
        except OSError as error:
            raise _refusal(error, pointer) from None
    try:
        # What was looked at by its name may have been swapped: this is what is really open.
        if not _is_plain(os.fstat(file)):
            raise not_found(_KIND, pointer)
        yield file
    finally:
        os.close(file)


def _check_plain(folder: int, name: str, pointer: str) -> None:
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        raise _refusal(error, pointer) from None
    if not _is_plain(status):
        raise not_found(_KIND, pointer)


def _is_plain(status: os.stat_result) -> bool:
    """Return True for a file with one name; links, pipes, devices and folders are none."""
    return stat.S_ISREG(status.st_mode) and status.st_nlink == 1


def _refusal(error: OSError, pointer: str) -> ToolError:
    if error.errno in _NO_SUCH or error.errno == errno.ELOOP:
        return not_found(_KIND, pointer)
    return clean_error(error, pointer)


# -- what it holds ---------------------------------------------------------------------------------
def _put(root: int, folder: int, name: str, chunks: Iterable[bytes]) -> os.stat_result:
    """Gather the bytes beside the files and then give them their name.

    Raises FileExistsError where it is taken.
    """
    incoming = _enter(root, "incoming", make=True)
    part = secrets.token_hex(8)
    try:
        _clear(incoming)
        with os.fdopen(os.open(part, _CREATE, 0o600, dir_fd=incoming), "wb") as file:
            for chunk in chunks:
                file.write(chunk)
        os.link(part, name, src_dir_fd=incoming, dst_dir_fd=folder, follow_symlinks=False)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(part, dir_fd=incoming)
        os.close(incoming)
    return os.stat(name, dir_fd=folder, follow_symlinks=False)


def _clear(incoming: int) -> None:
    """Remove what a process that was killed left half-way; nobody else writes while we do."""
    for left in os.listdir(incoming):
        os.unlink(left, dir_fd=incoming)


def _bounded(chunks: Iterable[bytes], room: int) -> Iterator[bytes]:
    size = 0
    for chunk in chunks:
        size += len(chunk)
        _check_size(size)
        if size > room:
            raise _full(f"at most {settings.EXCHANGE_BYTES} bytes in all")
        yield chunk


def _room_left(root: int) -> int:
    sizes = [status.st_size for _, status in _walk(root)]
    if len(sizes) >= settings.EXCHANGE_FILES:
        raise _full(f"at most {settings.EXCHANGE_FILES} files")
    return int(settings.EXCHANGE_BYTES) - sum(sizes)


def _full(accepted: str) -> ToolError:
    return ToolError("too_large", "The exchange folder is full", {"accepted": accepted})


def _check_size(size: int) -> None:
    limit = settings.EXCHANGE_FILE_BYTES
    if size > limit:
        raise ToolError(
            "too_large", "The file is too large", {"accepted": f"at most {limit} bytes"}
        )


def _walk(root: int) -> Iterator[tuple[str, os.stat_result]]:
    """Yield each plain file's path and status; links are not followed and not listed."""
    _close(_enter(root, "files", make=True))
    for folder, _, names, descriptor in os.fwalk("files", dir_fd=root, follow_symlinks=False):
        for name in names:
            status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            if _is_plain(status):
                yield os.path.relpath(os.path.join(folder, name), "files"), status  # noqa: PTH118


def _close(descriptor: int) -> None:
    os.close(descriptor)


def _describe(path: str, status: os.stat_result) -> ExchangeFile:
    modified = datetime.fromtimestamp(status.st_mtime, tz=UTC)
    return ExchangeFile(path, status.st_size, modified.replace(microsecond=0))
