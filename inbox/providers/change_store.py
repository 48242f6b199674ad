"""Collections that lie at a provider: calendars, address books, lists of to-dos, folders of files.

What a mirror of them asks for, as data and as one protocol; nothing here touches the database. All
ids are opaque and the server's: a href, an id. A position is text that only its own store reads: a
sync token (RFC 6578), a ctag, a delta link. An item travels in the field's own format: iCalendar
(RFC 5545) of one UID for events and to-dos, vCard (RFC 6350) for people, plain bytes for files; a
store whose server speaks something else translates.

A collection of files is a whole tree, whose folders are items too. A folder is never fetched, and
nothing of it is looked at but its id and its path. Where ids are paths, a moved file is one that is
gone and one that is new, and we find out by the content that it was moved. Where they stay through
moves, the entry has the other path; what lies below a folder that was moved or removed need not be
named.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol, Self, TypeAlias

from inbox.reasons import ReasonText

CollectionKind: TypeAlias = Literal["calendar", "contacts", "todos", "files"]
# Bytes; a larger item is not fetched, but for files.
LARGEST_ITEM = 2 * 1024 * 1024
LARGEST_FILE = 64 * 1024 * 1024
NO_BYTES = LARGEST_FILE + 1
# So many items of one collection are followed.
MOST_ITEMS = 100_000


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection at the provider, as it lists it; `color` is CSS hexadecimal or empty."""

    id: str
    kind: CollectionKind
    name: str
    color: str = ""
    writable: bool = True
    is_default: bool = False

    @property
    def key(self) -> str:
        """What tells it from all others: one that holds events and to-dos is two of one id."""
        return f"{self.kind} {self.id}"


@dataclass(frozen=True, slots=True)
class Entry:
    """That an item is there, in the state that `etag` names.

    `path` stands for files alone: where it stands below the collection, parts joined by slashes,
    with none at either end. Where only the path changed and the etag did not, the content is not
    fetched again, so let it name the content if there is a choice; a folder's may be empty.
    `size` is in bytes: a file over LARGEST_FILE is listed and never fetched, changed or removed.
    So is one that has no bytes: its size is NO_BYTES, and `problem` says why.
    `modified_at` is when it was changed last, where the server says so: the newest are read first.
    """

    id: str
    etag: str
    modified_at: datetime | None = None
    path: str = ""
    is_folder: bool = False
    size: int | None = None
    problem: ReasonText = field(default_factory=ReasonText)


@dataclass(frozen=True, slots=True)
class Changes:
    """What is different since a position, and the position that is complete with it.

    `is_whole`: `present` names all there is, so that what it leaves out is gone. `more`: ask again
    from `position`, for the server told a part of it.
    """

    present: tuple[Entry, ...]
    gone: tuple[str, ...]
    position: str
    is_whole: bool = False
    more: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """An item as it lies there."""

    id: str
    etag: str
    raw: bytes


@dataclass(frozen=True, slots=True)
class Put:
    """Make an item, or replace it.

    `id` is empty for a new one, and `name` then an id of our choosing that the server may take: to
    create it twice under one name makes one. `before` is the item as we knew it, empty for new.

    Of files, `path` says where it stands or is to stand, and `parent` is the id of the folder that
    it is to stand in, empty for the collection itself; that folder is there. Only one new item is
    made at a path: where anything stands there, it is an ItemChangedError, but for a folder where a
    folder stands, which is then that one.
    """

    id: str
    name: str
    raw: bytes
    before: bytes = b""
    path: str = ""
    is_folder: bool = False
    content_type: str = ""
    parent: str = ""


@dataclass(frozen=True, slots=True)
class Move:
    """Move a file, or a folder with all in it, to another path below its collection.

    `parent` is the id of the folder that it is to stand in, which is there; empty: the collection.
    Over nothing that stands there: that is an ItemChangedError.
    """

    id: str
    path: str
    parent: str = ""


@dataclass(frozen=True, slots=True)
class Remove:
    """Remove an item.

    A folder comes after all that we know in it. Where the server keeps no bin from which it can be
    had again, a folder that still holds something is an ItemChangedError.
    """

    id: str


Change: TypeAlias = Put | Move | Remove


@dataclass(frozen=True, slots=True)
class Applied:
    """What a change came to: the item's id, and its etag where it lies there exactly as sent.

    An empty `etag` says that the server may have made something else of it: fetch it. Where a
    folder gets another id by its move, the ids of all in it begin with its id, before and after.
    """

    id: str
    etag: str


class ItemChangedError(Exception):
    """The item is not as `if_match` has it, or one of this name is there: nothing was done."""


class ItemRefusedError(Exception):
    """The server takes this one change for good not, whatever it does with others."""

    def __init__(self, words: ReasonText, reply: str = "") -> None:
        super().__init__(words)
        self.words = words
        self.reply = reply


class ChangeStore(Protocol):
    """A signed-in way to the collections of an account; a context manager.

    Every method may raise `inbox.providers.mail_store.StoreError`, whose kind says what is done
    next; `gone` where the collection is not there any more.
    """

    @property
    def calls(self) -> int:
        """How many requests were made."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def collections(self) -> list[Collection]:
        """Return all that there are, of every kind that the provider carries."""
        ...

    def changes(self, collection: Collection, position: str) -> Changes:
        """Return what changed since `position`; empty is the beginning.

        Where the server does not know the position any more, it is the whole (`is_whole`).
        """
        ...

    def fetch(self, collection: Collection, ids: Sequence[str]) -> Iterator[Item]:
        """Yield the items that are still there, in any order.

        One larger than may be read is left out. Files are read one by one, as they are asked for:
        not more than one lies in memory here.
        """
        ...

    def apply(self, collection: Collection, change: Change, if_match: str) -> Applied:
        """Do one change, if the item is still in the state `if_match` (empty: whatever it is).

        A new item is made only where none of its name is there. Removing what is gone is done.
        Raises ItemChangedError, ItemRefusedError.
        """
        ...

    def close(self) -> None:
        """Let go of the connection; never raises."""
        ...
