"""The contacts of an account at Google, by sync tokens."""

from collections.abc import Iterator, Sequence
from typing import Any

from inbox.formats.vcard import Card
from inbox.providers.change_store import (
    MOST_ITEMS,
    Applied,
    Change,
    Changes,
    Collection,
    Entry,
    Item,
    ItemChangedError,
    ItemRefusedError,
    Move,
    Remove,
)
from inbox.providers.google.asking import (
    ACCOUNT,
    MOST_PAGES,
    GoogleApi,
    fields_of,
    reasons_of,
    refused_change,
)
from inbox.providers.google.person_format import (
    FIELDS,
    body_of,
    contact_source,
    difference,
    read_card,
    uid_in,
    uid_of,
    write_person,
)
from inbox.providers.google.positions import UnknownTokenError, read_token, write_token
from inbox.providers.http.json_values import object_of, objects_of, text_of
from inbox.providers.http.reading import Answer, entries_of
from inbox.providers.mail_store import StoreError
from inbox.reasons import of_error
from inbox.reasons import phrase as _

_READ = {"personFields": ",".join(FIELDS), "sources": "READ_SOURCE_TYPE_CONTACT"}
_LISTED = {**_READ, "pageSize": 1000, "requestSyncToken": "true"}
# So many are read at once.
_AT_ONCE = 200
_CHANGED = frozenset({"failedPrecondition", "FAILED_PRECONDITION", "ABORTED"})


