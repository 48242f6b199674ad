"""What changed in a drive since a position.

Graph's list of changes names each item by its id and that of its folder, and not by its path: a
folder that moves is named alone. Folders that a list does not name are asked for.
"""

from dataclasses import dataclass, field

from inbox.providers.change_store import MOST_ITEMS, Changes, Collection, Entry
from inbox.providers.graph.answers import Json, instant
from inbox.providers.graph.asking import ForgottenError, GraphApi, query
from inbox.providers.http.addresses import part
from inbox.providers.http.json_values import object_of, text_of
from inbox.providers.http.reading import entries_of
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _

DEEPEST = 40
_DELTA = "/me/drive/root/delta"
_SELECTED = query(
    {"$select": "id,name,parentReference,root,folder,file,deleted,size,cTag,lastModifiedDateTime"}
)
_PLACE = query({"$select": "id,name,parentReference,root"})
_PAGE = 200


@dataclass(slots=True)
class _Tree:
    """Items as they were told last, by id; None for a folder that is not there."""

    items: dict[str, Json | None] = field(default_factory=dict)

    def unknown(self) -> list[str]:
        """Return the folders that something lies in and nothing is known of."""
        parents = {_parent(one) for one in self.items.values() if one}
        return sorted(parents - self.items.keys() - {""})

    def path(self, item: Json) -> str | None:
        """Return where an item stands below the root; None for nowhere."""
        names: list[str] = []
        here: Json | None = item
        while here is not None and len(names) <= DEEPEST:
            if "root" in here:
                return "/".join(reversed(names))
            names.append(text_of(here, "name"))
            here = self.items.get(_parent(here))
        return None


class DriveLister:
    """Lists what changed in a drive."""

    def __init__(self, api: GraphApi) -> None:
        self._api = api

    def changes(self, _collection: Collection, position: str) -> Changes:
        """Return what changed since a position."""
        if position.startswith(f"{self._api.base}{_DELTA}?") and "token=" in position:
            try:
                return self._read(position, is_whole=False)
            except ForgottenError:
                pass
        return self._read(f"{_DELTA}?{_SELECTED}", is_whole=True)

    def _read(self, url: str, *, is_whole: bool) -> Changes:
        tree = _Tree()
        gone: dict[str, None] = {}
        link = ""
        for page in self._api.pages(url, _PAGE):
            for one in entries_of(page, "value", "id", required=True):
                id_ = text_of(one, "id")
                tree.items.pop(id_, None)
                gone.pop(id_, None)
                if "deleted" in one:
                    gone[id_] = None
                elif id_:
                    tree.items[id_] = one
            link = text_of(page, "@odata.deltaLink")
            if len(tree.items) > MOST_ITEMS:
                words = _("It holds more than %(most)s items.", most=f"{MOST_ITEMS:,}")
                raise StoreError("permanent", words)
        if not link:
            raise StoreError("transient", _("The server's list of changes does not end."))
        self._api.check_link(link)
        told = list(tree.items.values())
        self._find_folders(tree)
        entries = (_entry(tree, one) for one in told if one is not None)
        present = tuple(entry for entry in entries if entry is not None)
        return Changes(present, tuple(gone), link, is_whole=is_whole)

    def _find_folders(self, tree: _Tree) -> None:
        for _level in range(DEEPEST):
            unknown = tree.unknown()
            if not unknown:
                return
            paths = [f"/me/drive/items/{part(id_)}?{_PLACE}" for id_ in unknown]
            for id_, got in zip(unknown, self._api.batch(paths), strict=True):
                tree.items[id_] = got.fields if got.status == 200 else None


def _parent(item: Json) -> str:
    return text_of(object_of(item, "parentReference"), "id")


def _entry(tree: _Tree, item: Json) -> Entry | None:
    """Return an item as it is there; None for the root, and for what is neither file nor folder."""
    path = tree.path(item)
    is_folder, is_file = "folder" in item, "file" in item
    if not path or not (is_folder or is_file):
        return None
    size = item.get("size")
    is_size = isinstance(size, int) and 0 <= size < 2**63
    return Entry(
        text_of(item, "id"), "" if is_folder else text_of(item, "cTag"),
        instant(item, "lastModifiedDateTime"), path, is_folder=is_folder,
        size=size if is_size and is_file else None,
    )  # fmt: skip
