"""What keeps our side of a collection: one keeper for each kind, registered by the app that has it.

An item is compared by its fields: names with values as JSON has them, the smallest things that
change by themselves. Two names differ in what they are about; a value is compared whole.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

from inbox.models import RemoteCollection
from inbox.providers.change_store import CollectionKind

Fields: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Incoming:
    """An item as it shall stand here: all its fields, and which of them are news.

    `key` is ours, empty for what is not here yet. `raw` is the item as the server has it.
    """

    key: str
    fields: Fields
    changed: frozenset[str]
    raw: bytes
    # Of files alone: where it stands below the collection.
    path: str = ""


class UnfitItemError(ValueError):
    """An item cannot be kept here; its words, from the code or the item, say why."""


class Keeper(Protocol):
    """Our side of collections of one kind. It never asks a server, and runs in transactions.

    `keeps_raw`: an item is kept as the server had it, to tell by it what changed there. Without
    that, what both agreed on is what the server had.
    """

    @property
    def keeps_raw(self) -> bool:
        """Whether items are kept as the server had them."""
        ...

    def open(self, collection: RemoteCollection) -> None:
        """Make what holds the collection here, such as a calendar, or follow its new name."""
        ...

    def is_open(self, collection: RemoteCollection) -> bool:
        """Return True if what holds the collection here is there still, and not deleted."""
        ...

    def close(self, collection: RemoteCollection) -> None:
        """Delete, softly, what holds the collection here, with all that is in it."""
        ...

    def read(self, raw: bytes, path: str) -> Fields:
        """Return the fields of an item as the server has it; raises UnfitItemError.

        `path` stands for files alone: where it stands below the collection.
        """
        ...

    def find(self, collection: RemoteCollection, keys: Sequence[str]) -> dict[str, Fields]:
        """Return the fields of ours by key; those that were deleted here are left out.

        Rows are locked until the transaction ends.
        """
        ...

    def keep(self, collection: RemoteCollection, items: Sequence[Incoming]) -> list[str]:
        """Make ours say what `fields` do, restoring what was deleted; return the key of each.

        Raises UnfitItemError, and then nothing of `items` was kept.
        """
        ...

    def noticed(self, lost: Fields) -> Fields:
        """Return which of our values that gave way to the server's a person is told of."""
        ...

    def remove(self, collection: RemoteCollection, keys: Sequence[str]) -> None:
        """Delete ours, softly."""
        ...

    def new_name(self, key: str) -> str:
        """Return the id to offer for an item that was made here; empty: a random one will do."""
        ...

    def write(self, raw: bytes, fields: Fields, changed: frozenset[str], name: str) -> bytes:
        """Return an item for the server: `raw` with the fields that changed, all else as it was.

        `raw` is empty for an item that was made here, and `name` then its UID. Raises
        UnfitItemError for what the format cannot say.
        """
        ...

    def title(self, fields: Fields) -> str:
        """Return what a person knows the item by."""
        ...


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands at a path here."""

    key: str
    is_folder: bool


@runtime_checkable
class PathKeeper(Keeper, Protocol):
    """Our side of items that stand at paths, in folders that are items too.

    Their fields are `path`, which ends with a slash for a folder, and `digest`, which names the
    content: where one is gone and another of the same digest came, it was moved.
    """

    def place(self, path: str) -> str:
        """Return a path of the server's as we write it; raises UnfitItemError for none of ours."""
        ...

    def at(self, collection: RemoteCollection, paths: Sequence[str]) -> dict[str, Standing]:
        """Return what stands at paths as we write them, file or folder; without regard to case."""
        ...


_KEEPERS: dict[str, Keeper] = {}


def register_keeper(kind: CollectionKind, keeper: Keeper) -> None:
    """Name what keeps collections of a kind; once."""
    if kind in _KEEPERS:
        raise ValueError(f"two keepers of {kind!r}")
    _KEEPERS[kind] = keeper


def keeper_of(kind: str) -> Keeper:
    """Return what keeps collections of a kind; raises LookupError."""
    return _KEEPERS[kind]


def is_kept(kind: str) -> bool:
    """Return True if there is a keeper of this kind."""
    return kind in _KEEPERS
