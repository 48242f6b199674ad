"""What a change of where a message lies at the provider makes of the message here.

For each message three states are held against each other: how it lay there when we last heard, how
it lies there now, and how it is to be by us. What the server changed is taken over; where somebody
here moved it away meanwhile, that stays, and its places are `dirty`, to be told of it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from django.utils import timezone

from inbox.background.jobs import publish
from inbox.bulk_insert import insert
from inbox.models import Mailbox, Message
from inbox.models.remote import RemoteFolder, RemoteMessage
from inbox.operations.mail.thread_counts import bring_threads_up_to_date
from inbox.syncing.keywords import comparable, merged
from inbox.syncing.outgoing.desired_state import desired_states_of
from inbox.syncing.visits import AccountVisit

# Where a place is: its folder's key, and its UID.
Spot: TypeAlias = tuple[int, int]

AT_ONCE = 500
_COLUMNS = ("inbox_id", "thread_id", "keywords", "follow_up", "deleted_at")


@dataclass(slots=True)
class _Changed:
    """Which messages changed, and how, by their keys."""

    keywords: set[int] = field(default_factory=set)
    moved: set[int] = field(default_factory=set)
    deleted: set[int] = field(default_factory=set)
    restored: set[int] = field(default_factory=set)


def write_locations(
    visit: AccountVisit,
    *,
    put: Sequence[RemoteMessage] = (),
    gone: Sequence[RemoteMessage] = (),
    fresh: Collection[int] = (),
    quiet: bool = False,
) -> None:
    """Write places down and take others away, and have their messages and threads follow.

    Call it with some hundred places at most, inside `visit.writing()`. A row in `put` replaces the
    one of its folder and UID. The `fresh` messages (by their keys) were just made as they lie
    there. Unless `quiet`, the facts of it are published.
    """
    keys = {place.message_id for place in (*put, *gone) if place.message_id is not None}
    keys.difference_update(fresh)
    rows = Message.objects.filter(pk__in=keys).only(*_COLUMNS)
    messages = {message.pk: message for message in rows}
    round_ = _Round(visit, messages, put, gone)
    round_.reconcile()
    round_.write(quiet=quiet)


class _Round:
    """The places of some messages before and after a change, and what comes of it."""

    def __init__(
        self,
        visit: AccountVisit,
        messages: Mapping[int, Message],
        put: Sequence[RemoteMessage],
        gone: Sequence[RemoteMessage],
    ) -> None:
        self._visit, self._messages = visit, messages
        self._now = timezone.now()
        self._put: dict[Spot, RemoteMessage] = {(it.folder_id, it.uid): it for it in put}
        self._gone = {place.pk for place in gone}
        self._changed = _Changed()
        folders = RemoteFolder.objects.filter(account=visit.account)
        self._mailbox_of = dict(folders.values_list("pk", "mailbox_id"))
        self._before: dict[int, dict[Spot, RemoteMessage]] = {key: {} for key in messages}
        for place in RemoteMessage.objects.filter(message_id__in=list(messages)):
            self._before[place.message_id or 0][place.folder_id, place.uid] = place
        self._wishes = desired_states_of(visit.account, messages.values()) if messages else {}
        # Those that a message leaves (None: all that are the server's), and those it lies in.
        self._new_mailboxes: dict[int, tuple[frozenset[int] | None, frozenset[int]]] = {}
        # The same of deleted ones, which are put into nothing.
        self._left: dict[int, tuple[frozenset[int], frozenset[int]]] = {}

    def reconcile(self) -> None:
        """Work out what becomes of each message."""
        arriving: dict[int, dict[Spot, RemoteMessage]] = {key: {} for key in self._messages}
        for spot, place in self._put.items():
            if place.message_id in arriving:
                arriving[place.message_id][spot] = place
        for key, message in self._messages.items():
            before = self._before[key]
            stays = {spot: it for spot, it in before.items() if it.pk not in self._gone}
            self._reconcile(message, list(before.values()), stays | arriving[key])

    def _reconcile(
        self, message: Message, before: list[RemoteMessage], after: dict[Spot, RemoteMessage]
    ) -> None:
        if not after:
            self._lose(message)
            return
        self._merge_keywords(message, before, after.values())
        old = frozenset(self._mailbox_of[place.folder_id] for place in before)
        new = frozenset(self._mailbox_of[place.folder_id] for place in after.values())
        wanted = self._wishes[message.pk].mailboxes
        left_here = bool(old - wanted)
        # One that comes back, or of which we made a copy, may have keywords that they have not.
        unheard = not before and _keywords_of(after.values()) != comparable(message.keywords)
        if left_here or unheard or any(place.dirty for place in before):
            for spot, place in after.items():
                if spot in self._put:
                    place.dirty = True
        if old != new and not left_here:
            self._move(message, old, new)
        elif new < old and message.deleted_at is not None and not new & wanted:
            # They have not heard yet that it was deleted, and took it out of some.
            self._left[message.pk] = (old - new, new)

    def _lose(self, message: Message) -> None:
        """Delete a message that lies nowhere any more; a person can bring it back for a while."""
        if message.deleted_at is None:
            message.deleted_at = self._now
            self._changed.deleted.add(message.pk)

    def _merge_keywords(
        self, message: Message, before: list[RemoteMessage], after: Iterable[RemoteMessage]
    ) -> None:
        known, heard = _keywords_of(before), _keywords_of(after)
        keywords = merged(message.keywords, known=known, heard=heard)
        if keywords == message.keywords:
            return
        if "$flagged" not in keywords and "completed" not in message.follow_up:
            message.follow_up = {}
        message.keywords = keywords
        self._changed.keywords.add(message.pk)

    def _move(self, message: Message, old: frozenset[int], new: frozenset[int]) -> None:
        # Where one lay that was deleted, or that lay nowhere yet, is not what it leaves.
        leaves = old - new if old and message.deleted_at is None else None
        self._new_mailboxes[message.pk] = (leaves, new)
        if message.deleted_at is None:
            self._changed.moved.add(message.pk)
        else:
            message.deleted_at = None
            self._changed.restored.add(message.pk)

    # -- writing -----------------------------------------------------------------------------------
    def write(self, *, quiet: bool) -> None:
        """Write the places, the messages, and what hangs on them."""
        RemoteMessage.objects.filter(pk__in=self._gone).delete()
        self._write_places()
        changed = self._changed
        relabelled = changed.moved | changed.deleted | changed.restored
        rows = [self._messages[key] for key in sorted(relabelled | changed.keywords)]
        Message.objects.bulk_update(
            rows, ["keywords", "follow_up", "deleted_at"], batch_size=AT_ONCE
        )
        self._write_mailboxes()
        self._leave_mailboxes()
        bring_threads_up_to_date(self._messages[key].thread_id for key in relabelled)
        if not quiet:
            self._publish()

    def _write_places(self) -> None:
        columns = ["message", "keywords", "dirty", "unwanted", "problem"]
        known = [place for place in self._put.values() if place.pk is not None]
        new = [place for place in self._put.values() if place.pk is None]
        for rows, unique in ((known, ["id"]), (new, ["folder", "uid"])):
            insert(rows, unique_fields=unique, update_fields=columns)

    def _write_mailboxes(self) -> None:
        if not self._new_mailboxes:
            return
        through: Any = Message.mailboxes.through
        usual = Mailbox.objects.filter(inbox=self._visit.inbox).exclude(role="")
        theirs = frozenset({*self._mailbox_of.values(), *usual.values_list("pk", flat=True)})
        surplus: list[int] = []
        missing = {key: set(new) for key, (_, new) in self._new_mailboxes.items()}
        for row in through.objects.filter(message_id__in=list(missing)):
            leaves, new = self._new_mailboxes[row.message_id]
            if row.mailbox_id in (theirs - new if leaves is None else leaves):
                surplus.append(row.pk)
            missing[row.message_id].discard(row.mailbox_id)
        through.objects.filter(pk__in=surplus).delete()
        through.objects.bulk_create(
            (
                through(message_id=message, mailbox_id=mailbox)
                for message, mailboxes in missing.items()
                for mailbox in sorted(mailboxes)
            ),
            ignore_conflicts=True,
        )

    def _leave_mailboxes(self) -> None:
        """Have deleted messages be brought back to where they still lie, if we know of that."""
        through: Any = Message.mailboxes.through
        rows = list(through.objects.filter(message_id__in=list(self._left))) if self._left else []
        lying = {row.message_id for row in rows if row.mailbox_id in self._left[row.message_id][1]}
        surplus = [
            row.pk for row in rows
            if row.message_id in lying and row.mailbox_id in self._left[row.message_id][0]
        ]  # fmt: skip
        through.objects.filter(pk__in=surplus).delete()

    def _publish(self) -> None:
        changed = self._changed
        facts = {
            "message.deleted": changed.deleted,
            "message.moved": changed.moved - changed.deleted,
            "message.updated": (changed.keywords | changed.restored)
            - changed.deleted
            - changed.moved,
        }
        for fact, keys in facts.items():
            if keys:
                payload = {"message_ids": sorted(keys)}
                account = self._visit.account
                publish(fact, payload, workspace_id=account.workspace_id, account_id=account.pk)


def _keywords_of(places: Iterable[RemoteMessage]) -> frozenset[str]:
    return comparable(word for place in places for word in place.keywords)
