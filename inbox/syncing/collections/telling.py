"""What was changed here, told to the server: each item once, and only over the state we know."""

from collections.abc import Iterator

from django.db.models import QuerySet

from inbox.models import RemoteCollection, RemoteItem
from inbox.providers.change_store import (
    Applied,
    ItemChangedError,
    ItemRefusedError,
    Move,
    Put,
    Remove,
)
from inbox.providers.mail_store import StoreError
from inbox.reasons import ReasonText, own, quoted
from inbox.reasons import phrase as _
from inbox.syncing.collections.merging import differing
from inbox.syncing.collections.paths import FOLDER_STATE, below, tell_as_new
from inbox.syncing.collections.preparing import Before, Told, prepare, to_be_told
from inbox.syncing.collections.visiting import SourceVisit, as_listed

_AT_ONCE = 50
# At so many items a server may fail in a visit before it is left alone.
_MOST_FAILED = 5
_LONGEST_WORDS = 500
# So many steps one item takes: what stands before it, its move, its content.
_MOST_STEPS = 40


def tell_changes(visit: SourceVisit, collection: RemoteCollection) -> None:
    """Tell the server what was changed here; raises StoreError."""
    if not collection.may_write:
        to_be_told(collection).update(dirty=False)
        return
    rows, tried = to_be_told(collection), set(visit.failed)
    asked = set(visit.failed)
    # What the server failed at before goes last, so that nothing else waits for it.
    for some in (rows.filter(problem=""), rows.exclude(problem="")):
        for key in _keys_of(visit, some):
            # Each once: what the server does not take now is not offered again and again.
            if key not in asked:
                asked.add(key)
                _tell_one(visit, collection, key, tried)


def _keys_of(visit: SourceVisit, rows: QuerySet[RemoteItem]) -> Iterator[int]:
    """Yield the keys of rows as they are then, while the visit lasts."""
    last = 0
    while not visit.is_over():
        later = rows.filter(pk__gt=last).order_by("pk")
        keys = list(later.values_list("pk", flat=True)[:_AT_ONCE])
        if not keys:
            return
        yield from keys
        last = keys[-1]


def _tell_one(
    visit: SourceVisit,
    collection: RemoteCollection,
    key: int,
    tried: set[int],
    busy: frozenset[int] = frozenset(),
) -> None:
    """Tell of one item, first of those that have to be told before it."""
    tried.add(key)
    for _step in range(_MOST_STEPS):
        with visit.writing():
            step = prepare(collection, key, tried, busy | {key})
        match step:
            case None:
                return
            case Before(keys):
                for other in keys:
                    if visit.is_over():
                        return
                    _tell_one(visit, collection, other, tried, busy | {key})
            case Told():
                if not _tell(visit, collection, step) or step.is_last:
                    return


def _tell(visit: SourceVisit, collection: RemoteCollection, told: Told) -> bool:
    """Tell of one change; return whether the server took it."""
    try:
        applied = visit.store.apply(as_listed(collection), told.change, told.if_match)
    except ItemChangedError:
        with visit.writing():
            _read_first(told.row)
        return False
    except ItemRefusedError as error:
        with visit.writing():
            save_refusal(told.row, quoted(error.words, error.reply, _LONGEST_WORDS))
        return False
    except StoreError as error:
        _pass_over(visit, told.row, error)
        return False
    with visit.writing():
        _save(told, applied)
    return True


def _pass_over(visit: SourceVisit, row: RemoteItem, error: StoreError) -> None:
    """Go on with the other items; this one is told the next time, and what is there read before.

    Raises the error where the server fails at more than that: it is not for the item then.
    """
    is_new = not row.problem
    is_unknown = row.href is not None and not row.etag
    is_down = len(visit.failed) >= _MOST_FAILED or (is_new and visit.failure is not None)
    if error.kind != "transient" or is_unknown or is_down:
        raise error
    visit.failed.add(row.pk)
    visit.failure = error if is_new else visit.failure
    with visit.writing():
        words = quoted(error.words, error.reply, _LONGEST_WORDS)
        RemoteItem.objects.filter(pk=row.pk).update(problem=words)


def _read_first(row: RemoteItem) -> None:
    """Have the state that the server has read and settled before it is told of anew."""
    rows = RemoteItem.objects.filter(pk=row.pk)
    rows.exclude(href=None).update(stale=True, etag="")
    # One that is new here was told before, or its folder went: the next list of changes says so.
    words = _("The server has changed there meanwhile; it is tried again.")
    rows.filter(href=None).update(problem=words)


def save_refusal(row: RemoteItem, words: ReasonText) -> None:
    """Note why an item is not told of; it is again when it changes."""
    RemoteItem.objects.filter(pk=row.pk).update(dirty=False, problem=words)


def _save(told: Told, applied: Applied) -> None:
    row = RemoteItem.objects.select_for_update().filter(pk=told.row.pk).first()
    if row is None:
        return
    if isinstance(told.change, Remove):
        row.delete()
        return
    # Another row may have been made of it already, from a list of changes.
    others = RemoteItem.objects.filter(collection_id=row.collection_id, href=applied.id)
    others = others.exclude(pk=row.pk)
    # A folder that was moved here into one which was moved into it there: that stays ours alone.
    tell_as_new(others.filter(path__endswith="/").exclude(key=""))
    others.delete()
    if isinstance(told.change, Move) and row.is_folder:
        _save_below(row, told, applied)
    is_folder = told.path.endswith("/")
    row.href, row.etag = applied.id, FOLDER_STATE if is_folder else applied.etag
    row.agreed, row.path = told.agreed, told.path
    row.raw = told.change.raw if isinstance(told.change, Put) and told.keeps_raw else row.raw
    row.dirty = row.touched != told.touched or bool(differing(told.agreed, told.ours))
    row.unconfirmed = True
    row.stale, row.problem = not row.etag, own("")
    row.save()


def _save_below(folder: RemoteItem, told: Told, applied: Applied) -> None:
    """Note where what stands in a folder is now that we moved it, and under which ids."""
    rows = list(below(folder.collection, folder.path).defer("raw"))
    old, new = str(folder.agreed.get("path", "")), str(told.agreed["path"])
    for row in rows:
        row.path = told.path + row.path.removeprefix(folder.path)
        if row.href and folder.href and applied.id != folder.href:
            row.href = applied.id + row.href.removeprefix(folder.href)
            row.unconfirmed = True
        path = str(row.agreed.get("path", ""))
        if old and path.startswith(old):
            row.agreed["path"] = new + path.removeprefix(old)
    RemoteItem.objects.bulk_update(rows, ["path", "href", "agreed", "unconfirmed"], batch_size=500)
