"""The collections of an account at Graph, of the kinds that were granted."""

from collections.abc import Callable, Iterator
from itertools import islice

from inbox.providers.change_store import Collection
from inbox.providers.graph.answers import DEFAULT, DRIVE, Json
from inbox.providers.graph.asking import GraphApi, is_not_granted, query
from inbox.providers.http.json_values import text_of
from inbox.providers.http.reading import entries_of
from inbox.providers.http.session import read_fields, refused
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _

_CALENDARS = query({"$select": "id,name,hexColor,canEdit,isDefaultCalendar", "$top": "100"})
_FOLDERS = query({"$select": "id,displayName", "$top": "100"})
_LISTS = query({"$top": "100"})
MOST = 500


def collections_of(api: GraphApi) -> list[Collection]:
    """Return calendars, folders of contacts, lists of to-dos and the drive; raises StoreError.

    A kind that was not granted is left out, unless none was.
    """
    found: list[Collection] = []
    refusal: StoreError | None = None
    for url, read in _KINDS:
        answer = api.ask("GET", url)
        if is_not_granted(answer):
            refusal = refused(answer)
            continue
        if answer.status == 404:
            # The account has no mailbox, or no drive.
            continue
        pages = [read_fields(answer)]
        if link := text_of(pages[0], "@odata.nextLink"):
            api.check_link(link)
            pages += api.pages(link)
        # The drive is one thing, and no list.
        lists = [] if read is _drive else pages
        told = (one for page in lists for one in entries_of(page, "value", "id", required=True))
        found += read(list(islice(told, MOST)))
    if refusal is not None and not found:
        raise refusal
    return found


def _calendars(found: list[Json]) -> Iterator[Collection]:
    for one in found:
        color = text_of(one, "hexColor")
        is_color = len(color) == 7 and color.startswith("#")
        if text_of(one, "id"):
            yield Collection(
                text_of(one, "id"), "calendar", text_of(one, "name"), color if is_color else "",
                writable=one.get("canEdit") is True,
                is_default=one.get("isDefaultCalendar") is True,
            )  # fmt: skip


def _folders(found: list[Json]) -> Iterator[Collection]:
    # The account's own folder is not among them.
    yield Collection(DEFAULT, "contacts", str(_("Contacts")), is_default=True)
    for one in found:
        if text_of(one, "id"):
            yield Collection(text_of(one, "id"), "contacts", text_of(one, "displayName"))


def _lists(found: list[Json]) -> Iterator[Collection]:
    for one in found:
        known = text_of(one, "wellknownListName")
        # Flagged mail is listed there as well; it is mail.
        if text_of(one, "id") and known != "flaggedEmails":
            is_default = known == "defaultList"
            yield Collection(
                text_of(one, "id"), "todos", text_of(one, "displayName"), is_default=is_default
            )


def _drive(_found: list[Json]) -> Iterator[Collection]:
    yield Collection(DRIVE, "files", "OneDrive")


_KINDS: tuple[tuple[str, Callable[[list[Json]], Iterator[Collection]]], ...] = (
    (f"/me/calendars?{_CALENDARS}", _calendars),
    (f"/me/contactFolders?{_FOLDERS}", _folders),
    (f"/me/todo/lists?{_LISTS}", _lists),
    (f"/me/drive/root?{query({'$select': 'id'})}", _drive),
)