class PeopleStore:
    """The contacts of a source."""

    def __init__(self, api: GoogleApi) -> None:
        self._api = api
        # The UIDs that contacts were made under, once something is to be made.
        self._uids: set[str] | None = None

    def changes(self, collection: Collection, position: str) -> Changes:
        """Return what changed since a position, the whole where Google does not know it."""
        token = read_token(position)
        if token:
            try:
                found, following = self._list(collection, token)
            except UnknownTokenError:
                pass
            else:
                gone = {text_of(it, "resourceName") for it in found if _is_deleted(it)}
                # One that was merged into another goes by its name from then on.
                gone |= {name for it in found for name in _former_names(it)}
                present = tuple(_entry(it) for it in found if not _is_deleted(it))
                gone -= {each.id for each in present}
                return Changes(present, tuple(sorted(gone)), write_token(following))
        found, following = self._list(collection, "")
        present = tuple(_entry(it) for it in found if not _is_deleted(it))
        if len(present) > MOST_ITEMS:
            words = _("It holds more than %(most)s items.", most=f"{MOST_ITEMS:,}")
            raise StoreError("permanent", words)
        return Changes(present, (), write_token(following), is_whole=True)

    def _list(self, collection: Collection, token: str) -> tuple[list[dict[str, Any]], str]:
        """Return all contacts, or those that changed since a token, and the next token."""
        query: dict[str, Any] = {**_LISTED, **({"syncToken": token} if token else {})}
        found: list[dict[str, Any]] = []
        for _number in range(MOST_PAGES):
            answer = self._api.ask("GET", f"/v1/{collection.id}/connections", query)
            # Google says 400 of one that is over (EXPIRED_SYNC_TOKEN), and of one that is none.
            if token and answer.status in (400, 410):
                raise UnknownTokenError
            page = fields_of(answer)
            found += [
                dict(it) for it in entries_of(page, "connections", "resourceName") if _name(it)
            ]
            if len(found) > 2 * MOST_ITEMS:
                break
            following = text_of(page, "nextPageToken")
            if not following and text_of(page, "nextSyncToken"):
                return found, text_of(page, "nextSyncToken")
            if not following or following == query.get("pageToken"):
                break
            query["pageToken"] = following
        raise StoreError("permanent", _("The server's list of changes does not end."))

    def fetch(self, collection: Collection, ids: Sequence[str]) -> Iterator[Item]:
        """Yield the contacts that are still there."""
        known = [key for key in ids if _is_of(collection, key)]
        for at in range(0, len(known), _AT_ONCE):
            names = known[at : at + _AT_ONCE]
            page = self._api.get("/v1/people:batchGet", {**_READ, "resourceNames": names})
            asked = {*names}
            for response in objects_of(page, "responses"):
                key = text_of(response, "requestedResourceName")
                person = object_of(response, "person")
                if person and key in asked and not _is_deleted(person):
                    asked.remove(key)
                    yield Item(key, _etag(person), write_person(person))

    # -- changing ----------------------------------------------------------------------------------
    def apply(self, collection: Collection, change: Change, if_match: str) -> Applied:
        """Do one change; raises ItemChangedError, ItemRefusedError or StoreError."""
        if isinstance(change, Move):
            raise ItemRefusedError(_("Only files can be moved."))
        if change.id and not _is_of(collection, change.id):
            raise ItemRefusedError(_("%(path)s is no path of a file.", path=change.id))
        if isinstance(change, Remove):
            return self._remove(change.id, if_match)
        try:
            card = read_card(change.raw)
        except ValueError as error:
            words = _("The server does not take it: %(why)s.", why=of_error(error))
            raise ItemRefusedError(words) from error
        if not change.id:
            return self._create(collection, card)
        return self._replace(change.id, card, if_match)

    def _create(self, collection: Collection, card: Card) -> Applied:
        uids, uid = self._known_uids(collection), uid_in(card)
        if uid in uids:
            raise ItemChangedError
        made = self._api.ask("POST", "/v1/people:createContact", _READ, body_of(card))
        key = _name(_done(made))
        uids.add(uid)
        return Applied(key, "")

    def _replace(self, name: str, card: Card, if_match: str) -> Applied:
        person = self._person(name)
        if person is None or (if_match and _etag(person) != if_match):
            raise ItemChangedError
        if body := difference(person, card):
            self._update(person, body)
        return Applied(name, "")

    def _known_uids(self, collection: Collection) -> set[str]:
        """Return the UIDs of all contacts; lists of changes may be some minutes behind."""
        if self._uids is None:
            self._uids = {uid_of(it) for it in self._list(collection, "")[0]}
        return self._uids

    def _person(self, name: str) -> dict[str, Any] | None:
        answer = self._api.ask("GET", f"/v1/{name}", _READ)
        return None if answer.status == 404 else fields_of(answer)

    def _update(self, person: dict[str, Any], body: dict[str, Any]) -> None:
        source = contact_source(person)
        known = {name: source[name] for name in ("type", "id", "etag") if name in source}
        query = {**_READ, "updatePersonFields": ",".join(sorted(body))}
        said = {**body, "etag": person["etag"], "metadata": {"sources": [known]}}
        answer = self._api.ask("PATCH", f"/v1/{_name(person)}:updateContact", query, said)
        if answer.status == 404 or (answer.status in (400, 409) and _CHANGED & reasons_of(answer)):
            raise ItemChangedError
        _done(answer)

    def _remove(self, name: str, if_match: str) -> Applied:
        person = self._person(name)
        if person is None:
            return Applied(name, "")
        # Google deletes whatever is there: what changes in this moment goes with it.
        if if_match and _etag(person) != if_match:
            raise ItemChangedError
        answer = self._api.ask("DELETE", f"/v1/{name}:deleteContact")
        if answer.status != 404:
            _done(answer)
        return Applied(name, "")


def _is_of(collection: Collection, key: str) -> bool:
    """Return True for the name of a contact, which goes into a path as it is."""
    return collection.id == ACCOUNT and bool(_name({"resourceName": key}))


def _done(answer: Answer) -> dict[str, Any]:
    if not answer.is_good:
        raise refused_change(answer)
    return fields_of(answer)


def _name(person: Any) -> str:
    """Return the id of a contact, such as people/c123; empty where it is none."""
    name = text_of(person, "resourceName")
    return name if name.startswith("people/") and name[7:].isalnum() and name.isascii() else ""


def _etag(person: Any) -> str:
    return text_of(contact_source(person), "etag") or text_of(person, "etag")


def _entry(person: Any) -> Entry:
    return Entry(_name(person), _etag(person))


def _is_deleted(person: Any) -> bool:
    return object_of(person, "metadata").get("deleted") is True


def _former_names(person: Any) -> list[str]:
    named = object_of(person, "metadata").get("previousResourceNames")
    return [it for it in named if isinstance(it, str)] if isinstance(named, list) else []
