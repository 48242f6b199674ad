"""The first reading of a mailbox: what lay in it when it was found, newest first.

`read_down_to` says how far it came. All mailboxes take turns, the inbox first, so that what is new
anywhere is there before what is old.
"""

from collections.abc import Callable, Sequence

from inbox.models.remote import RemoteFolder, RemoteMessage
from inbox.providers.mail_store import StoreError
from inbox.syncing.incoming.arrivals import bring_in
from inbox.syncing.incoming.catching_up import take_away, without_placed
from inbox.syncing.visits import Visit

# How much is read of a mailbox before it is the next one's turn: first so that there is something
# of each soon, then so that the readers seldom wait for a mailbox to be opened.
TURN, LATER_TURN = 2000, 20_000
_ORDER = {"inbox": 0, "sent": 1, "drafts": 2, "": 3, "archive": 4, "trash": 5, "junk": 6}


def read_older(
    visit: Visit,
    folders: Sequence[RemoteFolder],
    refused: Callable[[RemoteFolder, StoreError], None],
) -> bool:
    """Read on in the mailboxes that were not read to their end; return whether all now are.

    `refused` hears of those that cannot be read. One that is not as it was is left to the next
    visit. Raises StoreError where the connection has trouble.
    """
    waiting = [folder for folder in folders if folder.read_down_to != 1]
    waiting.sort(key=lambda folder: (_ORDER.get(folder.role, 3), folder.pk))
    is_all, turn = True, TURN
    while waiting:
        for folder in tuple(waiting):
            if visit.is_over:
                return False
            try:
                is_same = _take_turn(visit, folder, turn)
            except StoreError as error:
                if error.kind not in ("permanent", "gone"):
                    raise
                refused(folder, error)
                waiting.remove(folder)
                continue
            is_all = is_all and is_same
            if folder.read_down_to == 1 or not is_same:
                waiting.remove(folder)
        turn = LATER_TURN
    return is_all


def _take_turn(visit: Visit, folder: RemoteFolder, turn: int) -> bool:
    """Read the next messages of a mailbox, so many; False where it is another one by now."""
    opened = visit.store.open(folder.name, read_only=True)
    if opened.state.uidvalidity != folder.uidvalidity:
        return False
    uids, bottom = _next_uids(visit, folder, turn)
    newest_first = without_placed(folder, uids)[::-1]
    done = bring_in(visit, folder, newest_first, live=False)
    if done < len(newest_first):
        bottom = newest_first[done - 1]
    with visit.writing():
        folder.read_down_to = bottom
        folder.save(update_fields=["read_down_to"])
    if bottom == 1:
        _close(visit, folder, opened.state.messages)
    return True


def _next_uids(visit: Visit, folder: RemoteFolder, turn: int) -> tuple[list[int], int]:
    """Return the newest UIDs, so many, below what was read, ascending, and how far down that goes.

    They are asked for in a range, for a list of all of them may be long; where they are sparse, in
    wider and wider ones.
    """
    end = folder.read_down_to
    width = 2 * turn
    while True:
        start = max(end - width, 1)
        uids = visit.store.uids(start, end - 1) if end > 1 else []
        if len(uids) > turn:
            uids = uids[-turn:]
            return uids, uids[0]
        if start == 1 or len(uids) >= turn // 2:
            return uids, start
        width *= 8


def _close(visit: Visit, folder: RemoteFolder, messages: int) -> None:
    """Let go of what lay here under a former UIDVALIDITY and was not found again.

    Where the number of messages is not the server's, what vanished while we read is not known: the
    next look compares them all.
    """
    rows = RemoteMessage.objects.filter(folder=folder)
    former = rows.filter(uid__gte=RemoteMessage.FORMER).values_list("uid", flat=True)
    take_away(visit, folder, list(former))
    if rows.count() != messages:
        with visit.writing():
            columns = {"messages": 0, "highest_modseq": None, "compared_at": None}
            RemoteFolder.objects.filter(pk=folder.pk).update(**columns)
