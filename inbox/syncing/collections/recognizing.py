"""Files that the server names anew though we have them: moved there, or made here and told."""

from collections.abc import Sequence
from contextlib import suppress
from typing import TypeAlias

from django.db.models import QuerySet

from inbox.models import RemoteCollection, RemoteItem
from inbox.providers.change_store import Item
from inbox.syncing.collections.keepers import Fields, PathKeeper, UnfitItemError
from inbox.syncing.collections.paths import name_of, not_moved, parent_of, without_place

# An item as it was read, with its row.
Read: TypeAlias = tuple[RemoteItem, Item, Fields]
_MOST_TRIED = 200


def is_unfetched(keeper: PathKeeper, row: RemoteItem) -> bool:
    """Return True if an item is settled by its path alone; `row` is noted as changed."""
    if row.is_folder or (row.key and row.etag and row.agreed.get("digest")):
        return True
    try:
        keeper.place(row.path)
    except UnfitItemError:
        return True
    return False


def recognize(keeper: PathKeeper, collection: RemoteCollection, read: Sequence[Read]) -> list[Read]:
    """Return the items, each with the row that it had here under another id, if there is one.

    That is what stands at its path here and the server has not, or what is gone there and had the
    same content; in a transaction.
    """
    fresh = {str(fields["path"]): row for row, _item, fields in read if not row.key}
    taken = _by_path(keeper, collection, fresh)
    rest = [one for one in read if not one[0].key and one[0].pk not in taken]
    taken |= _by_content(collection, rest)
    return [(taken.get(row.pk, row), item, fields) for row, item, fields in read]


def places_in_moved(
    keeper: PathKeeper, collection: RemoteCollection, rows: Sequence[RemoteItem]
) -> dict[int, str]:
    """Return where items are to stand here, by their rows, if their folder was moved here.

    The server has yet to be told of that; what is new in it goes along.
    """
    above = {parent_of(row.path) for row in rows} - {""}
    folders = RemoteItem.objects.filter(collection=collection, path__in=above, gone=False)
    keys = dict(folders.exclude(href=None).exclude(key="").values_list("path", "key"))
    found = keeper.find(collection, list(keys.values()))
    places: dict[int, str] = {}
    for row in rows:
        folder = found.get(keys.get(parent_of(row.path), ""))
        if folder is not None and folder["path"] != keeper.place(parent_of(row.path)):
            name = keeper.place(row.path).removeprefix(keeper.place(parent_of(row.path)))
            places[row.pk] = f"{folder['path']}{name}"
    return places


def _by_path(
    keeper: PathKeeper, collection: RemoteCollection, fresh: dict[str, RemoteItem]
) -> dict[int, RemoteItem]:
    there = keeper.at(collection, list(fresh))
    rows = RemoteItem.objects.filter(
        collection=collection, key__in=[one.key for one in there.values()]
    )
    known = {row.key: row for row in rows.select_for_update()}
    taken: dict[int, RemoteItem] = {}
    for path, row in fresh.items():
        node = there.get(path)
        if node is None or node.is_folder != path.endswith("/"):
            continue
        key, old = node.key, known.get(node.key)
        if old is None:
            # Nobody has heard of it yet.
            row.key = key
            known[key] = row
        elif old.href is None or old.gone:
            taken[row.pk] = _under(old, row)
    return taken


def _by_content(collection: RemoteCollection, read: Sequence[Read]) -> dict[int, RemoteItem]:
    digests = {str(fields["digest"]) for _row, _item, fields in read} - {""}
    if not digests:
        return {}
    rows = RemoteItem.objects.filter(
        collection=collection, gone=True, agreed__digest__in=sorted(digests)
    )
    gone = list(rows.exclude(key="").select_for_update())
    taken: dict[int, RemoteItem] = {}
    for is_named in (True, False):
        for row, item, fields in read:
            old = next((one for one in gone if _is_same(one, fields, is_named=is_named)), None)
            # Of empty files it takes the name as well.
            if row.pk not in taken and old is not None and (is_named or item.raw):
                gone.remove(old)
                taken[row.pk] = _under(old, row)
    return taken


def _is_same(old: RemoteItem, fields: Fields, *, is_named: bool) -> bool:
    named = not is_named or name_of(str(old.agreed.get("path"))) == name_of(str(fields["path"]))
    return named and old.agreed.get("digest") == fields["digest"]


def _under(old: RemoteItem, fresh: RemoteItem) -> RemoteItem:
    """Return the row that we had, under the id that the server names now."""
    RemoteItem.objects.filter(pk=fresh.pk).delete()
    old.href, old.path, old.size = fresh.href, fresh.path, fresh.size
    old.modified_at, old.gone = fresh.modified_at, False
    return old


def try_places_again(keeper: PathKeeper, collection: RemoteCollection) -> None:
    """Have what could not stand here read once more where its place is free by now.

    What stands elsewhere here, and has only moved there, is not fetched.
    """
    rows = RemoteItem.objects.filter(pk__in=_free(keeper, collection, without_place(collection)))
    rows.update(stale=True, etag="")
    moved = RemoteItem.objects.filter(pk__in=_free(keeper, collection, not_moved(collection)))
    moved.update(stale=True)


def _free(
    keeper: PathKeeper, collection: RemoteCollection, rows: QuerySet[RemoteItem]
) -> list[int]:
    """Return the keys of those rows whose place there is not agreed on, and free here."""
    places: dict[str, int] = {}
    for row in rows.order_by("pk")[:_MOST_TRIED]:
        with suppress(UnfitItemError):
            if (place := keeper.place(row.path)) != row.agreed.get("path"):
                places[place] = row.pk
    taken = keeper.at(collection, list(places))
    return [pk for path, pk in places.items() if path not in taken]
