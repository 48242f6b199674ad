"""What changed in a collection since a position, where Graph has a list of changes for it.

A position is the address that Graph gave for the next look (`@odata.deltaLink`).
"""

from collections.abc import Callable

from inbox.providers.change_store import MOST_ITEMS, Changes, Collection, Entry
from inbox.providers.graph.answers import etag, instant
from inbox.providers.graph.asking import ForgottenError, GraphApi
from inbox.providers.http.json_values import object_of, text_of
from inbox.providers.http.reading import entries_of
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _

_PAGE = 200


class DeltaLister:
    """Lists the changes of collections; `path` is where the items of one are.

    `options` are those of the first look, which the addresses of all others have in them.
    """

    def __init__(self, api: GraphApi, path: Callable[[Collection], str], options: str = "") -> None:
        self._api = api
        self._path = path
        self._options = options

    def changes(self, collection: Collection, position: str) -> Changes:
        """Return what changed since a position."""
        path = f"{self._path(collection)}/delta"
        if self._api.is_link(path, position):
            try:
                return _read(self._api, position, is_whole=False)
            except ForgottenError:
                pass
        url = f"{path}?{self._options}" if self._options else path
        return _read(self._api, url, is_whole=True)


def _read(api: GraphApi, url: str, *, is_whole: bool) -> Changes:
    present: dict[str, Entry] = {}
    gone: dict[str, None] = {}
    link = ""
    for page in api.pages(url, _PAGE):
        for one in entries_of(page, "value", "id", required=True):
            id_ = text_of(one, "id")
            if object_of(one, "@removed"):
                present.pop(id_, None)
                gone[id_] = None
            elif id_:
                gone.pop(id_, None)
                present[id_] = Entry(id_, etag(one), instant(one, "lastModifiedDateTime"))
        link = text_of(page, "@odata.deltaLink")
        if len(present) > MOST_ITEMS:
            break
    if not link and len(present) <= MOST_ITEMS:
        raise StoreError("transient", _("The server's list of changes does not end."))
    if link:
        api.check_link(link)
    return Changes(tuple(present.values()), tuple(gone), link, is_whole=is_whole)
