"""Reading the messages of an import or a mirror, in worker processes where there are many.

The workers know no database: they read, parse, put bytes into the storage and hand over what is to
be written. This module must be importable without the models.
"""

import contextlib
import hashlib
import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias
from uuid import uuid4

from django.conf import settings

from inbox.intake.held_items import HeldItem
from inbox.intake.preparing import Delivery, Prepared, Recipient, prepare_parsed
from inbox.intake.sources import SourceItem, looks_like_mail
from inbox.rfc5322.parse import parse_message
from inbox.rfc5322.parsed import ParsedMessage
from inbox.storage import store_bytes, store_chunks

# A message above this is kept whole, but only its head is read.
LARGEST_READ = 100 * 1024 * 1024
HEAD_OF_LARGE = 1024 * 1024
_CHUNK_ITEMS, _CHUNK_BYTES = 32, 4 * 1024 * 1024
# How far each process reads ahead: so far that it has enough to do while a batch is stored.
_CHUNKS_AHEAD, _BYTES_AHEAD = 16, 16 * 1024 * 1024
# Anomalies which say that something of a message is missing from its row, in words.
LOSSES = {
    "too_deep": "is nested too deeply; what lies deeper was not read",
    "too_many_parts": "has too many parts; the rest was not read",
    "long_text": "has a very long text; only its beginning was read",
    "many_recipients": "names 20,000 recipients or more; no more than these were read",
    "unreadable": "could not be read; its bytes are kept",
    "too_large": "is too large; only its beginning was read",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one item: `prepared`, or known, or a problem; a problem may come with both.

    `stored` is the SHA-256 and size of bytes that were kept although no message came of them.
    """

    name: str
    prepared: Prepared | None = None
    known: bool = False
    problem: str = ""
    stored: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Desk:
    """What a reader needs beside the items: for whom, and the hashes of what is stored already."""

    recipient: Recipient
    known: frozenset[bytes]


Item: TypeAlias = SourceItem | HeldItem
Chunk: TypeAlias = tuple[Item, ...]


# -- one item --------------------------------------------------------------------------------------
def read_item(item: Item, desk: Desk) -> Outcome:
    """Read, parse and keep one message; raises OSError only where the storage takes no more."""
    if item.problem:
        return Outcome(item.name, problem=item.problem)
    if item.size > LARGEST_READ:
        return _read_large(item, desk)
    try:
        raw = item.raw
    except OSError as error:
        return Outcome(item.name, problem=f"cannot be read: {error.strerror or error}")
    if not raw.strip():
        return Outcome(item.name, problem="is empty")
    if hashlib.sha256(raw).digest() in desk.known:
        return Outcome(item.name, known=True)
    if not item.certain and not looks_like_mail(raw[:4096]):
        return Outcome(item.name, problem="is not mail")
    stored = (store_bytes(desk.recipient.workspace_id, raw), len(raw))
    return _prepare(item, desk, _parse(raw), stored)


def _read_large(item: Item, desk: Desk) -> Outcome:
    part = Path(settings.MEDIA_ROOT, f".{uuid4().hex}.part")
    part.parent.mkdir(parents=True, exist_ok=True)
    head = item.head(HEAD_OF_LARGE)
    if not item.certain and not looks_like_mail(head):
        return Outcome(item.name, problem="is not mail")
    stored = store_chunks(desk.recipient.workspace_id, item.chunks(), part)
    if bytes.fromhex(stored[0]) in desk.known:
        return Outcome(item.name, known=True)
    parsed = _parse(head)
    marked = replace(parsed, anomalies=(*parsed.anomalies, "too_large"))
    return _prepare(item, desk, marked, stored)


def _parse(raw: bytes) -> ParsedMessage:
    """Parse a message; whatever it does to the parser, what comes of it is a message."""
    try:
        parsed = parse_message(raw)
    except Exception:  # noqa: BLE001
        return _unreadable(raw)
    return _unreadable(raw) if "unreadable" in parsed.anomalies else parsed


def _unreadable(raw: bytes) -> ParsedMessage:
    parsed = parse_message(b"")
    text = raw[:HEAD_OF_LARGE].decode("utf-8", "replace")
    return replace(parsed, text=text, new_text=text, anomalies=(*parsed.anomalies, "unreadable"))


def _prepare(item: Item, desk: Desk, parsed: ParsedMessage, stored: tuple[str, int]) -> Outcome:
    prepared = prepare_parsed(parsed, stored, desk.recipient, _delivery(item))
    losses = [LOSSES[code] for code in parsed.anomalies if code in LOSSES]
    return Outcome(item.name, prepared, problem="; ".join(losses))


def _delivery(item: Item) -> Delivery:
    if isinstance(item, HeldItem):
        return item.delivery
    return Delivery(fallback_at=item.received_at, keywords=item.keywords, place=item.place)


# -- many items ------------------------------------------------------------------------------------
def read_items(items: Iterable[Item], desk: Desk, *, processes: int) -> Iterator[Outcome]:
    """Yield what became of each item, in order; with more than one process, read ahead of it."""
    with contextlib.closing(Readers(desk, processes)) as readers:
        yield from readers.read(items)


def _chunks(items: Iterable[Item]) -> Iterator[Chunk]:
    chunk: list[Item] = []
    size = 0
    for item in items:
        chunk.append(item)
        size += item.size
        if len(chunk) >= _CHUNK_ITEMS or size >= _CHUNK_BYTES:
            yield tuple(chunk)
            chunk, size = [], 0
    if chunk:
        yield tuple(chunk)


class Readers:
    """Worker processes that read items, some chunks ahead of who asks; with one, none are made.

    They start with the first items and may be given more, until they are closed.
    """

    def __init__(self, desk: Desk, processes: int) -> None:
        self.desk = desk
        self._processes = processes
        self._executor: ProcessPoolExecutor | None = None

    def read(self, items: Iterable[Item]) -> Iterator[Outcome]:
        """Yield what became of each item, in order."""
        if self._processes < 2:
            for item in items:
                yield read_item(item, self.desk)
            return
        waiting: deque[tuple[Chunk, Future[list[Outcome]]]] = deque()
        for chunk in _chunks(items):
            waiting.append((chunk, self._submit(chunk)))
            while self._is_enough(waiting):
                yield from self._first(waiting)
        while waiting:
            yield from self._first(waiting)

    def close(self) -> None:
        """End the processes; what they have not begun is left."""
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)
            self._executor = None

    def _is_enough(self, waiting: Collection[tuple[Chunk, Future[list[Outcome]]]]) -> bool:
        if len(waiting) < self._processes * 4:
            return False
        ahead = sum(item.size for chunk, _ in waiting for item in chunk)
        return (
            len(waiting) >= self._processes * _CHUNKS_AHEAD
            or ahead >= self._processes * _BYTES_AHEAD
        )

    def _submit(self, chunk: Chunk) -> Future[list[Outcome]]:
        if self._executor is None:
            self._executor = self._start(self._processes)
        return self._executor.submit(_read_chunk, chunk)

    def _first(self, waiting: deque[tuple[Chunk, Future[list[Outcome]]]]) -> list[Outcome]:
        chunk, future = waiting.popleft()
        try:
            return future.result()
        except BrokenProcessPool:
            self.close()
            outcomes = [self._read_alone(item) for item in chunk]
            again = [(later, self._submit(later)) for later, _ in waiting]
            waiting.clear()
            waiting.extend(again)
            return outcomes

    def _read_alone(self, item: Item) -> Outcome:
        """Read an item in a process of its own, for one of its chunk killed the last."""
        with self._start(1) as executor:
            try:
                return executor.submit(_read_chunk, (item,)).result()[0]
            except BrokenProcessPool:
                raw = item.raw
                stored = (store_bytes(self.desk.recipient.workspace_id, raw), len(raw))
                return _prepare(item, self.desk, _unreadable(raw), stored)

    def _start(self, processes: int) -> ProcessPoolExecutor:
        # Forking is fastest, but a fork of a process with threads may hang.
        can_fork = sys.platform == "linux" and threading.active_count() == 1
        return ProcessPoolExecutor(
            processes,
            mp_context=multiprocessing.get_context("fork" if can_fork else "spawn"),
            initializer=_start_worker,
            initargs=(self.desk,),
        )


_desk: Desk | None = None


def _start_worker(desk: Desk) -> None:
    global _desk  # noqa: PLW0603
    _desk = desk
    # Ctrl-C is for the process that writes; it ends the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this worker when its parent was killed; it would wait for work forever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def _read_chunk(chunk: Chunk) -> list[Outcome]:
    if _desk is None:
        raise RuntimeError("a worker was not started by _start_worker")
    return [read_item(item, _desk) for item in chunk]
