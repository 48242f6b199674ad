"""Folders as mailboxes: their paths, and which has what role."""

from collections.abc import Mapping

from inbox.providers.graph.answers import Json
from inbox.providers.graph.asking import GraphApi, Part, query
from inbox.providers.graph.mail.states import FOLDERS
from inbox.providers.http.addresses import part
from inbox.providers.http.json_values import text_of
from inbox.providers.http.reading import entries_of
from inbox.providers.http.session import read_fields, refused
from inbox.providers.mail_changes import MOST_MAILBOXES, MailboxEntry
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _

# A list of changes from the beginning is the one list that has all folders, however deep.
_EVERY = f"{FOLDERS}/delta?{query({'$select': 'displayName,parentFolderId,isHidden'})}"
_ROLES = {
    "inbox": "inbox", "sentitems": "sent", "drafts": "drafts", "archive": "archive",
    "junkemail": "junk", "deleteditems": "trash",
}  # fmt: skip
# What is on its way, and what Outlook notes of itself.
_PASSED_OVER = ("outbox", "syncissues")
_USUAL = {"archive": "Archive"}
_PAGE, _DEEPEST = 200, 30


def list_folders(api: GraphApi) -> list[MailboxEntry]:
    """Return every folder in which mail lies, by its path; one call. Raises StoreError."""
    names = (*_ROLES, *_PASSED_OVER)
    asked = [_EVERY, *(f"{FOLDERS}/{name}?{query({'$select': 'id'})}" for name in names)]
    every, *known = api.batch(asked, _PAGE)
    id_of = {name: _id_of(api, found) for name, found in zip(names, known, strict=True)}
    passed = {id_of[name] for name in _PASSED_OVER}
    role_of = {id_of[name]: role for name, role in _ROLES.items() if id_of[name]}
    by_id = {text_of(one, "id"): one for one in _listed(api, every) if text_of(one, "id")}
    found = [
        MailboxEntry(key, path, role_of.get(key, ""))
        for key in by_id
        if (path := _path(key, by_id, passed))
    ]
    return _with_usual(found)


def make_folder(api: GraphApi, name: str) -> str:
    """Make a folder at the top and return its id; of one that is there, that one's."""
    answer = api.ask("POST", FOLDERS, {"displayName": name})
    if answer.status == 409:
        for entry in list_folders(api):
            if entry.name.casefold() == name.casefold():
                return entry.id
    made = text_of(read_fields(answer), "id")
    if not made:
        raise StoreError("transient", _("The server does not say what it made."))
    return made


def folder_path(folder: str) -> str:
    """Return where a folder is."""
    return f"{FOLDERS}/{part(folder)}"


def _id_of(api: GraphApi, found: Part) -> str:
    if found.status == 404:
        return ""
    if found.status != 200:
        raise refused(api.answer_of(found))
    return text_of(found.fields, "id")


def _listed(api: GraphApi, first: Part) -> list[Json]:
    if first.status != 200:
        raise refused(api.answer_of(first))
    pages = [first.fields]
    if link := text_of(first.fields, "@odata.nextLink"):
        api.check_link(link)
        pages += api.pages(link, _PAGE)
    found = (one for page in pages for one in entries_of(page, "value", "id", required=True))
    kept: list[Json] = [one for one in found if "@removed" not in one]
    return kept[:MOST_MAILBOXES]


def _path(key: str, by_id: Mapping[str, Json], passed: set[str]) -> str:
    """Return the path of a folder; empty where it or one above it is hidden or passed over."""
    parts: list[str] = []
    for _depth in range(_DEEPEST):
        one = by_id.get(key)
        if one is None:
            break
        if key in passed or one.get("isHidden") is True:
            return ""
        parts.append(text_of(one, "displayName")[:255] or "?")
        key = text_of(one, "parentFolderId")
    return "/".join(reversed(parts))


def _with_usual(entries: list[MailboxEntry]) -> list[MailboxEntry]:
    """Have a folder of the usual name have a role that no other has."""
    held = {entry.role for entry in entries}
    role_of = {name: role for role, name in _USUAL.items() if role not in held}
    return [
        MailboxEntry(entry.id, entry.name, entry.role or role_of.pop(entry.name, ""))
        for entry in entries
    ]
