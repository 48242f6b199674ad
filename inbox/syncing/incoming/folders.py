"""The provider's mailboxes and ours: found, renamed, gone, and which has what role."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from inbox.models.remote import RemoteFolder, RemoteMessage
from inbox.providers.mail_store import Folder, FolderState, StoreError
from inbox.reasons import phrase as _
from inbox.syncing.incoming.own_mailboxes import (
    free_name,
    give_role,
    mailbox_for,
    printable_name,
)
from inbox.syncing.visits import Visit

LONGEST_NAME = 1000
_SAMPLE = 50

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Listing:
    """Our rows beside what the provider lists: those there, with their states, and those gone."""

    there: Sequence[tuple[RemoteFolder, FolderState]]
    gone: Sequence[RemoteFolder]


def list_folders(visit: Visit) -> Listing:
    """Ask which mailboxes there are, and have our rows follow; what is gone is left to be emptied.

    Raises StoreError, also where the list cannot be true.
    """
    listed = {folder.name: folder for folder in _selectable(visit)}
    if "INBOX" not in listed:
        raise StoreError("transient", _("The server lists no INBOX, which every account has."))
    rows = {row.name: row for row in _rows(visit)}
    missing = [row for name, row in rows.items() if name not in listed]
    new = {name: folder for name, folder in listed.items() if name not in rows}
    renamed = _find_renamed(visit, missing, new)
    gone = [row for row in missing if row.pk not in renamed and _is_gone(visit, row)]
    there = [(row, listed[name]) for name, row in rows.items() if name in listed]
    if renamed or new or any(row.role != it.role or not row.read_down_to for row, it in there):
        with visit.writing():
            for row in missing:
                if row.pk in renamed:
                    _rename(visit, row, renamed[row.pk])
                    del new[row.name]
            for folder in new.values():
                _adopt(visit, folder)
            _give_roles(visit, listed)
            _begin_reading(visit, listed)
    return Listing(
        [(row, _state(listed[row.name])) for row in _rows(visit) if row.name in listed], gone
    )


def _selectable(visit: Visit) -> Iterator[Folder]:
    """Yield what can be opened, with its state; where no list tells them, each is asked for."""
    for folder in visit.store.folders():
        if not folder.selectable or len(folder.name) > LONGEST_NAME:
            continue
        if folder.state is not None:
            yield folder
            continue
        try:
            yield replace(folder, state=visit.store.folder_state(folder.name))
        except StoreError as error:
            if error.kind not in ("gone", "permanent"):
                raise
            log.warning("a folder of account %s tells no state", visit.account.pk)


def _state(folder: Folder) -> FolderState:
    return folder.state or FolderState(0, 0, 0)


def _rows(visit: Visit) -> list[RemoteFolder]:
    rows = RemoteFolder.objects.filter(account=visit.account).select_related("mailbox")
    return list(rows.order_by("pk"))


def _is_gone(visit: Visit, row: RemoteFolder) -> bool:
    """Ask for the one mailbox: no hiccup of a list may cost anybody a folder."""
    try:
        visit.store.folder_state(row.name)
    except StoreError as error:
        if error.kind not in ("gone", "permanent"):
            raise
        return True
    log.warning("folder %s is there, but was not listed", row.pk)
    return False


# -- renamed ---------------------------------------------------------------------------------------
def _find_renamed(
    visit: Visit, missing: Sequence[RemoteFolder], new: Mapping[str, Folder]
) -> dict[int, Folder]:
    """Return what became of rows whose name is gone, where a new one is certainly the same."""
    found: dict[int, Folder] = {}
    for row in missing:
        alike = [folder for folder in new.values() if _may_be(row, folder.state)]
        rivals = [other for other in missing if other.uidvalidity == row.uidvalidity]
        if len(alike) == len(rivals) == 1 and _holds_the_same(visit, row, alike[0]):
            found[row.pk] = alike[0]
    return found


def _may_be(row: RemoteFolder, state: FolderState | None) -> bool:
    """Compare the numbers; a renamed mailbox keeps them on most servers (RFC 9051 6.3.6)."""
    if state is None or not row.uidvalidity:
        return False
    return state.uidvalidity == row.uidvalidity and state.uidnext >= row.uidnext


def _holds_the_same(visit: Visit, row: RemoteFolder, folder: Folder) -> bool:
    """Compare the sizes of some messages: a mailbox made anew may bear the same numbers."""
    places = RemoteMessage.objects.filter(folder=row, message__submission=None)
    places = places.exclude(message=None).filter(uid__lt=RemoteMessage.FORMER).order_by("-uid")
    ours = dict(places.values_list("uid", "message__size")[:_SAMPLE])
    if not ours:
        return folder.state is not None and folder.state.uidnext == row.uidnext
    try:
        visit.store.open(folder.name, read_only=True)
        theirs = visit.store.sizes(list(ours))
    except StoreError as error:
        if error.kind in ("gone", "permanent"):
            return False
        raise
    return bool(theirs) and all(ours[uid] == size for uid, size in theirs.items())


def _rename(visit: Visit, row: RemoteFolder, folder: Folder) -> None:
    row.name, row.delimiter = folder.name, folder.delimiter
    row.save(update_fields=["name", "delimiter"])
    if not row.mailbox.role:
        row.mailbox.name = free_name(visit, shown_name(folder), but=row.mailbox)
        row.mailbox.save(update_fields=["name"])


# -- new -------------------------------------------------------------------------------------------
def _adopt(visit: Visit, folder: Folder) -> None:
    """Make the row of a mailbox, for the one of ours that has its role or name, or a new one."""
    mailbox = mailbox_for(visit, shown_name(folder), folder.role)
    if mailbox.pk is None:
        mailbox.save()
    RemoteFolder.objects.create(
        account=visit.account, mailbox=mailbox, name=folder.name, delimiter=folder.delimiter,
        role=folder.role,
    )  # fmt: skip


def _begin_reading(visit: Visit, listed: Mapping[str, Folder]) -> None:
    """Draw the line in new mailboxes: what lies in them now is read newest first, the rest is news.

    With all lines drawn at once nothing that moves between two of them meanwhile is overlooked.
    """
    begun = []
    for row in _rows(visit):
        folder = listed.get(row.name)
        if row.read_down_to or folder is None:
            continue
        state = _state(folder)
        row.uidvalidity, row.messages = state.uidvalidity, state.messages
        row.uidnext = row.read_down_to = max(state.uidnext, 1)
        row.highest_modseq = state.highest_modseq
        begun.append(row)
    columns = ["uidvalidity", "messages", "uidnext", "read_down_to", "highest_modseq"]
    RemoteFolder.objects.bulk_update(begun, columns, batch_size=500)


def shown_name(folder: Folder) -> str:
    """Return a mailbox's name for people: its path with slashes, without the INBOX it is in."""
    name = folder.name
    if folder.delimiter:
        name = name.removeprefix(f"INBOX{folder.delimiter}").replace(folder.delimiter, "/")
    return printable_name(name)


# -- roles -----------------------------------------------------------------------------------------
def _give_roles(visit: Visit, listed: Mapping[str, Folder]) -> None:
    """Have each role at the mailbox that has it there; the queries are few, for roles are."""
    for row in _rows(visit):
        folder = listed.get(row.name)
        if folder is None:
            continue
        if row.role != folder.role:
            row.role = folder.role
            row.save(update_fields=["role"])
        if folder.role and row.mailbox.role != folder.role:
            give_role(visit, row, folder.role)
