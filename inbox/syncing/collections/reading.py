"""Items that are in another state at the server: read, and settled with what was changed here."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from inbox.bulk_insert import insert
from inbox.models import RemoteCollection, RemoteItem, SyncConflict
from inbox.providers.change_store import Item
from inbox.reasons import ReasonText, of_error, own
from inbox.reasons import phrase as _
from inbox.syncing.collections.keepers import (
    Fields,
    Incoming,
    Keeper,
    PathKeeper,
    UnfitItemError,
    keeper_of,
)
from inbox.syncing.collections.merging import Merged, merge
from inbox.syncing.collections.paths import FOLDER_STATE, by_turns
from inbox.syncing.collections.recognizing import (
    is_unfetched,
    places_in_moved,
    recognize,
)
from inbox.syncing.collections.visiting import SourceVisit, as_listed

# What a reading changes of a row.
_COLUMNS = (
    "href", "path", "size", "modified_at", "key", "etag", "raw", "agreed", "stale", "gone", "dirty",
    "problem",
)  # fmt: skip
_AT_ONCE = 100
# What is read of the rows of files, to tell whether they have to be fetched.
_OF_TREES = ("pk", "href", "path", "etag", "agreed", "key", "collection")
# Of files so many bytes lie in memory before they are kept, and one file more.
_MOST_BYTES = 16 * 1024 * 1024
# Below all folders.
_DEEPEST = 1_000
_UID = re.compile(rb"^UID(?:;[^:\r\n]*)?:([^\r\n]{1,255})", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Settled:
    """An item of a batch: its row, what the server has, and how both sides shall stand."""

    row: RemoteItem
    item: Item
    merged: Merged
    theirs: Fields

    @property
    def incoming(self) -> Incoming:
        return Incoming(
            self.row.key, self.merged.fields, self.merged.to_us, self.item.raw, self.row.path
        )


def read_stale(visit: SourceVisit, collection: RemoteCollection) -> int:
    """Read what was noted as changed, the newest first; return how many. Raises StoreError.

    Of files, folders come first, and what was only moved is not fetched.
    """
    count = 0
    keeper = keeper_of(collection.kind)
    while not visit.is_over():
        rows = RemoteItem.objects.filter(collection=collection, stale=True).exclude(href=None)
        if isinstance(keeper, PathKeeper):
            some = list(by_turns(rows.only(*_OF_TREES))[:_AT_ONCE])
            unfetched = _take_unfetched(visit, keeper, collection, some)
            wanted, noted = {row.href or "": row.pk for row in unfetched}, len(some)
        else:
            newest = rows.order_by("-modified_at", "-pk").values_list("href", "pk")[:_AT_ONCE]
            wanted = {href or "": key for href, key in newest}
            noted = len(wanted)
        if not noted:
            break
        count += noted
        _fetch(visit, collection, wanted)
    return count


def _take_unfetched(
    visit: SourceVisit, keeper: PathKeeper, collection: RemoteCollection, rows: list[RemoteItem]
) -> list[RemoteItem]:
    """Settle what has no content to be fetched for, or cannot stand here; return the others."""
    fetched = []
    items: dict[int, list[Item]] = {}
    for row in rows:
        if is_unfetched(keeper, row):
            # With a folder all in it has moved: it is settled before them.
            depth = row.path.count("/") if row.is_folder else _DEEPEST
            state = FOLDER_STATE if row.is_folder else row.etag
            items.setdefault(depth, []).append(Item(row.href or "", state, b""))
        else:
            fetched.append(row)
    with visit.writing():
        for depth in sorted(items):
            _take(collection, items[depth], is_fetched=False)
    return fetched


def _fetch(visit: SourceVisit, collection: RemoteCollection, wanted: dict[str, int]) -> None:
    """Fetch items and settle them, not too many bytes at once."""
    if not wanted:
        return
    unread = dict(wanted)
    for items in _pieces(visit.store.fetch(as_listed(collection), list(wanted))):
        with visit.writing():
            _take(collection, items)
        for item in items:
            unread.pop(item.id, None)
        if visit.is_over():
            return
    with visit.writing():
        _note_unread(collection, list(unread.values()))


def _pieces(items: Iterable[Item]) -> Iterator[list[Item]]:
    some: list[Item] = []
    size = 0
    for item in items:
        some.append(item)
        size += len(item.raw)
        if size >= _MOST_BYTES:
            yield some
            some, size = [], 0
    if some:
        yield some


def _note_unread(collection: RemoteCollection, keys: list[int]) -> None:
    """Note what the server did not hand over: it is gone by now, or larger than is read."""
    words = _("The server did not deliver it: it is too large, or was deleted meanwhile.")
    rows = RemoteItem.objects.filter(collection=collection, pk__in=keys)
    # What we had there and looked for was not too large: it is gone.
    rows.filter(etag="").exclude(raw=b"", agreed={}).update(stale=False, gone=True)
    rows.filter(gone=False).update(stale=False, etag="", problem=words)


def _take(collection: RemoteCollection, items: Sequence[Item], *, is_fetched: bool = True) -> None:
    """Settle a batch of items; in a transaction."""
    keeper = keeper_of(collection.kind)
    rows = _lock(keeper, collection, items)
    readable = []
    for item in items:
        row = rows.get(item.id)
        if row is None:
            continue
        try:
            fields = _read(keeper, row, item, is_fetched=is_fetched)
        except UnfitItemError as error:
            _save_problem(keeper, row, item, of_error(error))
        else:
            readable.append((row, item, fields))
    if isinstance(keeper, PathKeeper):
        readable = recognize(keeper, collection, readable)
    else:
        readable = _followed(keeper, collection, readable)
    ours = keeper.find(collection, [row.key for row, _item, _fields in readable if row.key])
    if not is_fetched:
        readable = [one for one in readable if _is_held(one[0], ours)]
    fresh = [row for row, _item, _fields in readable if row.key not in ours]
    places = places_in_moved(keeper, collection, fresh) if isinstance(keeper, PathKeeper) else {}
    settled = [
        _settle_new(row, item, fields, places) if row.key not in ours
        else _settle(keeper, row, item, fields, ours[row.key])
        for row, item, fields in readable
    ]  # fmt: skip
    for some in _kept(keeper, collection, settled):
        _save(keeper, collection, some)


def _read(keeper: Keeper, row: RemoteItem, item: Item, *, is_fetched: bool) -> Fields:
    """Return the fields of an item; of what was only moved, its content is what both agreed on."""
    if is_fetched or not isinstance(keeper, PathKeeper) or row.is_folder:
        return keeper.read(item.raw, row.path)
    return {**row.agreed, "path": keeper.place(row.path)}


def _is_held(row: RemoteItem, ours: dict[str, Fields]) -> bool:
    """Return True if we have the content of what was moved; else it is fetched after all."""
    if row.is_folder or row.key in ours:
        return True
    RemoteItem.objects.filter(pk=row.pk).update(etag="")
    return False


def _lock(
    keeper: Keeper, collection: RemoteCollection, items: Sequence[Item]
) -> dict[str, RemoteItem]:
    """Return the rows of items by their id; one made here and told before is found again."""
    named = RemoteItem.objects.filter(collection=collection, href__in=[one.id for one in items])
    rows = {row.href or "": row for row in named.select_for_update()}
    if isinstance(keeper, PathKeeper):
        return rows
    uids = {uid_of(one.raw): one.id for one in items if one.id in rows and not rows[one.id].key}
    uids.pop("", None)
    told = RemoteItem.objects.filter(collection=collection, href=None, offered_name__in=uids)
    for made in told.select_for_update():
        there = rows[uids[made.offered_name]]
        there.delete()
        made.href, made.path, made.modified_at = there.href, there.path, there.modified_at
        rows[uids[made.offered_name]] = made
    return rows


def uid_of(raw: bytes) -> str:
    """Return the first UID in a calendar or card; empty where there is none."""
    found = _UID.search(raw)
    # No database keeps a NUL in a text.
    return found[1].decode("utf-8", "replace").replace("\0", "").strip() if found else ""


def _followed(
    keeper: Keeper, collection: RemoteCollection, readable: list[tuple[RemoteItem, Item, Fields]]
) -> list[tuple[RemoteItem, Item, Fields]]:
    """Have what is gone, and there again by another id, go on in the row that we know it by.

    That is so of what is called by its UID here: of the rest, what is there again is new.
    """
    new = {str(fields.get("uid", "")): row for row, _item, fields in readable if not row.key}
    rows = RemoteItem.objects.filter(collection=collection, gone=True, key__in=new.keys() - {""})
    gone = {row.key: row for row in rows.select_for_update()}
    followed = []
    for row, item, fields in readable:
        before = gone.get(row.key or str(fields.get("uid", "")))
        if before is None or row.key or keeper.new_name(before.key) != before.key:
            followed.append((row, item, fields))
            continue
        before.href, before.modified_at, before.gone = row.href, row.modified_at, False
        row.delete()
        followed.append((before, item, fields))
        del gone[before.key]
    return followed


def _settle_new(row: RemoteItem, item: Item, theirs: Fields, places: dict[int, str]) -> _Settled:
    """Settle what is new, or was deleted here while it was changed there: the server's stands.

    In a folder that was moved here it is moved as well, and so the server is told of that.
    """
    lost = {"deleted": True} if row.key and row.dirty else {}
    moved = {"path": places[row.pk]} if row.pk in places else {}
    if moved:
        row.agreed = {"path": theirs["path"]}
    every = Merged({**theirs, **moved}, frozenset(theirs), frozenset(moved), lost)
    return _Settled(row, item, every, theirs)


def _settle(keeper: Keeper, row: RemoteItem, item: Item, theirs: Fields, ours: Fields) -> _Settled:
    before = _read_again(keeper, row)
    return _Settled(
        row, item, merge(agreed=row.agreed, ours=ours, before=before, theirs=theirs), theirs
    )


def _read_again(keeper: Keeper, row: RemoteItem) -> Fields:
    """Return the fields of what we had read before; none of what was never read."""
    if not keeper.keeps_raw:
        return dict(row.agreed)
    try:
        return keeper.read(bytes(row.raw), row.path) if row.raw else {}
    except UnfitItemError:
        return {}


def _kept(
    keeper: Keeper, collection: RemoteCollection, settled: list[_Settled]
) -> Iterable[list[tuple[_Settled, str]]]:
    """Keep a batch at once; where one of it is unfit, each by itself."""
    if not settled:
        return
    try:
        keys = keeper.keep(collection, [one.incoming for one in settled])
        yield list(zip(settled, keys, strict=True))
    except UnfitItemError as error:
        if len(settled) == 1:
            _save_problem(keeper, settled[0].row, settled[0].item, of_error(error))
            return
        for one in settled:
            yield from _kept(keeper, collection, [one])


def _save(keeper: Keeper, collection: RemoteCollection, kept: list[tuple[_Settled, str]]) -> None:
    """Write down what both sides agree on now."""
    now = keeper.find(collection, [key for _one, key in kept if key])
    conflicts = []
    for one, key in kept:
        row = one.row
        if lost := keeper.noticed(one.merged.lost):
            conflicts.append(_conflict(keeper, collection, one, key, lost))
        row.agreed = _agreed(now.get(key, {}), row.agreed, one.merged)
        row.key, row.etag = key, one.item.etag
        row.raw = one.item.raw if keeper.keeps_raw else b""
        row.stale, row.gone, row.problem = False, False, own("")
        row.dirty = bool(one.merged.to_them)
    _save_rows([one.row for one, _key in kept])
    SyncConflict.objects.bulk_create(conflicts)


def _agreed(now: Fields, before: Fields, merged: Merged) -> dict[str, Any]:
    """Return what our rows say, but for what the server has yet to be told."""
    agreed = {name: value for name, value in now.items() if name not in merged.to_them}
    return agreed | {name: before[name] for name in merged.to_them if name in before}


def _save_rows(rows: list[RemoteItem]) -> None:
    # All are there and held; written this way they take half the time of an update, or less.
    insert(rows, unique_fields=("id",), update_fields=_COLUMNS)


def _save_problem(keeper: Keeper, row: RemoteItem, item: Item, words: ReasonText) -> None:
    """Note why an item is not kept; it is looked at again when it changes there.

    Of what is known by its state alone, ours is not what the server has, and goes its own way.
    """
    if keeper.keeps_raw:
        row.raw = item.raw
    elif row.etag != item.etag:
        row.key, row.agreed, row.dirty = "", {}, False
    row.etag, row.stale, row.problem = item.etag, False, words
    _save_rows([row])


def _conflict(
    keeper: Keeper, collection: RemoteCollection, one: _Settled, key: str, lost: Fields
) -> SyncConflict:
    theirs = {name: one.theirs.get(name) for name in lost}
    return SyncConflict(
        workspace_id=collection.workspace_id, collection=collection, key=key,
        title=keeper.title(one.theirs)[:300], ours=dict(lost), theirs=theirs,
    )  # fmt: skip
