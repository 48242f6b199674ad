"""What lies in a drive, and what changed of it since a page token."""

from collections.abc import Iterator, Sequence

from inbox.providers.change_store import LARGEST_FILE, MOST_ITEMS, Changes, Collection, Item
from inbox.providers.google.asking import GoogleApi, fields_of
from inbox.providers.google.drive.tree import (
    FIELDS,
    FILES,
    FOLDER,
    File,
    Tree,
    digest_of,
    is_folder,
    key_of,
    parent_of,
)
from inbox.providers.google.positions import read_token, write_token
from inbox.providers.http.addresses import part
from inbox.providers.http.json_values import object_of, text_of
from inbox.providers.http.reading import Answer, LongAnswerError, entries_of
from inbox.providers.http.session import Asked
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _

_CHANGES = "/drive/v3/changes"
_OF_CHANGES = f"nextPageToken,newStartPageToken,changes(fileId,removed,file({FIELDS}))"
# What Google says of a page token that it does not know.
_UNKNOWN_TOKEN = frozenset({400, 404, 410})
_MOST_PAGES = 2_000
# Where so many changed, everything is as quickly read.
_MANY = 25


class DriveReader:
    """Reads a drive; its folders are remembered."""

    def __init__(self, api: GoogleApi) -> None:
        self.api = api
        self._trees: dict[str, Tree] = {}

    # -- changes -----------------------------------------------------------------------------------
    def changes(self, collection: Collection, position: str) -> Changes:
        """Return what changed since a position; the whole where a folder did, or it is unknown.

        What lies below a folder that was moved, or is out of the bin again, no list of changes has
        to name.
        """
        found = self._since(read_token(position))
        if found is None:
            return self._everything(collection)
        changed, gone, token = found
        if not changed and not gone:
            return Changes((), (), write_token(token))
        if any(map(is_folder, changed)) or len(changed) > _MANY:
            return self._everything(collection)
        tree = self.tree(collection)
        for one in changed:
            # The older keeps its name where there are two of one.
            same = self.named(parent_of(one), text_of(one, "name"))
            tree.take_names(sorted(same, key=key_of))
        entries = [tree.entry(one) for one in changed]
        present = {one.id: one for one in entries if one is not None}
        gone |= {key_of(one) for one in changed} - present.keys()
        return Changes(tuple(present.values()), tuple(sorted(gone)), write_token(token))

    def _since(self, token: str) -> tuple[list[File], set[str], str] | None:
        """Return what changed, what is gone, and the next token; None for an unknown one."""
        changed: dict[str, File] = {}
        gone: set[str] = set()
        for _number in range(_MOST_PAGES if token else 0):
            query = {"pageToken": token, "pageSize": 1000, "fields": _OF_CHANGES}
            answer = self.api.ask("GET", _CHANGES, query)
            if answer.status in _UNKNOWN_TOKEN:
                return None
            page = fields_of(answer)
            for one in entries_of(page, "changes"):
                file, key = object_of(one, "file"), text_of(one, "fileId")
                if one.get("removed") is True or not key_of(file):
                    gone.add(key)
                    changed.pop(key, None)
                else:
                    changed[key] = file
                    gone.discard(key)
            if following := text_of(page, "newStartPageToken"):
                return list(changed.values()), gone - {""}, following
            following = text_of(page, "nextPageToken")
            if following in ("", token):
                break
            token = following
        return None

    def _everything(self, collection: Collection) -> Changes:
        token = text_of(self.api.get(f"{_CHANGES}/startPageToken"), "startPageToken")
        files = list(self._listed("trashed=false"))
        tree = Tree(collection.id)
        tree.add_folders(files)
        self._trees[collection.id] = tree
        tree.take_names(sorted(files, key=key_of))
        entries = list(map(tree.entry, files))
        present = tuple(one for one in entries if one is not None)
        if len(present) > MOST_ITEMS:
            words = _("It holds more than %(most)s items.", most=f"{MOST_ITEMS:,}")
            raise StoreError("permanent", words)
        return Changes(present, (), write_token(token), is_whole=True)

    def _listed(self, query: str) -> Iterator[File]:
        asked = {"q": query, "pageSize": 1000, "fields": f"nextPageToken,files({FIELDS})"}
        count = 0
        for page in self.api.pages(FILES, asked):
            found = entries_of(page, "files", "id")
            count += len(found)
            if count > 2 * MOST_ITEMS:
                words = _("It holds more than %(most)s items.", most=f"{MOST_ITEMS:,}")
                raise StoreError("permanent", words)
            yield from found

    def tree(self, collection: Collection) -> Tree:
        """Return the folders of a drive."""
        tree = self._trees.get(collection.id)
        if tree is None:
            tree = self._trees[collection.id] = Tree(collection.id)
            tree.add_folders(self._listed(f"mimeType='{FOLDER}' and trashed=false"))
        return tree

    # -- items -------------------------------------------------------------------------------------
    def fetch(self, collection: Collection, ids: Sequence[str]) -> Iterator[Item]:
        """Yield the files that are still there."""
        for key in ids:
            file = self.file(key) if key != collection.id else None
            raw = self._bytes(key) if file is not None and not is_folder(file) else None
            if raw is not None:
                yield Item(key, digest_of(raw), raw)

    def file(self, key: str) -> File | None:
        """Return a file; None where it is not there, or in the bin."""
        answer = self.api.ask("GET", f"{FILES}/{part(key)}", {"fields": FIELDS})
        if answer.status in (404, 410):
            return None
        file = fields_of(answer)
        return None if file.get("trashed") is True else file

    def _bytes(self, key: str) -> bytes | None:
        url = self.api.url(f"{FILES}/{part(key)}?alt=media")
        try:
            answer: Answer = self.api.send(Asked("GET", url), LARGEST_FILE)
        except LongAnswerError:
            return None
        if answer.status in (404, 410):
            return None
        if answer.status == 403 and b"ownload" in answer.body:
            # It may not be downloaded, or has nothing that could be.
            return None
        if not answer.is_good:
            fields_of(answer)
        return answer.body

    def named(self, folder: str, name: str) -> list[File]:
        """Return what has a name in a folder."""
        said = name.replace("\\", "\\\\").replace("'", "\\'")
        query = f"'{folder}' in parents and name='{said}' and trashed=false"
        # Google finds whatever has the name in other letters, capital or small.
        return [one for one in self._listed(query) if text_of(one, "name") == name]
