"""The words of a PDF, by `pypdf` in a process of its own, bounded in time and memory. No Django.

A file may be made to take for ever or all of the memory; then the process ends, and nothing else.
What it had read until then is kept.
"""

import hashlib
import subprocess
import sys
import threading
from collections import OrderedDict
from pathlib import Path
from typing import Protocol

from inbox.background.shared_files import SharedPlaces
from inbox.files.columns import in_cells
from inbox.files.words import FileWords

MARK = b"%PDF-"
LARGEST = 16 * 2**20
_MOST_PAGES = 60
_MEMORY, _SECONDS, _WAIT = 640 * 2**20, 6, 20.0
_PROGRAM = Path(__file__).with_name("pdf_process.py")
# By how the process ends; by a signal it ends where its time was over.
_REASONS = {0: "", 3: "encrypted", 4: "damaged", 5: "too_large"}
# So many processes at once, and so many answers are kept: a page is drawn again, and checked.
MOST_AT_ONCE, _MOST_KEPT = 2, 16
_kept: OrderedDict[tuple[bytes, str], FileWords] = OrderedDict()
_keeping = threading.Lock()


class Places(Protocol):
    """Who has a place may start a process."""

    def acquire(self, *, timeout: float) -> bool:
        """Wait for one so long; return whether it came."""

    def release(self) -> None:
        """Give it back."""


class _AtOnce:
    """How many processes run at once: of this one, or of all that share a file."""

    def __init__(self) -> None:
        self.places: Places = threading.BoundedSemaphore(MOST_AT_ONCE)

    def share(self, path: Path) -> None:
        """Have no more than MOST_AT_ONCE in all processes that share this file."""
        self.places = SharedPlaces(path, MOST_AT_ONCE)


AT_ONCE = _AtOnce()


def pdf_words(content: bytes, most: int, *, cells: bool = False) -> FileWords:
    """Return the words of the pages, at most so many characters; never raises.

    With `cells` each line of a page is one line, what stands apart in it parted by ` | `.
    """
    if len(content) > LARGEST:
        return FileWords("", "too_large")
    mode = "layout" if cells else "plain"
    key = (hashlib.sha256(content).digest(), mode)
    with _keeping:
        if (found := _kept.get(key)) is not None:
            _kept.move_to_end(key)
            return found
    found = _read(content, mode, most)
    with _keeping:
        _kept[key] = found
        while len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    return found


def _read(content: bytes, mode: str, most: int) -> FileWords:
    places = AT_ONCE.places
    if not places.acquire(timeout=_WAIT):
        return FileWords("", "too_slow")
    try:
        written, code = _run(content, mode, most)
    except OSError:
        return FileWords("", "too_slow")
    finally:
        places.release()
    text = written.decode("utf-8", "ignore").strip("\n")
    reason = _REASONS.get(code, "too_slow" if code < 0 else "damaged")
    if not text.strip():
        return FileWords("", reason or "no_words")
    return FileWords(in_cells(text) if mode == "layout" else text, reason)


def _run(content: bytes, mode: str, most: int) -> tuple[bytes, int]:
    """Return what the process wrote, and its exit code; less than 0 where it was ended."""
    limits = (str(one) for one in (_MEMORY, _SECONDS, _MOST_PAGES, most))
    command = [sys.executable, "-I", str(_PROGRAM), mode, *limits]
    try:
        done = subprocess.run(  # noqa: S603 (our own program, and no word of the file)
            command, input=content, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            timeout=_WAIT, env={}, cwd="/", check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as late:
        return late.stdout or b"", -1
    return done.stdout, done.returncode
