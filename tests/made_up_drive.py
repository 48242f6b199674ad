"""A made-up drive whose ids stay through moves, as those of Google Drive and OneDrive do.

What changed is told of each item once, of a folder that moved or went only the folder itself, and a
few at a time. Names are told apart by case; a folder is removed with all in it, into a bin.
"""

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Self

from inbox.providers.change_store import (
    Applied,
    Changes,
    Collection,
    Entry,
    Item,
    ItemChangedError,
    Move,
    Put,
    Remove,
)
from inbox.providers.declaration import Declaration
from inbox.providers.mail_store import StoreError
from inbox.reasons import own

_PAGE = 5


@dataclass
class Node:
    """A file, or a folder without content."""

    name: str
    parent: str
    content: bytes | None
    revision: int = 1


@dataclass
class Drive:
    """What lies in the drive, and its log of ids that changed."""

    nodes: dict[str, Node] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    bin: list[bytes] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    applied: list[object] = field(default_factory=list)
    # Contents that it fails at, always, as servers do that have a fault of their own.
    fails_at: set[bytes] = field(default_factory=set)
    # With this chance an answer is lost, after what was asked for was done.
    loses: float = 0.0
    chance: random.Random = field(default_factory=random.Random)
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    # -- as any client -----------------------------------------------------------------------------
    def make(self, path: str, content: bytes | None) -> str:
        """Make a file, or a folder; the folder above is there."""
        above, _, name = path.rpartition("/")
        return self.add(self.at(above) if above else "", name, content)

    def add(self, parent: str, name: str, content: bytes | None) -> str:
        key = f"id{next(self.numbers)}"
        self.nodes[key] = Node(name, parent, content)
        self.log.append(key)
        return key

    def write(self, key: str, content: bytes) -> None:
        self.nodes[key].content = content
        self.nodes[key].revision += 1
        self.log.append(key)

    def move(self, key: str, parent: str, name: str) -> None:
        self.nodes[key].parent, self.nodes[key].name = parent, name
        self.log.append(key)

    def remove(self, key: str) -> None:
        for one in [one for one, node in self.nodes.items() if node.parent == key]:
            self.remove(one)
        node = self.nodes.pop(key)
        if node.content is not None:
            self.bin.append(node.content)
        self.log.append(key)

    # -- what is there -----------------------------------------------------------------------------
    def path(self, key: str) -> str:
        node = self.nodes[key]
        return f"{self.path(node.parent)}/{node.name}" if node.parent else node.name

    def at(self, path: str) -> str:
        return next(key for key in self.nodes if self.path(key) == path)

    def named(self, parent: str, name: str) -> str | None:
        found = (
            it for it, node in self.nodes.items() if (node.parent, node.name) == (parent, name)
        )
        return next(found, None)

    def holds(self, key: str, other: str) -> bool:
        """Return True if one is the other or stands in it."""
        while other and other != key:
            other = self.nodes[other].parent
        return other == key

    def everything(self) -> dict[str, bytes | None]:
        return {self.path(key): node.content for key, node in self.nodes.items()}


class DriveStore:
    """A way to the drive."""

    def __init__(self, drive: Drive) -> None:
        self.drive, self.calls = drive, 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""

    def collections(self) -> list[Collection]:
        return [Collection("root", "files", "Drive")]

    def changes(self, _collection: Collection, position: str) -> Changes:
        self.calls += 1
        drive, end = self.drive, len(self.drive.log)
        if not position:
            entries = tuple(self._entry(key) for key in drive.nodes)
            return Changes(entries, (), str(end), is_whole=True)
        start = int(position)
        page = list(dict.fromkeys(drive.log[start : start + _PAGE]))
        present = tuple(self._entry(key) for key in page if key in drive.nodes)
        # What went with its folder is not told of.
        gone = tuple(key for key in page if key not in drive.nodes)
        reached = min(start + _PAGE, end)
        return Changes(present, gone, str(reached), more=reached < end)

    def _entry(self, key: str) -> Entry:
        node, path = self.drive.nodes[key], self.drive.path(key)
        if node.content is None:
            return Entry(key, "", path=path, is_folder=True)
        return Entry(key, str(node.revision), path=path, size=len(node.content))

    def fetch(self, _collection: Collection, ids: list[str]) -> Iterator[Item]:
        for key in ids:
            self.calls += 1
            node = self.drive.nodes.get(key)
            if node is not None and node.content is not None:
                self.drive.fetched.append(key)
                yield Item(key, str(node.revision), node.content)

    def apply(self, _collection: Collection, change: Put | Move | Remove, if_match: str) -> Applied:
        self.calls += 1
        node = self.drive.nodes.get(change.id)
        if isinstance(change, Put) and change.raw in self.drive.fails_at:
            raise StoreError("transient", own("a fault of its own"))
        if isinstance(change, Remove) and node is None:
            return Applied(change.id, "")
        if change.id and (node is None or if_match not in ("", str(node.revision))):
            raise ItemChangedError
        done = self._do(change)
        self.drive.applied.append(change)
        if self.drive.chance.random() < self.drive.loses:
            raise StoreError("transient", own("the line broke"))
        return done

    def _do(self, change: Put | Move | Remove) -> Applied:
        drive = self.drive
        if isinstance(change, Remove):
            if any(one.parent == change.id for one in drive.nodes.values()):
                raise ItemChangedError
            drive.remove(change.id)
            return Applied(change.id, "")
        if isinstance(change, Put) and change.id:
            drive.write(change.id, change.raw)
            return Applied(change.id, str(drive.nodes[change.id].revision))
        return self._place(change)

    def _place(self, change: Put | Move) -> Applied:
        """Put what is new, or moves, where nothing stands."""
        drive, name = self.drive, change.path.rpartition("/")[2]
        if change.parent and change.parent not in drive.nodes:
            raise ItemChangedError
        there = drive.named(change.parent, name)
        if isinstance(change, Move):
            if there is not None or drive.holds(change.id, change.parent):
                raise ItemChangedError
            drive.move(change.id, change.parent, name)
            return Applied(change.id, str(drive.nodes[change.id].revision))
        if there is not None:
            if change.is_folder and drive.nodes[there].content is None:
                return Applied(there, "")
            raise ItemChangedError
        made = drive.add(change.parent, name, None if change.is_folder else change.raw)
        return Applied(made, "" if change.is_folder else "1")


def declare(drive: Drive) -> Declaration:
    """Return a provider whose sources all have this drive."""
    return Declaration(
        name="drive", title=own("A drive"), carries=frozenset({"files"}),
        open_changes=lambda _connection: DriveStore(drive),
    )  # fmt: skip
