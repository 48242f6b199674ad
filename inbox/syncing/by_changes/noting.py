"""What a provider says has changed, noted in our rows together with the position it goes with.

A sync that is cut off anywhere goes on from its rows. What is said to be gone is only marked: it
may have moved to a mailbox with a position of its own, or a listing may have passed over it, so the
provider is asked for it by its id before anything is taken away here.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from inbox.models import SyncState
from inbox.models.remote import RemoteFolder, RemoteMessage
from inbox.operations.batched import in_chunks
from inbox.providers.mail_changes import MOST_ON_A_PAGE, WHOLE_ACCOUNT, MailChanges
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _
from inbox.syncing.by_changes.mailboxes import Mailboxes
from inbox.syncing.by_changes.states import Numbers, note_states, places_of
from inbox.syncing.incoming.locations import AT_ONCE, write_locations
from inbox.syncing.visits import ChangesVisit

_MOST_PAGES = 20_000
_MOST_LISTINGS = 3


@dataclass(slots=True)
class Noting:
    """What came of it: whether anything is new, and whether the end was reached."""

    has_news: bool = False
    is_done: bool = False


@dataclass(frozen=True, slots=True)
class _Scope:
    """What one position is of: a mailbox, or the whole account."""

    visit: ChangesVisit
    mailboxes: Mailboxes
    folder: RemoteFolder | None

    @property
    def id(self) -> str:
        return (self.folder.remote_id or "") if self.folder else WHOLE_ACCOUNT

    @property
    def keys(self) -> list[int]:
        return [self.folder.pk] if self.folder else self.mailboxes.keys

    @property
    def position(self) -> str:
        if self.folder:
            return RemoteFolder.objects.values_list("position", flat=True).get(pk=self.folder.pk)
        states = SyncState.objects.filter(account=self.visit.account)
        return states.values_list("position", flat=True).get()

    def save(self, position: str) -> None:
        if self.folder:
            RemoteFolder.objects.filter(pk=self.folder.pk).update(position=position)
        else:
            SyncState.objects.filter(account=self.visit.account).update(position=position)


def note_changes(
    visit: ChangesVisit, mailboxes: Mailboxes, after_page: Callable[[], object]
) -> Noting:
    """Note everything that changed, unless the visit's time is up before.

    `after_page` is called after each page of a listing. Raises StoreError.
    """
    numbers, noting = Numbers(visit), Noting()
    noting.is_done = all(
        _note_scope(scope, numbers, noting, after_page) for scope in _scopes(visit, mailboxes)
    )
    return noting


def _scopes(visit: ChangesVisit, mailboxes: Mailboxes) -> Iterator[_Scope]:
    if not visit.store.by_mailbox:
        yield _Scope(visit, mailboxes, None)
        return
    for folder in sorted(mailboxes.there.values(), key=lambda row: (row.role != "inbox", row.pk)):
        yield _Scope(visit, mailboxes, folder)


def _note_scope(
    scope: _Scope, numbers: Numbers, noting: Noting, after_page: Callable[[], object]
) -> bool:
    listings = 0
    for page in range(_MOST_PAGES):
        if page and scope.visit.is_over:
            return False
        position = scope.position
        changes = scope.visit.store.changes(scope.id, position)
        listings += changes.begins
        noting.has_news = noting.has_news or bool(changes.changed or changes.gone)
        _check(changes, position, listings)
        with scope.visit.writing():
            _note_page(scope, numbers, changes)
            scope.save(changes.position)
        if changes.is_whole:
            # What changed while it was listed is asked for next.
            after_page()
        elif not changes.more:
            return True
    raise StoreError("permanent", _("The server's list of changes does not end."))


def _check(changes: MailChanges, position: str, listings: int) -> None:
    if len(changes.changed) + len(changes.gone) > MOST_ON_A_PAGE:
        raise StoreError("permanent", _("The server answered with too many changes at once."))
    if changes.more and changes.position == position:
        raise StoreError("permanent", _("The server's list of changes does not end."))
    if listings > _MOST_LISTINGS:
        raise StoreError("transient", _("The server does not list its messages to the end."))


def _note_page(scope: _Scope, numbers: Numbers, changes: MailChanges) -> None:
    rows = RemoteMessage.objects.filter(folder__in=scope.keys, remote_id__isnull=False)
    if changes.begins:
        rows.update(unlisted=True)
    for gone in in_chunks(sorted(changes.gone), AT_ONCE):
        rows.filter(remote_id__in=gone).update(unlisted=True)
    note_states(scope.visit, scope.mailboxes, numbers, changes.changed, is_listing=changes.is_whole)


def settle_unlisted(visit: ChangesVisit, mailboxes: Mailboxes) -> None:
    """Ask for what was marked by its id, and take away here what is there no more.

    Call it when everything that changed was noted. Raises StoreError.
    """
    RemoteMessage.objects.filter(folder__in=[row.pk for row in mailboxes.gone]).update(
        unlisted=True
    )
    rows = RemoteMessage.objects.filter(folder__in=mailboxes.keys, unlisted=True)
    marked = list(rows.order_by().values_list("remote_id", flat=True).distinct())
    numbers = Numbers(visit) if marked else None
    for ids in in_chunks([one for one in marked if one], AT_ONCE):
        states = visit.store.states(ids)
        with visit.writing():
            places = places_of(mailboxes, [one for one in ids if one not in states])
            gone = [row for rows in places.values() for row in rows]
            write_locations(visit, gone=gone)
            if numbers:
                there = {one: states[one] for one in ids if one in states}
                note_states(visit, mailboxes, numbers, there)
