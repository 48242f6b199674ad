"""A mailbox whose UIDVALIDITY changed: the same messages under new UIDs (RFC 9051 2.3.1.1).

Nothing is fetched again that is certainly the same: what bears the Message-ID and the size of one
message of ours, and of one only, on either side. The rest is read as in a first sync, and what is
not found again by then has vanished.
"""

from collections.abc import Iterable, Sequence

from django.db.models import F

from inbox.intake.threading import reference_key
from inbox.models.remote import RemoteFolder, RemoteMessage
from inbox.operations.batched import in_chunks
from inbox.providers.mail_store import Opened
from inbox.syncing.incoming.locations import AT_ONCE, write_locations
from inbox.syncing.visits import Visit

# The key of a Message-ID, and the size in bytes.
Likeness = tuple[str, int]
_MOST_COMPARED = 200_000


def renumber(visit: Visit, folder: RemoteFolder, opened: Opened) -> None:
    """Give the messages of an open mailbox their new UIDs; raises StoreError."""
    found = _recognised(visit, folder)
    state = opened.state
    keywords = visit.store.keywords(1, state.uidnext - 1) if found else {}
    with visit.writing():
        _set_aside(folder)
        folder.uidvalidity, folder.uidnext = state.uidvalidity, state.uidnext
        folder.messages, folder.highest_modseq = state.messages, state.highest_modseq
        folder.read_down_to, folder.stuck, folder.compared_at = state.uidnext, 0, None
        folder.save()
    # From here on this is a first sync, which passes over what has its place already.
    for uids in in_chunks(sorted(found.keys() & keywords.keys()), AT_ONCE):
        _put_back(visit, folder, [(uid, found[uid], sorted(keywords[uid])) for uid in uids])


def _recognised(visit: Visit, folder: RemoteFolder) -> dict[int, int]:
    """Return the place (its key) that each UID of the open mailbox certainly has."""
    places = RemoteMessage.objects.filter(folder=folder, message__submission=None)
    places = places.exclude(message__message_id_key="").exclude(message=None)
    ours = _once(
        (key, (message_id, size))
        for key, message_id, size in places.values_list(
            "pk", "message__message_id_key", "message__size"
        )
    )
    if not ours:
        return {}
    uids = visit.store.uids()[-_MOST_COMPARED:]
    sizes = visit.store.sizes(uids)
    headers = visit.store.message_ids(list(sizes))
    theirs = _once((uid, (reference_key(header), sizes[uid])) for uid, header in headers.items())
    return {uid: ours[alike] for alike, uid in theirs.items() if alike in ours}


def _once(rows: Iterable[tuple[int, Likeness]]) -> dict[Likeness, int]:
    """Return the one row of each likeness that only one has."""
    found: dict[Likeness, int] = {}
    twice: set[Likeness] = set()
    for key, likeness in rows:
        if likeness in found:
            twice.add(likeness)
        found[likeness] = key
    return {likeness: key for likeness, key in found.items() if likeness not in twice}


def _set_aside(folder: RemoteFolder) -> None:
    """Take all places out of the range of UIDs until their messages are found again."""
    rows = RemoteMessage.objects.filter(folder=folder)
    rows.filter(message=None).delete()
    rows.filter(uid__lt=RemoteMessage.FORMER).update(uid=F("pk") + RemoteMessage.FORMER)


def _put_back(
    visit: Visit, folder: RemoteFolder, found: Sequence[tuple[int, int, list[str]]]
) -> None:
    with visit.writing():
        rows = RemoteMessage.objects.in_bulk([key for _, key, _ in found])
        new = [
            RemoteMessage(
                folder=folder, uid=uid, message_id=rows[key].message_id, keywords=keywords
            )
            for uid, key, keywords in found
            if key in rows
        ]
        write_locations(visit, put=new, gone=list(rows.values()))
