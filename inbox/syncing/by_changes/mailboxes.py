"""The provider's mailboxes and ours, by their ids: found, renamed, gone, and which has a role."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from inbox.models import Mailbox
from inbox.models.remote import RemoteFolder, RemoteMessage
from inbox.providers.mail_changes import LONGEST_ID, MOST_MAILBOXES, MailboxEntry
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _
from inbox.syncing.incoming.folders import LONGEST_NAME
from inbox.syncing.incoming.own_mailboxes import (
    free_name,
    give_role,
    mailbox_for,
    printable_name,
)
from inbox.syncing.visits import ChangesVisit

_ROLES = frozenset({"inbox", "sent", "drafts", "archive", "junk", "trash"})
_LONGEST_BASE = LONGEST_NAME - 10


@dataclass(frozen=True, slots=True)
class Mailboxes:
    """Our rows of the mailboxes that are there, by the provider's ids, and of those gone."""

    there: Mapping[str, RemoteFolder]
    gone: tuple[RemoteFolder, ...]

    @property
    def keys(self) -> list[int]:
        """The keys of all rows."""
        return [row.pk for row in (*self.there.values(), *self.gone)]


def follow_mailboxes(visit: ChangesVisit) -> Mailboxes:
    """Ask which mailboxes there are, and have our rows follow; raises StoreError.

    Rows of what is gone stay until it is known what became of their messages.
    """
    rows = _rows(visit)
    listed = {entry.id: entry for entry in _named(_fit(visit.store.mailboxes()), rows)}
    if not any(entry.role == "inbox" for entry in listed.values()):
        raise StoreError("transient", _("The server lists no inbox, which every account has."))
    if any(_differs(rows.get(entry.id), entry) for entry in listed.values()):
        with visit.writing():
            _free_names(rows, listed)
            for entry in listed.values():
                _keep(visit, rows.get(entry.id), entry)
        rows = _rows(visit)
    return Mailboxes(
        {key: row for key, row in rows.items() if key in listed},
        tuple(row for key, row in rows.items() if key not in listed),
    )


def remove_gone(visit: ChangesVisit, mailboxes: Mailboxes) -> None:
    """Remove the rows of mailboxes that are gone and that hold nothing any more."""
    for row in mailboxes.gone:
        with visit.writing():
            if RemoteMessage.objects.filter(folder=row).exists():
                continue
            mailbox = row.mailbox
            row.delete()
            if not mailbox.role and not mailbox.messages.exists():
                mailbox.delete()


def _fit(entries: Iterable[MailboxEntry]) -> list[MailboxEntry]:
    """Return what can be followed of a list: bounded, each id and role once."""
    found: dict[str, MailboxEntry] = {}
    roles: set[str] = set()
    for entry in entries:
        if not entry.id or len(entry.id) > LONGEST_ID or entry.id in found:
            continue
        role = entry.role if entry.role in _ROLES - roles else ""
        roles.add(role)
        found[entry.id] = replace(entry, role=role)
        if len(found) >= MOST_MAILBOXES:
            break
    return list(found.values())


def _named(entries: Iterable[MailboxEntry], rows: Mapping[str, RemoteFolder]) -> list[MailboxEntry]:
    """Have each have a name of its own, the same whatever the order in which they are listed.

    Of those that are called alike the one that we have had for longest is called that.
    """
    found: list[MailboxEntry] = []
    names: set[str] = set()
    age = {key: at for at, key in enumerate(rows)}
    for entry in sorted(entries, key=lambda it: (not it.role, age.get(it.id, len(age)))):
        name = _unique(entry.name, names)
        names.add(name)
        found.append(replace(entry, name=name))
    return found


def _unique(name: str, taken: set[str]) -> str:
    base = name.replace("\x00", "")[:_LONGEST_BASE] or "?"
    found, number = base, 2
    while found in taken:
        found = f"{base} ({number})"
        number += 1
    return found


def _rows(visit: ChangesVisit) -> dict[str, RemoteFolder]:
    rows = RemoteFolder.objects.filter(account=visit.account, remote_id__isnull=False)
    return {row.remote_id or "": row for row in rows.select_related("mailbox").order_by("pk")}


def _differs(row: RemoteFolder | None, entry: MailboxEntry) -> bool:
    return row is None or (row.name, row.role) != (entry.name, entry.role)


def _free_names(rows: Mapping[str, RemoteFolder], listed: Mapping[str, MailboxEntry]) -> None:
    """Put names that change out of the way, for two mailboxes may have swapped theirs."""
    for key, row in rows.items():
        if key in listed and row.name == listed[key].name:
            continue
        RemoteFolder.objects.filter(pk=row.pk).update(name=f"\ufffd{row.pk}")
        if not row.mailbox.role:
            Mailbox.objects.filter(pk=row.mailbox_id).update(name=f"\ufffd{row.pk}")


def _keep(visit: ChangesVisit, row: RemoteFolder | None, entry: MailboxEntry) -> None:
    """Have a row of this mailbox, with its name and role; few are written, for few change."""
    if not _differs(row, entry):
        return
    shown = printable_name(entry.name)
    if row is None:
        mailbox = mailbox_for(visit, shown, entry.role)
        if mailbox.pk is None:
            mailbox.save()
        row = RemoteFolder.objects.create(
            account=visit.account, mailbox=mailbox, name=entry.name, role=entry.role,
            delimiter="/", remote_id=entry.id,
        )  # fmt: skip
    elif row.name != entry.name and not row.mailbox.role:
        row.mailbox.name = free_name(visit, shown, but=row.mailbox)
        row.mailbox.save(update_fields=["name"])
    row.name, row.role = entry.name, entry.role
    row.save(update_fields=["name", "role"])
    if entry.role and row.mailbox.role != entry.role:
        give_role(visit, row, entry.role)
