"""Telling the server what was changed here: keywords, moves, and what was removed for good.

There is no queue: a place that was touched is `dirty`, and what is to be told is what differs. So
a crash on the way only means that the same is told again, and nothing is told that is there.
"""

import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from inbox.models import Account, Mailbox, Message
from inbox.models.remote import RemoteFolder, RemoteMessage
from inbox.providers.mail_store import MailStore, Opened, StoreError
from inbox.reasons import phrase as _
from inbox.syncing.keywords import SYSTEM, Difference, changed_here
from inbox.syncing.outcomes import PushOutcome
from inbox.syncing.outgoing.desired_state import (
    USUAL_NAMES,
    DesiredState,
    desired_states_of,
    locations_to_push,
    targets,
)
from inbox.syncing.visits import Visit


def folder_for(store: MailStore, account: Account, mailbox_id: int) -> RemoteFolder:
    """Make a mailbox at the provider for one of ours that has a role, and return its row.

    Raises StoreError, `permanent` where it cannot be had there.
    """
    mailbox = Mailbox.objects.get(pk=mailbox_id)
    usual = USUAL_NAMES.get(mailbox.role)
    if usual is None:
        raise StoreError(
            "permanent", _("No mailbox can be created for %(name)s.", name=repr(mailbox.name))
        )
    inbox = RemoteFolder.objects.filter(account=account, role="inbox").first()
    name = _make(store, usual, inbox.delimiter if inbox else "")
    state = store.folder_state(name)
    # What lies in it already, if anything, is still to be read.
    row, _made = RemoteFolder.objects.get_or_create(
        account=account, name=name,
        defaults={
            "mailbox": mailbox, "role": mailbox.role, "uidvalidity": state.uidvalidity,
            "delimiter": inbox.delimiter if inbox else "",
        },
    )  # fmt: skip
    return row


def _make(store: MailStore, name: str, delimiter: str) -> str:
    """Make a mailbox of this name; on servers that keep all of them below the INBOX, there."""
    try:
        store.create(name)
    except StoreError as error:
        if error.kind != "permanent" or not delimiter:
            raise
        name = f"INBOX{delimiter}{name}"
        store.create(name)
    return name


AT_ONCE = 500
_LONGEST_PROBLEM = 500

log = logging.getLogger(__name__)


def push_changes(visit: Visit) -> PushOutcome:
    """Tell the server of an account what was changed here since, while the visit's time lasts.

    Raises StoreError where the connection or the whole account has trouble, and LeaseLost; what was
    told by then is written down.
    """
    pushed, after = PushOutcome(), 0
    while places := locations_to_push(visit.account, after=after, most=AT_ONCE):
        if visit.is_over:
            pushed.unfinished = True
            break
        after = places[-1].pk
        _Round(visit, places, pushed).push()
    return pushed


