"""Contacts in Graph's folders: told by their changes, fetched, and changed field by field."""

from collections.abc import Iterator, Sequence
from typing import Any

from inbox.providers.change_store import (
    LARGEST_ITEM,
    Applied,
    Change,
    Collection,
    Item,
    ItemChangedError,
    ItemRefusedError,
    Put,
    Remove,
)
from inbox.providers.graph.answers import DEFAULT, Json, etag
from inbox.providers.graph.asking import GraphApi, query
from inbox.providers.graph.cards import (
    kept_of,
    read_card,
    read_kept,
    write_card,
    write_kept,
    written,
)
from inbox.providers.graph.kept import EXPANDED, NAME, REST, named, properties, value_of
from inbox.providers.http.addresses import part
from inbox.providers.http.json_values import text_of
from inbox.providers.http.reading import entries_of
from inbox.reasons import of_error
from inbox.reasons import phrase as _

_WHOLE = query({"$expand": EXPANDED})


class Contacts:
    """The contacts of an account."""

    def __init__(self, api: GraphApi) -> None:
        self._api = api

    def fetch(self, _collection: Collection, ids: Sequence[str]) -> Iterator[Item]:
        """Yield the contacts that are still there."""
        ids = list(dict.fromkeys(ids))
        for id_, got in zip(ids, self._api.batch([_path(each) for each in ids]), strict=True):
            if got.status == 200:
                raw = _card(id_, got.fields)
                if len(raw) <= LARGEST_ITEM:
                    yield Item(id_, etag(got.fields), raw)

    def apply(self, collection: Collection, change: Change, if_match: str) -> Applied:
        """Do one change; raises ItemChangedError, ItemRefusedError."""
        match change:
            case Put(id=""):
                return self._create(collection, change)
            case Put():
                return self._update(change, if_match)
            case Remove():
                return self._remove(change, if_match)
        raise ItemRefusedError(_("A contact is not moved."))

    def _create(self, collection: Collection, change: Put) -> Applied:
        options = {"$filter": named(change.name), "$select": "id", "$top": "1"}
        path = folder_of(collection)
        if entries_of(self._api.get(f"{path}?{query(options)}"), "value", required=True):
            raise ItemChangedError
        fields, rest = _said(change.raw, {})
        body = written({name: value for name, value in fields.items() if value}, {})
        values = {NAME: change.name} | ({REST: rest} if rest else {})
        body["singleValueExtendedProperties"] = properties(values)
        return Applied(text_of(self._api.change("POST", path, body), "id"), "")

    def _update(self, change: Put, if_match: str) -> Applied:
        found = self._api.find(_path(change.id))
        if found is None or (if_match and etag(found) != if_match):
            raise ItemChangedError
        before = read_card(_card(change.id, found)).fields
        fields, rest = _said(change.raw, found)
        differing = {name: value for name, value in fields.items() if value != before[name]}
        body: dict[str, Any] = written(differing, found)
        if rest != value_of(found, REST):
            body["singleValueExtendedProperties"] = properties({REST: rest})
        if body:
            self._api.change("PATCH", f"/me/contacts/{part(change.id)}", body, etag(found))
        return Applied(change.id, "")

    def _remove(self, change: Remove, if_match: str) -> Applied:
        found = self._api.find(_path(change.id))
        if found is not None:
            if if_match and etag(found) != if_match:
                raise ItemChangedError
            self._api.change("DELETE", f"/me/contacts/{part(change.id)}", etag=etag(found))
        return Applied(change.id, "")


def _said(raw: bytes, found: Json) -> tuple[dict[str, Any], str]:
    """Return a card in Graph's words, and what is kept of it; raises ItemRefusedError."""
    try:
        said = read_card(raw)
        after = {**found, **written(said.fields, found)}
        return said.fields, write_kept(kept_of(raw, said.rest, after))
    except (ValueError, OverflowError) as error:
        words = _("The server does not take it: %(why)s.", why=of_error(error))
        raise ItemRefusedError(words) from error


def _card(id_: str, found: Json) -> bytes:
    return write_card(found, value_of(found, NAME) or id_, read_kept(value_of(found, REST)))


def folder_of(collection: Collection) -> str:
    """Return where the contacts of a folder are."""
    if collection.id == DEFAULT:
        return "/me/contacts"
    return f"/me/contactFolders/{part(collection.id)}/contacts"


def _path(id_: str) -> str:
    return f"/me/contacts/{part(id_)}?{_WHOLE}"
