"""Which change the server is told of an item next, and what has to be told before it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import uuid4

from django.db.models import QuerySet

from inbox.files.media_types import media_type_of
from inbox.models import RemoteCollection, RemoteItem
from inbox.providers.change_store import Change, Move, Put, Remove
from inbox.reasons import of_error
from inbox.reasons import phrase as _
from inbox.syncing.collections.keepers import (
    Fields,
    Keeper,
    PathKeeper,
    UnfitItemError,
    keeper_of,
)
from inbox.syncing.collections.merging import differing
from inbox.syncing.collections.paths import below, name_of, parent_of


@dataclass(frozen=True, slots=True)
class Told:
    """What the server is told of a row: `touched` is how often it had changed by then.

    `ours` is what our side says, and `agreed` what of it both sides have said once the change is
    made; `path` is where it stands there then. `is_last`: nothing of the item is left to be told.
    """

    row: RemoteItem
    change: Change
    ours: Fields
    agreed: dict[str, Any]
    touched: int
    if_match: str
    path: str = ""
    is_last: bool = True
    keeps_raw: bool = True


@dataclass(frozen=True, slots=True)
class Before:
    """The keys of rows that are told first: folders that it stands in, what is in its way."""

    keys: Sequence[int]


@dataclass(frozen=True, slots=True)
class _Turn:
    """The telling of one row: what was tried before, and who waits for it."""

    keeper: Keeper
    collection: RemoteCollection
    row: RemoteItem
    tried: set[int]
    busy: frozenset[int]


@dataclass(slots=True)
class _Place:
    """Where an item is to stand there: its path and the id of its folder."""

    path: str
    parent: str = ""
    before: list[int] = field(default_factory=list)


def to_be_told(collection: RemoteCollection) -> QuerySet[RemoteItem]:
    """Return the rows that are to be told; what the server has changed too is read first."""
    return RemoteItem.objects.filter(collection=collection, dirty=True, stale=False, gone=False)


def prepare(
    collection: RemoteCollection, key: int, tried: set[int], busy: frozenset[int]
) -> Told | Before | None:
    """Return what to tell of a row, None where there is nothing; in a transaction.

    `tried` are the keys of rows that this sync told of already, and `busy` those that wait for
    this one.
    """
    row = to_be_told(collection).select_for_update().filter(pk=key).first()
    keeper = keeper_of(collection.kind)
    if row is None or (isinstance(keeper, PathKeeper) and not keeper.is_open(collection)):
        return None
    ours = keeper.find(collection, [row.key]).get(row.key)
    if row.href is not None and not row.etag and row.problem:
        # Nobody knows which state it would be written over.
        return _left(row)
    turn = _Turn(keeper, collection, row, tried, busy)
    if ours is None and isinstance(keeper, PathKeeper):
        ours = _made_anew(keeper, collection, row)
    if ours is None:
        return _removal(turn)
    changed = frozenset(differing(row.agreed, ours))
    if row.href is not None and not changed:
        return _left(row)
    if not isinstance(keeper, PathKeeper):
        return _put(turn, ours, changed, _Place(row.path))
    return _placed(turn, keeper, ours, changed)


def _left(row: RemoteItem) -> Told | None:
    """Return nothing: there is nothing to tell of it."""
    row.dirty = False
    row.save(update_fields=["dirty"])
    return None


# -- removing --------------------------------------------------------------------------------------
def _removal(turn: _Turn) -> Told | Before | None:
    row = turn.row
    if row.href is None:
        # Made and deleted here, and the server never heard of it.
        row.delete()
        return None
    if row.is_folder:
        inside = list(below(turn.collection, row.path).filter(gone=False).defer("raw"))
        if inside:
            return _emptied(turn, inside)
    if_match = "" if row.is_folder else row.etag
    return Told(row, Remove(row.href), {}, {}, row.touched, if_match, row.path)


def _made_anew(keeper: PathKeeper, collection: RemoteCollection, row: RemoteItem) -> Fields | None:
    """Return what stands here in the place of what was deleted, and is one with it there."""
    path = str(row.agreed.get("path", ""))
    standing = keeper.at(collection, [path]).get(path) if row.href and path else None
    if standing is None or standing.is_folder != row.is_folder:
        return None
    others = RemoteItem.objects.filter(collection=collection, key=standing.key)
    if others.exclude(href=None).exists():
        return None
    others.delete()
    row.key = standing.key
    row.save(update_fields=["key"])
    return keeper.find(collection, [row.key]).get(row.key)


def _emptied(turn: _Turn, inside: list[RemoteItem]) -> Before | None:
    """Return what stands in a folder that was deleted here, to be told of first.

    Where something stays in it, such as what is too large for us, the folder comes back.
    """
    keyed = [row.pk for row in inside if row.key]
    RemoteItem.objects.filter(pk__in=keyed, stale=False, dirty=False).update(dirty=True)
    untried = [row.pk for row in inside if row.key and row.pk not in turn.tried]
    if untried:
        return Before(untried)
    if not any(row.stale or row.dirty for row in inside):
        RemoteItem.objects.filter(pk=turn.row.pk).update(stale=True, etag="")
    return None


# -- putting and moving ----------------------------------------------------------------------------
def _placed(
    turn: _Turn, keeper: PathKeeper, ours: Fields, changed: frozenset[str]
) -> Told | Before | None:
    """Return the next change of an item that stands at a path."""
    row = turn.row
    place = _place(turn, keeper, str(ours["path"]))
    if place is None:
        return None
    if place.before:
        return Before(place.before)
    if row.href is not None and place.path == row.path:
        return _put(turn, ours, changed, place) if "digest" in changed else _left(row)
    in_way = _in_way(turn, place.path)
    if in_way is not None:
        return in_way
    if row.href is None:
        return _put(turn, ours, changed, place)
    agreed = {**row.agreed, "path": ours["path"]}
    move = Move(row.href, place.path.removesuffix("/"), place.parent)
    if_match = "" if row.is_folder else row.etag
    is_last = not differing(agreed, ours)
    return Told(row, move, ours, agreed, row.touched, if_match, place.path, is_last, False)


def _place(turn: _Turn, keeper: PathKeeper, path: str) -> _Place | None:
    """Return where an item is to stand; None where its folder cannot be made there now."""
    end = "/" if path.endswith("/") else ""
    above = parent_of(path)
    if not above:
        return _Place(name_of(path) + end)
    standing = keeper.at(turn.collection, [above]).get(above)
    if standing is None:
        return None
    rows = RemoteItem.objects.filter(collection=turn.collection, key=standing.key)
    folder = rows.first()
    if folder is None:
        folder = RemoteItem.objects.create(
            collection=turn.collection, key=standing.key, dirty=True, touched=1
        )
    if folder.pk not in turn.tried and (folder.dirty or folder.href is None):
        return _Place("", before=[folder.pk])
    if folder.href is None or folder.gone:
        words = _("The folder that it is in is not at the server.")
        RemoteItem.objects.filter(pk=turn.row.pk).update(problem=words)
        return None
    return _Place(f"{folder.path}{name_of(path)}{end}", folder.href)


def _in_way(turn: _Turn, path: str) -> Told | Before | None:
    """Return what is to be told of another item of ours that still stands at a path there."""
    bare = path.removesuffix("/")
    rows = RemoteItem.objects.filter(
        collection=turn.collection, path__in=[bare, f"{bare}/"], gone=False, dirty=True
    )
    other = rows.exclude(pk=turn.row.pk).exclude(href=None).first()
    if other is None or other.stale:
        return None
    if other.pk not in turn.tried:
        return Before([other.pk])
    if other.pk not in turn.busy:
        return None
    # Each waits for the other: the one goes under a third name in between.
    name = f"{name_of(path)}.{uuid4().hex[:8]}"
    end = "/" if other.is_folder else ""
    parent = parent_of(other.path)
    folder = RemoteItem.objects.filter(collection=turn.collection, path=parent).first()
    agreed = {**other.agreed, "path": f"{parent_of(str(other.agreed['path']))}{name}{end}"}
    move = Move(other.href or "", parent + name, (folder and folder.href) or "")
    if_match = "" if other.is_folder else other.etag
    return Told(
        other, move, agreed, agreed, -1, if_match, f"{parent}{name}{end}", False, False
    )  # fmt: skip


def _put(turn: _Turn, ours: Fields, changed: frozenset[str], place: _Place) -> Told | None:
    keeper, row = turn.keeper, turn.row
    if row.href is None and not row.offered_name:
        row.offered_name = keeper.new_name(row.key) or str(uuid4())
        row.save(update_fields=["offered_name"])
    before = bytes(row.raw)
    try:
        raw = keeper.write(before, ours, changed, row.offered_name)
    except UnfitItemError as error:
        RemoteItem.objects.filter(pk=row.pk).update(dirty=False, problem=of_error(error))
        return None
    put = Put(row.href or "", row.offered_name, raw, before, place.path)
    if isinstance(keeper, PathKeeper):
        put = _of_file(put, place)
    keeps = keeper.keeps_raw
    return Told(
        row, put, ours, dict(ours), row.touched, row.etag, place.path, keeps_raw=keeps
    )  # fmt: skip


def _of_file(put: Put, place: _Place) -> Put:
    """Return a change as it is told of a file or folder."""
    path = place.path.removesuffix("/")
    is_folder = place.path.endswith("/")
    kind = "" if is_folder else media_type_of(name_of(path))
    return replace(put, path=path, is_folder=is_folder, content_type=kind, parent=place.parent)
