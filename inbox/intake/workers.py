"""Reading the messages of an import or a mirror, in worker processes where there are many.

The workers know no database: they read, parse, put bytes into the storage and hand over what is to
be written. This module must be importable without the models.
"""

import contextlib
import hashlib
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias
from uuid import uuid4

from django.conf import settings

from inbox.files.storage import store_bytes, store_chunks
from inbox.intake.garbage import collected_seldom
from inbox.intake.held_items import HeldItem
from inbox.intake.pools import SPARES, start_pool
from inbox.intake.prepared import Delivery, Prepared, Recipient
from inbox.intake.preparing import prepare_parsed
from inbox.intake.source_files import not_read
from inbox.intake.sources import SourceItem, looks_like_mail
from inbox.reasons import ReasonText
from inbox.reasons import phrase as _
from inbox.rfc5322.parse import parse_message
from inbox.rfc5322.parsed import ParsedMessage

# A message above this is kept whole, but only its head is read.
LARGEST_READ = 100 * 1024 * 1024
HEAD_OF_LARGE = 1024 * 1024
_CHUNK_ITEMS, _CHUNK_BYTES = 32, 4 * 1024 * 1024
# How far each process reads ahead: so far that it has enough to do while a batch is stored.
_CHUNKS_AHEAD, _BYTES_AHEAD = 16, 16 * 1024 * 1024
# Anomalies which say that something of a message is missing from its row, in words.
LOSSES = {
    "too_deep": _("is nested too deeply; deeper parts were not read"),
    "too_many_parts": _("has too many parts; the rest was not read"),
    "long_text": _("has a very long text; only the beginning was read"),
    "many_recipients": _("names 20,000 recipients or more; only the first were read"),
    "unreadable": _("could not be read; its source is kept"),
    "too_large": _("is too large; only the beginning was read"),
}
_NO_PROBLEM = ReasonText()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one item: `prepared`, or known, or a problem; a problem may come with both.

    `stored` is the SHA-256 and size of bytes that were kept although no message came of them.
    """

    name: str
    prepared: Prepared | None = None
    known: bool = False
    problem: ReasonText = _NO_PROBLEM
    stored: tuple[str, int] | None = None


def weight_of(outcome: Outcome) -> int:
    """Return how many characters are to be written and indexed, for `fairness.in_shares`."""
    if outcome.prepared is None:
        return 0
    columns = outcome.prepared.columns
    return len(columns["text"]) + len(columns["html"])


@dataclass(frozen=True, slots=True)
class ReaderContext:
    """What a reader needs beside the items: for whom, and the hashes of what is stored already."""

    recipient: Recipient
    known: frozenset[bytes]


Item: TypeAlias = SourceItem | HeldItem
Chunk: TypeAlias = tuple[Item, ...]


# -- one item --------------------------------------------------------------------------------------
def read_item(item: Item, desk: ReaderContext) -> Outcome:
    """Read, parse and keep one message; raises OSError only where the storage takes no more."""
    if item.problem:
        return Outcome(item.name, problem=item.problem)
    if item.size > LARGEST_READ:
        return _read_large(item, desk)
    try:
        raw = item.raw
    except OSError as error:
        return Outcome(item.name, problem=not_read(error))
    if not raw.strip():
        return Outcome(item.name, problem=_("is empty"))
    if hashlib.sha256(raw).digest() in desk.known:
        return Outcome(item.name, known=True)
    if not item.certain and not looks_like_mail(raw[:4096]):
        return Outcome(item.name, problem=_("is not mail"))
    stored = (store_bytes(desk.recipient.workspace_id, raw), len(raw))
    return _prepare(item, desk, _parse(raw), stored)


def _read_large(item: Item, desk: ReaderContext) -> Outcome:
    part = Path(settings.MEDIA_ROOT, f".{uuid4().hex}.part")
    part.parent.mkdir(parents=True, exist_ok=True)
    head = item.head(HEAD_OF_LARGE)
    if not item.certain and not looks_like_mail(head):
        return Outcome(item.name, problem=_("is not mail"))
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


def _prepare(
    item: Item, desk: ReaderContext, parsed: ParsedMessage, stored: tuple[str, int]
) -> Outcome:
    prepared = prepare_parsed(parsed, stored, desk.recipient, _delivery(item))
    losses = [LOSSES[code] for code in parsed.anomalies if code in LOSSES]
    problem = _("%(losses)s", losses=losses) if losses else _NO_PROBLEM
    return Outcome(item.name, prepared, problem=problem)


def _delivery(item: Item) -> Delivery:
    if isinstance(item, HeldItem):
        return item.delivery
    return Delivery(fallback_at=item.received_at, keywords=item.keywords, place=item.place)


# -- many items ------------------------------------------------------------------------------------
def read_items(items: Iterable[Item], desk: ReaderContext, *, processes: int) -> Iterator[Outcome]:
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


def _bytes_of(chunk: Chunk) -> int:
    return sum(item.size for item in chunk)


class Readers:
    """Worker processes that read items, some chunks ahead of who asks; with one, none are made.

    They start with the first items and may be given more, until they are closed.
    """

    def __init__(self, desk: ReaderContext, processes: int) -> None:
        self.desk = desk
        self._processes = processes
        self._executor: ProcessPoolExecutor | None = None
        self._waiting: deque[tuple[Chunk, Future[list[Outcome]]]] = deque()
        # The bytes of what waits.
        self._ahead = 0

    def read(self, items: Iterable[Item]) -> Iterator[Outcome]:
        """Yield what became of each item, in order."""
        if self._processes < 2:
            for item in items:
                yield read_item(item, self.desk)
            return
        if self._waiting:
            # Of a reading that was given up.
            self._break()
        with collected_seldom():
            for chunk in _chunks(items):
                self._waiting.append((chunk, self._submit(chunk)))
                self._ahead += _bytes_of(chunk)
                while self._is_enough():
                    yield from self._first()
            while self._waiting:
                yield from self._first()

    def close(self) -> None:
        """Let go of the processes; what they have not begun is left."""
        if self._waiting or self.desk.known:
            self._break()
        elif self._executor is not None:
            SPARES.give_back(self._executor, self._processes)
            self._executor = None

    def _is_enough(self) -> bool:
        if len(self._waiting) < self._processes * 4:
            return False
        return (
            len(self._waiting) >= self._processes * _CHUNKS_AHEAD
            or self._ahead >= self._processes * _BYTES_AHEAD
        )

    def _submit(self, chunk: Chunk) -> Future[list[Outcome]]:
        if self._executor is None:
            is_usual = not self.desk.known
            self._executor = SPARES.take(self._processes) if is_usual else self._start()
        try:
            return self._executor.submit(_read_chunk, chunk, self.desk.recipient)
        except BrokenProcessPool:
            self._executor = self._start()
            return self._executor.submit(_read_chunk, chunk, self.desk.recipient)

    def _start(self) -> ProcessPoolExecutor:
        return start_pool(self._processes, _know, self.desk.known)

    def _first(self) -> list[Outcome]:
        chunk, future = self._waiting.popleft()
        self._ahead -= _bytes_of(chunk)
        try:
            return future.result()
        except BrokenProcessPool:
            later = [chunk for chunk, _ in self._waiting]
            self._break()
            outcomes = [*self._read_one_by_one(chunk)]
            self._waiting.extend((each, self._submit(each)) for each in later)
            self._ahead = sum(map(_bytes_of, later))
            return outcomes

    def _break(self) -> None:
        """Let go of processes one of which was killed, or whose work nobody wants."""
        executor, self._executor = self._executor, None
        self._waiting.clear()
        self._ahead = 0
        if executor is not None:
            executor.shutdown(wait=True, cancel_futures=True)

    def _read_one_by_one(self, chunk: Chunk) -> Iterator[Outcome]:
        """Read items in a process that reads one at a time, for one of them killed the last.

        Which one that is shows where it is the first that a new process reads.
        """
        items = deque(chunk)
        while items:
            with start_pool(1, _know, self.desk.known) as executor:
                yield from self._read_while_it_lives(executor, items)

    def _read_while_it_lives(
        self, executor: ProcessPoolExecutor, items: deque[Item]
    ) -> Iterator[Outcome]:
        left = len(items)
        try:
            while items:
                yield executor.submit(_read_chunk, (items[0],), self.desk.recipient).result()[0]
                items.popleft()
        except BrokenProcessPool:
            if len(items) == left:
                yield self._leave_unread(items.popleft())

    def _leave_unread(self, item: Item) -> Outcome:
        raw = item.raw
        stored = (store_bytes(self.desk.recipient.workspace_id, raw), len(raw))
        return _prepare(item, self.desk, _unreadable(raw), stored)


# The hashes that a worker process passes over.
_known: frozenset[bytes] = frozenset()


def _know(known: frozenset[bytes]) -> None:
    global _known  # noqa: PLW0603
    _known = known


def _read_chunk(chunk: Chunk, recipient: Recipient) -> list[Outcome]:
    desk = ReaderContext(recipient, _known)
    return [read_item(item, desk) for item in chunk]
