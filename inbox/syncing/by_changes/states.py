"""What the provider says of messages, written into our rows: where they lie, and their keywords.

Where a message lies is a row for each mailbox. One that we do not have yet gets its rows at once,
without a message, and is read from them later: so whatever was noted is not asked for again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from django.db.models import F, OuterRef, Subquery

from inbox.bulk_insert import insert
from inbox.models import SyncState
from inbox.models.remote import RemoteFolder, RemoteMessage
from inbox.operations.batched import in_chunks
from inbox.providers.mail_changes import LONGEST_ID, MailState
from inbox.syncing.by_changes.mailboxes import Mailboxes
from inbox.syncing.incoming.locations import AT_ONCE, write_locations
from inbox.syncing.visits import ChangesVisit

_MOST_KEYWORDS, _LONGEST_KEYWORD = 200, 255


class Numbers:
    """The numbers of our own that stand for ids: a listing counts down, what comes later up."""

    def __init__(self, visit: ChangesVisit) -> None:
        rows = RemoteMessage.objects.filter(folder=OuterRef("pk")).values("uid")
        ends = RemoteFolder.objects.filter(account=visit.account).values_list(
            Subquery(rows.order_by("uid")[:1]), Subquery(rows.order_by("-uid")[:1])
        )
        first = RemoteMessage.FIRST_NUMBER
        found = [pair for pair in ends if pair[0] is not None]
        self._lowest: int = min([first, *(low for low, _ in found)])
        self._highest: int = max([first, *(high for _, high in found)])

    def older(self) -> int:
        """Return the next number downwards."""
        self._lowest -= 1
        return self._lowest

    def newer(self) -> int:
        """Return the next number upwards."""
        self._highest += 1
        return self._highest


@dataclass(slots=True)
class Noted:
    """What is to be written of some messages."""

    # Of messages that we have, with what follows from it; and of those that we have not.
    put: list[RemoteMessage] = field(default_factory=list)
    gone: list[RemoteMessage] = field(default_factory=list)
    awaited: list[RemoteMessage] = field(default_factory=list)
    listed: list[int] = field(default_factory=list)
    new: int = 0


def note_states(
    visit: ChangesVisit,
    mailboxes: Mailboxes,
    numbers: Numbers,
    states: Mapping[str, MailState],
    *,
    is_listing: bool = False,
) -> None:
    """Have our rows say what these messages are there; inside `visit.writing()`.

    Of a listing the first are the newest. What is as it was is left alone.
    """
    # Counting up, the newest comes last.
    order = list(states) if is_listing else list(states)[::-1]
    for ids in in_chunks([one for one in order if 0 < len(one) <= LONGEST_ID], AT_ONCE):
        rows = places_of(mailboxes, ids)
        noted = Noted()
        next_number = numbers.older if is_listing else numbers.newer
        for one in ids:
            known = rows.get(one, [])
            like = RemoteMessage(remote_id=one, uid=known[0].uid if known else next_number())
            _note(noted, mailboxes, known, like, states[one])
        _write(visit, noted)


def places_of(mailboxes: Mailboxes, ids: Iterable[str]) -> dict[str, list[RemoteMessage]]:
    """Return the rows of these messages, by id."""
    rows = RemoteMessage.objects.filter(remote_id__in=list(ids), folder__in=mailboxes.keys)
    found: dict[str, list[RemoteMessage]] = {}
    for row in rows.order_by("pk"):
        found.setdefault(row.remote_id or "", []).append(row)
    return found


def _note(
    noted: Noted,
    mailboxes: Mailboxes,
    known: list[RemoteMessage],
    like: RemoteMessage,
    state: MailState,
) -> None:
    """Note of one message what differs between its rows and its state there."""
    keywords = _fit(state.keywords)
    by_folder = {row.folder_id: row for row in known}
    lying = {mailboxes.there[one].pk for one in state.mailboxes if one in mailboxes.there}
    is_ours = bool(known) and known[0].message_id is not None
    put = noted.put if is_ours else noted.awaited
    for folder in sorted(lying):
        row = by_folder.get(folder)
        if row is None:
            put.append(_new_row(folder, like, keywords, known))
        elif row.keywords != keywords:
            row.keywords = keywords
            put.append(row)
    noted.gone += [row for row in known if row.folder_id not in lying]
    noted.listed += [row.pk for row in known if row.unlisted and row.folder_id in lying]
    noted.new += not known and bool(lying)


def _new_row(
    folder: int, like: RemoteMessage, keywords: list[str], known: list[RemoteMessage]
) -> RemoteMessage:
    """Return a row for another mailbox in which a message lies, of the same kind as its others."""
    other = known[0] if known else like
    return RemoteMessage(
        folder_id=folder, uid=like.uid, remote_id=like.remote_id, keywords=keywords,
        message_id=other.message_id, problem=other.problem, unwanted=other.unwanted,
        submission_id=other.submission_id,
        dirty=any(one.dirty for one in known),
    )  # fmt: skip


def _fit(keywords: Iterable[str]) -> list[str]:
    words = sorted({word.lower() for word in keywords if 0 < len(word) <= _LONGEST_KEYWORD})
    return [word for word in words if "\x00" not in word][:_MOST_KEYWORDS]


def _write(visit: ChangesVisit, noted: Noted) -> None:
    if noted.put or noted.gone:
        write_locations(visit, put=noted.put, gone=noted.gone)
    changed = [row for row in noted.awaited if row.pk is not None]
    RemoteMessage.objects.bulk_update(changed, ["keywords"], batch_size=AT_ONCE)
    insert([row for row in noted.awaited if row.pk is None])
    if noted.listed:
        RemoteMessage.objects.filter(pk__in=noted.listed).update(unlisted=False)
    if noted.new:
        states = SyncState.objects.filter(account=visit.account, first_done_at=None)
        states.update(total=F("total") + noted.new)