class _Round:
    """Some hundred places and what is to be told of each."""

    def __init__(self, visit: Visit, places: Sequence[RemoteMessage], pushed: PushOutcome) -> None:
        self._visit, self._store, self._account = visit, visit.store, visit.account
        self._places, self._pushed = places, pushed
        messages = [place.message for place in places if place.message is not None]
        self._wishes = desired_states_of(self._account, messages)
        self._folders = {row.pk: row for row in RemoteFolder.objects.filter(account=self._account)}
        mailbox_of = {key: row.mailbox_id for key, row in self._folders.items()}
        self._targets = targets(places, self._wishes, mailbox_of)

    def push(self) -> None:
        by_folder: dict[int, list[RemoteMessage]] = defaultdict(list)
        for place in self._places:
            by_folder[place.folder_id].append(place)
        into = {mailbox: self._folder_for(mailbox) for mailbox in set(self._targets.values())}
        for key, places in by_folder.items():
            folder = self._folders[key]
            opened = self._open(folder, places)
            if opened is not None:
                self._store_keywords(places, opened)
                self._move(folder, places, into)
                self._expunge(places)

    def _folder_for(self, mailbox_id: int) -> RemoteFolder | None:
        """Return the folder of a mailbox, made there where there is none."""
        for folder in self._folders.values():
            if folder.mailbox_id == mailbox_id:
                return folder
        with self._refusable("make a mailbox") as done:
            folder = folder_for(self._store, self._account, mailbox_id)
            self._folders[folder.pk] = folder
        return folder if done else None

    def _open(self, folder: RemoteFolder, places: Sequence[RemoteMessage]) -> Opened | None:
        """Select a mailbox; None where it is not the one of our rows, which reading it mends."""
        try:
            opened = self._store.open(folder.name)
        except StoreError as error:
            if error.kind == "gone":
                return None
            if error.kind != "permanent":
                raise
            self._give_up(places, f"{folder.name!r} cannot be opened: {error.words}")
            return None
        if opened.state.uidvalidity != folder.uidvalidity:
            return None
        if not opened.writable:
            self._give_up(places, f"{folder.name!r} may only be read")
            return None
        return opened

    def _store_keywords(self, places: Sequence[RemoteMessage], opened: Opened) -> None:
        """Tell of keywords, with one or two commands for all places of which the same changed."""
        alike: dict[Difference, list[RemoteMessage]] = defaultdict(list)
        unchanged: list[RemoteMessage] = []
        for place in self._kept(places):
            wish = self._wish(place)
            told = changed_here(
                wish.keywords, known=place.keywords, takes_free=opened.keeps_keywords
            )
            (alike[told] if any(told) else unchanged).append(place)
        for told, some in alike.items():
            done = self._tell(told, [place.uid for place in some])
            for place in some:
                place.keywords = sorted((set(place.keywords) | done.add) - done.remove)
            self._settle([place for place in some if place.pk not in self._targets])
        self._settle([place for place in unchanged if place.pk not in self._targets])

    def _tell(self, told: Difference, uids: Sequence[int]) -> Difference:
        """Return what the server took: all of it, the system's keywords, or nothing."""
        plain = Difference(told.add & SYSTEM, told.remove)
        for attempt in dict.fromkeys((told, plain)):
            with self._refusable("store keywords") as done:
                if any(attempt):
                    self._store.store_keywords(uids, add=attempt.add, remove=attempt.remove)
            if done:
                return attempt
        return Difference(frozenset(), frozenset())

    def _move(
        self,
        folder: RemoteFolder,
        places: Sequence[RemoteMessage],
        into: Mapping[int, RemoteFolder | None],
    ) -> None:
        leaving: dict[int, list[RemoteMessage]] = defaultdict(list)
        for place in self._kept(places):
            if place.pk in self._targets:
                leaving[self._targets[place.pk]].append(place)
        for mailbox, some in leaving.items():
            target = into[mailbox]
            if target is not None and target.pk != folder.pk and not self._moved(some, target):
                continue
            self._settle(some)

    def _moved(self, places: Sequence[RemoteMessage], target: RemoteFolder) -> bool:
        """Move messages; False where one was gone, and so none moved: they are told of again."""
        with self._refusable("move messages"):
            try:
                new = self._store.move([place.uid for place in places], target.name)
            except StoreError as error:
                # RFC 5530 3; what is gone has no place any more once its mailbox was read.
                if "EXPUNGEISSUED" in error.reply.upper():
                    return False
                raise
            with self._visit.writing():
                _take_places(places, target, new or {})
        return True

    def _expunge(self, places: Sequence[RemoteMessage]) -> None:
        """Remove for good what was removed here; a row that stays is not brought in again."""
        unwanted = [place for place in places if place.unwanted and place.message is None]
        if not unwanted:
            return
        with self._refusable("remove messages") as done:
            self._store.expunge([place.uid for place in unwanted])
        keys = [place.pk for place in unwanted]
        rows = RemoteMessage.objects.filter(pk__in=keys, unwanted=True)
        with self._visit.writing():
            if done:
                rows.delete()
            else:
                rows.update(dirty=False, problem="The server does not remove it.")
        self._pushed.told += len(keys)

    def _kept(self, places: Sequence[RemoteMessage]) -> list[RemoteMessage]:
        return [place for place in places if place.message is not None]

    def _wish(self, place: RemoteMessage) -> DesiredState:
        return self._wishes[place.message_id or 0]

    def _give_up(self, places: Sequence[RemoteMessage], words: str) -> None:
        self._note(words)
        self._settle(self._kept(places))
        keys = [place.pk for place in places if place.message is None]
        RemoteMessage.objects.filter(pk__in=keys).update(dirty=False)

    def _settle(self, places: Sequence[RemoteMessage]) -> None:
        """Write down what was told; what was changed again meanwhile stays to be told."""
        if not places:
            return
        # Whoever changes a message locks its inbox too, and waits for us or we for them.
        with self._visit.writing():
            keys = [place.message_id for place in places if place.message_id]
            rows = Message.objects.filter(pk__in=keys).only("inbox_id", "keywords", "deleted_at")
            now = desired_states_of(self._account, rows)
            for place in places:
                place.dirty = now.get(place.message_id or 0) != self._wish(place)
            RemoteMessage.objects.bulk_update(
                places, ["folder", "uid", "keywords", "dirty"], batch_size=AT_ONCE
            )
        self._pushed.told += len(places)

    def _note(self, words: str) -> None:
        log.warning("account %s: %s", self._account.pk, words)
        if len(self._pushed.refused) < 5:
            self._pushed.refused.append(words[:_LONGEST_PROBLEM])

    @contextmanager
    def _refusable(self, what: str) -> Iterator[list[bool]]:
        """Note what the server refuses for good; yields a list that is empty where it did."""
        done = [True]
        try:
            yield done
        except StoreError as error:
            if error.kind not in ("permanent", "gone"):
                raise
            done.clear()
            self._note(f"The server did not {what}: {error.words}")


def _take_places(
    places: Sequence[RemoteMessage], target: RemoteFolder, new: Mapping[int, int]
) -> None:
    """Have the rows follow what was moved; one whose new UID nobody told waits to be found."""
    told: dict[int, RemoteMessage] = {}
    for place in places:
        uid = new.get(place.uid)
        if uid and uid not in told:
            told[uid] = place
    # What a server said before of these UIDs was not so, or it gives them out twice.
    taken = RemoteMessage.objects.filter(folder=target, uid__in=list(told))
    taken.exclude(pk__in=[place.pk for place in told.values()]).delete()
    for uid, place in told.items():
        place.folder, place.uid = target, uid
