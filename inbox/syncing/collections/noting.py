"""What a server says has changed, noted in the items; it is read afterwards.

When the position is written down, everything before it is noted: a sync that ends anywhere goes on
from its rows.
"""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from inbox.bulk_insert import insert
from inbox.models import RemoteCollection, RemoteItem
from inbox.providers.change_store import MOST_ITEMS, Entry
from inbox.providers.mail_store import StoreError
from inbox.reasons import ReasonText
from inbox.reasons import phrase as _
from inbox.syncing.collections.paths import (
    below,
    move_below,
    place_of,
    state_of,
    too_large,
)
from inbox.syncing.collections.visiting import SourceVisit, as_listed

Piece = TypeVar("Piece")
_AT_ONCE = 500
_LONGEST_ID = 1000
_LONGEST_ETAG = 500
_MOST_PAGES = 10_000
_NOTED = ["stale", "gone", "modified_at"]
_NOTED_OF_FILES = [*_NOTED, "path", "size", "etag", "key", "agreed", "problem", "dirty"]


def note_changes(visit: SourceVisit, collection: RemoteCollection) -> None:
    """Ask what changed since the position, and note it; raises StoreError."""
    seen: set[str] = set()
    position = collection.position
    for _page in range(_MOST_PAGES):
        changes = visit.store.changes(as_listed(collection), position)
        seen.update(entry.id for entry in changes.present)
        if len(seen) > MOST_ITEMS:
            raise StoreError("permanent", _too_many(collection))
        with visit.writing():
            note_present(collection, changes.present)
            _note_gone(collection, changes.gone)
            if changes.is_whole and not changes.more:
                _note_left_out(collection, seen)
            if not (changes.is_whole and changes.more):
                # Of the whole, the position counts once all of it was told.
                collection.position = changes.position
            again = not changes.more and _note_unconfirmed(collection, seen)
            collection.save(update_fields=["position"])
        if not (changes.more or again):
            return
        # A folder cannot be fetched: all there is is listed anew.
        position = "" if again else changes.position
    raise StoreError("permanent", _("The server's list of changes does not end."))


def _too_many(collection: RemoteCollection) -> ReasonText:
    return _(
        "%(name)s has more than %(most)s items, which is more than can be followed.",
        name=collection.name,
        most=MOST_ITEMS,
    )


def note_present(collection: RemoteCollection, entries: Sequence[Entry]) -> None:
    """Note which items are there in another state than the one that we know."""
    for some in _pieces([one for one in entries if len(one.id) <= _LONGEST_ID]):
        named = {one.id: one for one in some}
        rows = RemoteItem.objects.filter(collection=collection, href__in=named)
        known = {row.href: row for row in rows.defer("raw")}
        _follow_folders(collection, list(known.values()), named)
        changed = [row for row in known.values() if _take_entry(row, named[row.href or ""])]
        columns = _NOTED_OF_FILES if any(one.path for one in some) else _NOTED
        RemoteItem.objects.bulk_update(changed, columns)
        insert(_new_row(collection, one) for one in named.values() if one.id not in known)


def _new_row(collection: RemoteCollection, one: Entry) -> RemoteItem:
    words = too_large(one)
    return RemoteItem(
        collection=collection, href=one.id, stale=words is None, path=place_of(one), size=one.size,
        modified_at=one.modified_at, etag=state_of(one)[:_LONGEST_ETAG] if words else "",
        problem=words or "",
    )  # fmt: skip


def _follow_folders(
    collection: RemoteCollection, known: list[RemoteItem], named: dict[str, Entry]
) -> None:
    """Note where all below a folder stands that was moved; the deepest folder first."""
    folders = [row for row in known if row.is_folder and named[row.href or ""].is_folder]
    for row in sorted(folders, key=lambda one: -len(one.path)):
        new = place_of(named[row.href or ""])
        if new != row.path:
            move_below(collection, row.path, new)


def _take_entry(row: RemoteItem, entry: Entry) -> bool:
    """Note an entry in its row; return whether it is news."""
    state, path = state_of(entry)[:_LONGEST_ETAG], place_of(entry)
    is_known = row.etag != "" and row.etag == state
    is_same = is_known and row.path == path
    if is_same and not row.gone:
        return False
    if row.stale and not row.gone and not path:
        return False
    row.gone, row.stale = False, row.stale or not is_same
    row.modified_at, row.path, row.size = entry.modified_at, path, entry.size
    if path and not is_known:
        # Of what was only moved, the content need not be fetched.
        row.etag = ""
    if words := too_large(entry):
        # What we have of it is ours alone from now on: it neither changes the server's nor goes.
        row.key, row.agreed, row.etag, row.stale, row.problem = "", {}, state, False, words
        row.dirty = False
    return True


def _note_gone(collection: RemoteCollection, ids: Sequence[str]) -> None:
    for some in _pieces(ids):
        rows = RemoteItem.objects.filter(collection=collection, href__in=some)
        folders = list(rows.filter(path__endswith="/").values_list("path", flat=True))
        rows.update(gone=True, stale=False)
        for path in folders:
            below(collection, path).exclude(href=None).update(gone=True, stale=False)


def _note_left_out(collection: RemoteCollection, seen: set[str]) -> None:
    """Note as gone what a list of everything does not name."""
    rows = RemoteItem.objects.filter(collection=collection, href__isnull=False)
    known = rows.values_list("href", flat=True).iterator(_AT_ONCE)
    _note_gone(collection, [href for href in known if href is not None and href not in seen])


def _note_unconfirmed(collection: RemoteCollection, seen: set[str]) -> bool:
    """Have what we changed after the position read again where the changes do not name it.

    What was made and deleted in between, no list of changes has to tell of (RFC 6578 3.5.1).
    Return whether a folder is among it.
    """
    rows = RemoteItem.objects.filter(collection=collection, unconfirmed=True)
    unnamed = [row.pk for row in rows.only("pk", "href") if row.href not in seen]
    again = RemoteItem.objects.filter(pk__in=unnamed, gone=False)
    folders = again.filter(path__endswith="/").exists()
    again.exclude(path__endswith="/").update(stale=True, etag="")
    rows.update(unconfirmed=False)
    return folders


def _pieces(many: Sequence[Piece]) -> Iterator[Sequence[Piece]]:
    for at in range(0, len(many), _AT_ONCE):
        yield many[at : at + _AT_ONCE]
