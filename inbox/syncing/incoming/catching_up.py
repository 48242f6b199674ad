"""What is new in one mailbox since our rows were complete: mail, keywords, and what vanished.

By QRESYNC, by CONDSTORE (RFC 7162) or, where the server has neither, by comparing. What vanished
is only noted, for a message may have moved to a mailbox that is looked at later.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import QuerySet
from django.utils import timezone

from inbox.models.remote import RemoteFolder, RemoteMessage
from inbox.operations.batched import in_chunks
from inbox.providers.mail_store import FolderState, Opened
from inbox.syncing.incoming.arrivals import bring_in
from inbox.syncing.incoming.locations import AT_ONCE, write_locations
from inbox.syncing.incoming.renumbering import renumber
from inbox.syncing.visits import Visit

# Where the server does not tell which keywords changed, those of the newest are compared at each
# look, which is one command and some 40 bytes for each: so the whole of most mailboxes. Those of
# larger ones are compared now and then.
NEWEST = 5000
COMPARED_EVERY = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class Seen:
    """What was found in a mailbox, as of `state`; `complete`: all that is new was brought in."""

    folder: RemoteFolder
    state: FolderState
    vanished: frozenset[int]
    complete: bool
    compared: bool


def state_of(folder: RemoteFolder) -> FolderState:
    """Return the server's state as of when our rows were complete."""
    return FolderState(folder.uidvalidity, folder.uidnext, folder.messages, folder.highest_modseq)


def catch_up(visit: Visit, folder: RemoteFolder) -> Seen:
    """Open a mailbox, bring in what came and take over keywords; note what vanished.

    Raises StoreError.
    """
    known = state_of(folder)
    opened = visit.store.open(
        folder.name, known=known if known.highest_modseq else None, read_only=True
    )
    if opened.state.uidvalidity != known.uidvalidity or opened.state.uidnext < known.uidnext:
        renumber(visit, folder, opened)
        return Seen(folder, state_of(folder), frozenset(), complete=True, compared=True)
    look = _Look(visit, folder, opened)
    changed, compared = look.changed()
    _take_over(visit, folder, changed)
    complete, lost = look.bring_in_news()
    if not complete:
        return Seen(folder, opened.state, frozenset(), complete=False, compared=False)
    vanished = lost | look.vanished(changed if compared else None, lost)
    return Seen(folder, opened.state, vanished, complete=True, compared=compared)


@dataclass(frozen=True, slots=True)
class _Look:
    visit: Visit
    folder: RemoteFolder
    opened: Opened

    def changed(self) -> tuple[Mapping[int, frozenset[str]], bool]:
        """Return the keywords of what may have changed, and whether that is all there is."""
        folder, opened, store = self.folder, self.opened, self.visit.store
        if opened.changed is not None:
            return opened.changed, False
        first, last = folder.read_down_to, folder.uidnext - 1
        now, then = opened.state.highest_modseq, folder.highest_modseq
        if now and then and now >= then:
            return (store.keywords(1, last, changed_since=then) if now > then else {}), False
        if first > last:
            return {}, True
        due = folder.compared_at is None or folder.compared_at < timezone.now() - COMPARED_EVERY
        newest = first if due else max(first, _newest(folder))
        return store.keywords(newest, last), newest == first

    def bring_in_news(self) -> tuple[bool, frozenset[int]]:
        """Bring in what came, newest first; return whether that is done.

        And the UIDs of what was brought in before, by a sync that was cut off, and is gone already.
        """
        folder, store = self.folder, self.visit.store
        first, last = folder.uidnext, self.opened.state.uidnext - 1
        if first > last:
            return True, frozenset()
        rows = RemoteMessage.objects.filter(folder=folder, uid__range=(first, last))
        placed = frozenset(rows.values_list("uid", flat=True))
        keywords = store.keywords(first, last) if placed else {}
        _take_over(self.visit, folder, {uid: keywords[uid] for uid in placed & keywords.keys()})
        there = sorted(keywords) if placed else store.uids(first, last)
        uids = [uid for uid in reversed(there) if uid not in placed]
        done = bring_in(self.visit, folder, uids, live=True)
        return done == len(uids), placed.difference(there)

    def vanished(self, present: Collection[int] | None, lost: frozenset[int]) -> frozenset[int]:
        """Return the UIDs of ours that are there no more, beside the `lost` ones.

        `present` are those below our `uidnext` that are there, where they were listed anyhow: what
        of them has no place is brought in. Else, and whatever the server tells, the numbers must
        agree, or the UIDs are compared.
        """
        folder, told = self.folder, self.opened.vanished
        if present is not None:
            return self._held_against(present, _placed(folder, below=folder.uidnext))
        if folder.read_down_to > 1 and told is not None:
            return told
        left = _placed(folder).count() - _count(folder, lost.union(told or ()))
        if folder.read_down_to == 1 and left == self.opened.state.messages:
            return told or frozenset()
        return self._compared()

    def _compared(self) -> frozenset[int]:
        there = self.visit.store.uids(self.folder.read_down_to)
        end = self.opened.state.uidnext
        return self._held_against([uid for uid in there if uid < end], _placed(self.folder))

    def _held_against(
        self, there: Collection[int], places: QuerySet[RemoteMessage]
    ) -> frozenset[int]:
        """Return which places are there no more; bring in what has none.

        Some servers hide a message for a moment, while another program changes or moves it, or give
        a UID below the one that they foretold.
        """
        ours = frozenset(places.values_list("uid", flat=True))
        unknown = sorted(set(there) - ours, reverse=True)
        if unknown:
            bring_in(self.visit, self.folder, unknown, live=False)
        return ours.difference(there)


