"""Reading what is new at the provider: arrivals in all mailboxes first, and then what vanished."""

import logging
from datetime import timedelta

from django.utils import timezone

from inbox.models.remote import RemoteFolder, RemoteMessage
from inbox.providers.mail_store import FolderState, StoreError
from inbox.syncing.incoming.catching_up import Seen, catch_up, state_of, take_away, write_down
from inbox.syncing.incoming.first_sync import read_older
from inbox.syncing.incoming.folders import Listing, list_folders
from inbox.syncing.outcomes import Pulled, begin_first_sync, end_first_sync
from inbox.syncing.visits import Visit

# Where the server does not tell of changed keywords, mailboxes but the inbox are opened this often.
OPENED_EVERY = timedelta(minutes=5)
# What moves while we look has us look again, so many times at most.
_MOST_LOOKS = 3

log = logging.getLogger(__name__)


def pull(visit: Visit) -> Pulled:
    """Bring our rows to the state of the provider's mailboxes, as far as the visit's time lasts.

    With nothing new that is one command. Raises StoreError, and LeaseLost.
    """
    listing = list_folders(visit)
    there = sum(row.messages for row, _ in listing.there)
    pulled = Pulled(is_first=begin_first_sync(visit.account, there))
    round_ = _Round(visit, pulled)
    if not round_.look(listing):
        return pulled
    if pulled.is_first:
        round_.write_down(listing)
    if not read_older(visit, round_.folders(), round_.pass_over):
        return pulled
    if pulled.is_first:
        end_first_sync(visit.account)
    else:
        # What vanished may have moved into a mailbox that was just found and read.
        round_.write_down(listing)
    pulled.unfinished = False
    return pulled


# -- one look at all mailboxes ---------------------------------------------------------------------
class _Round:
    """What was seen of all mailboxes, before it is known what vanished and what only moved."""

    def __init__(self, visit: Visit, pulled: Pulled) -> None:
        self._visit, self._pulled = visit, pulled
        self._seen: dict[int, Seen] = {}
        self._passed_over: set[int] = set()

    def folders(self) -> list[RemoteFolder]:
        """Return the mailboxes that can be read, as their rows are now."""
        rows = RemoteFolder.objects.filter(account=self._visit.account)
        return list(rows.exclude(pk__in=self._passed_over).select_related("mailbox"))

    def look(self, listing: Listing) -> bool:
        """Look into each mailbox that changed; return whether all that is new was brought in."""
        complete = self._catch_up(listing)
        for _ in range(_MOST_LOOKS):
            if not complete or not (listing.gone or any(it.vanished for it in self._seen.values())):
                break
            # What moved while we looked has a new place by now, in a mailbox that changed since.
            again = list_folders(self._visit)
            moved = [(row, state) for row, state in again.there if self._grew(row, state)]
            if not moved:
                break
            complete = self._catch_up(Listing(moved, ()))
        return complete

    def write_down(self, listing: Listing) -> None:
        """Remove the places of what vanished, and note how far our rows are complete."""
        for seen in self._seen.values():
            write_down(self._visit, seen)
        for folder in listing.gone:
            uids = RemoteMessage.objects.filter(folder=folder).values_list("uid", flat=True)
            take_away(self._visit, folder, list(uids))
            with self._visit.writing():
                mailbox = folder.mailbox
                folder.delete()
                if not mailbox.role and not mailbox.messages.exists():
                    mailbox.delete()

    def _catch_up(self, listing: Listing) -> bool:
        for folder, state in listing.there:
            if not self._is_due(folder, state):
                continue
            try:
                seen = catch_up(self._visit, folder)
            except StoreError as error:
                if error.kind not in ("permanent", "gone"):
                    raise
                self.pass_over(folder, error)
                continue
            self._seen[folder.pk] = seen
            if not seen.complete:
                return False
        return True

    def _is_due(self, folder: RemoteFolder, state: FolderState) -> bool:
        known = self._seen[folder.pk].state if folder.pk in self._seen else state_of(folder)
        if state != known or not folder.uidvalidity:
            return True
        if state.highest_modseq or folder.pk in self._seen:
            return False
        since = timezone.now() - OPENED_EVERY
        return folder.role == "inbox" or folder.compared_at is None or folder.compared_at < since

    def _grew(self, folder: RemoteFolder, state: FolderState) -> bool:
        known = self._seen[folder.pk].state if folder.pk in self._seen else state_of(folder)
        return state.uidnext > known.uidnext

    def pass_over(self, folder: RemoteFolder, error: StoreError) -> None:
        """Note that a mailbox cannot be read; the others are."""
        log.warning("folder %s cannot be read: %s", folder.pk, error.words)
        self._passed_over.add(folder.pk)
        if error.kind == "permanent" and len(self._pulled.refused) < 5:
            words = f"{folder.name!r} cannot be read: {error.words} {error.reply}"
            self._pulled.refused.append(words.strip())
