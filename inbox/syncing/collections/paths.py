"""Where files stand below their collection, as rows have it: a folder's path ends with a slash."""

from django.db.models import Case, F, Q, QuerySet, Value, When
from django.db.models.functions import Concat, Left, Length, Substr

from inbox.models import RemoteCollection, RemoteItem
from inbox.providers.change_store import LARGEST_FILE, Entry
from inbox.reasons import ReasonText
from inbox.reasons import phrase as _

# A folder has no state but its path.
FOLDER_STATE = "folder"
# After every folder.
_LAST = 1_000_000


def place_of(entry: Entry) -> str:
    """Return the path of an entry as its row has it."""
    return f"{entry.path}/" if entry.is_folder else entry.path


def state_of(entry: Entry) -> str:
    """Return what names the state of an entry."""
    return FOLDER_STATE if entry.is_folder else entry.etag


def parent_of(path: str) -> str:
    """Return the path of the folder that something stands in; empty for the collection itself."""
    above, slash, _name = path.rstrip("/").rpartition("/")
    return above + slash


def name_of(path: str) -> str:
    """Return the last name of a path."""
    return path.rstrip("/").rpartition("/")[2]


def too_large(entry: Entry) -> ReasonText | None:
    """Return why an entry is not read, where it is too large for that, or has no bytes."""
    if not entry.path or entry.size is None or entry.size <= LARGEST_FILE:
        return None
    if entry.problem:
        return entry.problem
    return _(
        "It has %(size)s bytes, and at most %(most)s are synced; it stays at the server alone.",
        size=f"{entry.size:,}",
        most=f"{LARGEST_FILE:,}",
    )


def below(collection: RemoteCollection, folder: str) -> QuerySet[RemoteItem]:
    """Return the rows of what stands below a folder, to the letter: case counts at servers."""
    rows = RemoteItem.objects.filter(collection=collection)
    return rows.annotate(head=Left("path", len(folder))).filter(head=folder).exclude(path=folder)


def move_below(collection: RemoteCollection, old: str, new: str) -> None:
    """Note that a folder stands elsewhere, and all below it with it."""
    path = Concat(Value(new), Substr("path", len(old) + 1))
    below(collection, old).update(path=path, stale=Case(When(gone=True, then=False), default=True))


def tell_as_new(rows: QuerySet[RemoteItem]) -> None:
    """Have the server be told of what stands here as of something new."""
    rows.update(
        href=None, path="", etag="", agreed={}, gone=False, stale=False, dirty=True,
        touched=F("touched") + 1, problem="",
    )  # fmt: skip


def by_turns(rows: QuerySet[RemoteItem]) -> QuerySet[RemoteItem]:
    """Order rows of files: folders first, those above others before them; then as they come."""
    turn = Case(When(path__endswith="/", then=Length("path")), default=Value(_LAST))
    return rows.annotate(turn=turn).order_by("turn", F("modified_at").desc(nulls_last=True), "-pk")


def without_place(collection: RemoteCollection) -> QuerySet[RemoteItem]:
    """Return the rows of what was read and could not stand here."""
    fits = Q(size=None) | Q(size__lte=LARGEST_FILE)
    return _unplaced(collection).filter(fits, key="")


def not_moved(collection: RemoteCollection) -> QuerySet[RemoteItem]:
    """Return the rows of what stands here, and perhaps could not follow where it was moved to."""
    return _unplaced(collection).exclude(key="")


def _unplaced(collection: RemoteCollection) -> QuerySet[RemoteItem]:
    rows = RemoteItem.objects.filter(collection=collection, stale=False, gone=False)
    return rows.exclude(problem="").exclude(etag="")