def _take_over(visit: Visit, folder: RemoteFolder, changed: Mapping[int, frozenset[str]]) -> None:
    """Take over the keywords that differ from what we last heard."""
    for uids in in_chunks(sorted(changed), AT_ONCE):
        rows = RemoteMessage.objects.filter(folder=folder, uid__in=uids)
        differing = []
        for place in rows:
            heard = sorted(changed[place.uid])
            if heard != place.keywords:
                place.keywords = heard
                differing.append(place)
        if differing:
            with visit.writing():
                write_locations(visit, put=differing)


def take_away(visit: Visit, folder: RemoteFolder, uids: Iterable[int]) -> None:
    """Remove the places of what vanished; a message that lies nowhere any more is deleted."""
    for chunk in in_chunks(sorted(uids), AT_ONCE):
        with visit.writing():
            rows = RemoteMessage.objects.filter(folder=folder, uid__in=chunk)
            write_locations(visit, gone=list(rows))


def write_down(visit: Visit, seen: Seen) -> None:
    """Remove what vanished and note that our rows are complete as of what was seen."""
    folder, state = seen.folder, seen.state
    vanished = set(seen.vanished)
    if folder.read_down_to == 1:
        # Of a former UIDVALIDITY: all that is there was read, and it was not found again.
        former = RemoteMessage.objects.filter(folder=folder, uid__gte=RemoteMessage.FORMER)
        vanished.update(former.values_list("uid", flat=True))
    take_away(visit, folder, vanished)
    folder.uidnext, folder.messages = state.uidnext, state.messages
    folder.highest_modseq = state.highest_modseq
    if seen.compared:
        folder.compared_at = timezone.now()
    with visit.writing():
        folder.save(update_fields=["uidnext", "messages", "highest_modseq", "compared_at"])


def without_placed(folder: RemoteFolder, uids: list[int]) -> list[int]:
    """Leave out what has a place already, as after a sync that was cut off."""
    if not uids:
        return []
    rows = RemoteMessage.objects.filter(folder=folder, uid__range=(uids[0], uids[-1]))
    placed = set(rows.values_list("uid", flat=True))
    return [uid for uid in uids if uid not in placed]


def _placed(folder: RemoteFolder, below: int = RemoteMessage.FORMER) -> QuerySet[RemoteMessage]:
    """Return the places of what was read so far."""
    return RemoteMessage.objects.filter(folder=folder, uid__gte=folder.read_down_to, uid__lt=below)


def _count(folder: RemoteFolder, uids: Iterable[int]) -> int:
    rows = _placed(folder)
    return sum(rows.filter(uid__in=chunk).count() for chunk in in_chunks(sorted(uids)))


def _newest(folder: RemoteFolder) -> int:
    """Return the UID from which on keywords are compared at each look."""
    uids = _placed(folder).order_by("-uid").values_list("uid", flat=True)
    return next(iter(uids[NEWEST : NEWEST + 1]), 1)
