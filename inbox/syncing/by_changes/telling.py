"""Telling the provider what was changed here: keywords, mailboxes, and what was removed for good.

As over IMAP there is no queue: what differs between a message and its places is told, and a crash
on the way only means that the same is told again. The places then say what the provider was told,
so that its next list of changes holds no news of it.
"""

import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inbox.models import Mailbox, Message
from inbox.models.remote import RemoteFolder, RemoteMessage
from inbox.operations.batched import in_chunks
from inbox.providers.mail_changes import MailChange
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _
from inbox.syncing.by_changes.moves import Wanted, wanted_mailboxes
from inbox.syncing.by_changes.refusals import lie_there, undo
from inbox.syncing.incoming.locations import AT_ONCE
from inbox.syncing.keywords import changed_here
from inbox.syncing.outcomes import PushOutcome
from inbox.syncing.outgoing.desired_state import USUAL_NAMES, DesiredState, desired_states_of
from inbox.syncing.visits import ChangesVisit

_MOST_REFUSED, _LONGEST_PROBLEM = 5, 500

log = logging.getLogger(__name__)


def tell_changes(visit: ChangesVisit) -> PushOutcome:
    """Tell the provider what was changed here since, while the visit's time lasts.

    Raises StoreError and LeaseLost; what was told by then is written down.
    """
    told = PushOutcome()
    rows = RemoteMessage.objects.filter(
        folder__account=visit.account, dirty=True, remote_id__isnull=False
    )
    after = 0
    while keys := list(
        rows.filter(pk__gt=after).order_by("pk").values_list("pk", flat=True)[:AT_ONCE]
    ):
        if visit.is_over:
            told.unfinished = True
            break
        after = keys[-1]
        _Round(visit, told).tell(keys)
    return told


@dataclass(frozen=True, slots=True)
class _Told:
    """What is told of one message there: its change, and its places afterwards."""

    places: Sequence[RemoteMessage]
    change: MailChange
    wanted: Wanted


class _Round:
    """Some hundred places, and what is to be told of their messages."""

    def __init__(self, visit: ChangesVisit, told: PushOutcome) -> None:
        self._visit, self._store, self._told = visit, visit.store, told
        rows = RemoteFolder.objects.filter(account=visit.account, remote_id__isnull=False)
        self._folders = {row.pk: row for row in rows}

    def tell(self, keys: Sequence[int]) -> None:
        ids = RemoteMessage.objects.filter(pk__in=keys).values_list("remote_id", flat=True)
        by_id = self._places(sorted({one for one in ids if one}))
        unwanted = [one for one, places in by_id.items() if places[0].message_id is None]
        self._destroy({one: by_id.pop(one) for one in unwanted})
        messages = Message.objects.filter(
            pk__in={places[0].message_id or 0 for places in by_id.values()}
        ).only("inbox_id", "keywords", "deleted_at")
        wishes = desired_states_of(self._visit.account, messages)
        # What was removed for good just now is the next round's.
        by_id = {one: it for one, it in by_id.items() if it[0].message_id in wishes}
        todo = self._work_out(by_id, wishes)
        changes = {one: it.change for one, it in todo.items() if it.change != MailChange()}
        refused = self._store.apply(changes) if changes else {}
        self._give_up(
            [(error, todo.pop(one)) for one, error in refused.items() if one in todo], wishes
        )
        self._settle(todo, wishes)

    def _places(self, ids: Sequence[str]) -> dict[str, list[RemoteMessage]]:
        rows = RemoteMessage.objects.filter(remote_id__in=ids, folder__in=list(self._folders))
        found: dict[str, list[RemoteMessage]] = defaultdict(list)
        for row in rows.order_by("pk"):
            found[row.remote_id or ""].append(row)
        return dict(found)

    # -- what to tell ------------------------------------------------------------------------------
    def _work_out(
        self, by_id: Mapping[str, list[RemoteMessage]], wishes: Mapping[int, DesiredState]
    ) -> dict[str, _Told]:
        mailbox_of = {key: row.mailbox_id for key, row in self._folders.items()}
        moves = wanted_mailboxes(by_id, wishes, mailbox_of, lies_in_many=self._store.lies_in_many)
        folder_of = self._folders_for({key for it in moves.values() for key in it.add})
        found: dict[str, _Told] = {}
        for one, places in by_id.items():
            wanted = moves.get(one, Wanted())
            add = {mailbox: folder_of[mailbox] for mailbox in wanted.add if mailbox in folder_of}
            # Where it cannot be put anywhere else, it stays where it is.
            leaves = wanted.remove if add or not wanted.add else frozenset[int]()
            wanted = Wanted(frozenset(row.pk for row in add.values()), leaves)
            found[one] = _Told(places, self._change(places, wishes, wanted), wanted)
        return found

    def _change(
        self, places: Sequence[RemoteMessage], wishes: Mapping[int, DesiredState], wanted: Wanted
    ) -> MailChange:
        known = {word for place in places for word in place.keywords}
        told = changed_here(
            wishes[places[0].message_id or 0].keywords, known=known,
            takes=self._store.takes_keyword,
        )  # fmt: skip
        return MailChange(told.add, told.remove, self._ids(wanted.add), self._ids(wanted.remove))

    def _ids(self, folders: frozenset[int]) -> frozenset[str]:
        return frozenset(self._folders[key].remote_id or "" for key in folders)

    def _folders_for(self, mailboxes: set[int]) -> dict[int, RemoteFolder]:
        """Return the folder of each mailbox of ours, made there where there is none; few are."""
        found = {row.mailbox_id: row for row in self._folders.values()}
        for key in sorted(mailboxes - found.keys()):
            mailbox = Mailbox.objects.get(pk=key)
            name = USUAL_NAMES.get(mailbox.role)
            if name is None:
                self._note(_("No mailbox can be created for %(name)s.", name=repr(mailbox.name)))
                continue
            try:
                remote_id = self._store.create(name, mailbox.role)
            except StoreError as error:
                if error.kind not in {"permanent", "gone"}:
                    raise
                self._note(_("The server did not make a mailbox: %(why)s", why=error.words))
                continue
            found[key] = self._adopt(mailbox, name, remote_id)
        return found

    def _adopt(self, mailbox: Mailbox, name: str, remote_id: str) -> RemoteFolder:
        with self._visit.writing():
            row, _made = RemoteFolder.objects.get_or_create(
                account=self._visit.account, remote_id=remote_id,
                defaults={
                    "mailbox": mailbox, "name": name, "role": mailbox.role, "delimiter": "/"
                },
            )  # fmt: skip
        self._folders[row.pk] = row
        return row

    # -- what came of it ---------------------------------------------------------------------------
    def _settle(self, todo: Mapping[str, _Told], wishes: Mapping[int, DesiredState]) -> None:
        """Write down what was told; what was changed again meanwhile stays to be told."""
        # Whoever changes a message locks its inbox too, and waits for us or we for them.
        with self._visit.writing():
            messages = {it.places[0].message_id or 0 for it in todo.values()}
            rows = Message.objects.filter(pk__in=messages)
            now = desired_states_of(
                self._visit.account, rows.only("inbox_id", "keywords", "deleted_at")
            )
            kept: list[RemoteMessage] = []
            left: list[int] = []
            for it in todo.values():
                after, gone = self._after(it)
                key = it.places[0].message_id or 0
                for place in after:
                    place.dirty = now.get(key) != wishes[key]
                    if key not in now and place.pk is None:
                        place.message_id, place.unwanted = None, True
                kept += after
                left += gone
            RemoteMessage.objects.filter(pk__in=left).delete()
            RemoteMessage.objects.bulk_update(
                [place for place in kept if place.pk], ["keywords", "dirty", "unlisted"],
                batch_size=AT_ONCE,
            )  # fmt: skip
            RemoteMessage.objects.bulk_create(
                [place for place in kept if not place.pk], ignore_conflicts=True
            )
            self._lie_there([it for it in todo.values() if self._lies_nowhere(it, now)])
        self._told.told += len(todo)

    def _lies_nowhere(self, it: _Told, now: Mapping[int, DesiredState]) -> bool:
        """Return True if the provider has no mailbox for where we have a message."""
        state = now.get(it.places[0].message_id or 0)
        return state is not None and not state.mailboxes

    def _lie_there(self, lost: Sequence[_Told]) -> None:
        """Have messages lie here where they lie there; what only we have of mailboxes stays."""
        lie_there(
            {
                it.places[0].message_id or 0: frozenset(
                    self._folders[place.folder_id].mailbox_id for place in it.places
                )
                for it in lost
            }
        )

    def _after(self, it: _Told) -> tuple[list[RemoteMessage], list[int]]:
        """Return the places of a message once it was told, and the keys of those it left."""
        known = {word for place in it.places for word in place.keywords}
        keywords = sorted((known | it.change.add_keywords) - it.change.remove_keywords)
        stays = [place for place in it.places if place.folder_id not in it.wanted.remove]
        like = it.places[0]
        there = {place.folder_id for place in stays}
        stays += [
            RemoteMessage(
                folder_id=key, uid=like.uid, remote_id=like.remote_id, message_id=like.message_id
            )
            for key in sorted(it.wanted.add - there)
        ]
        for place in stays:
            place.keywords = keywords
            # Positions of single mailboxes need not tell of what was moved back meanwhile.
            place.unlisted = place.unlisted or (
                self._store.by_mailbox and bool(it.wanted.add or it.wanted.remove)
            )
        return stays, [place.pk for place in it.places if place.folder_id in it.wanted.remove]

    def _destroy(self, by_id: Mapping[str, list[RemoteMessage]]) -> None:
        """Remove for good what was removed here; a row that stays is not brought in again."""
        unwanted = [one for one, places in by_id.items() if places[0].unwanted]
        for ids in in_chunks(unwanted, AT_ONCE):
            refused = self._store.destroy(ids)
            for error in refused.values():
                self._note(_("The server did not remove a message: %(why)s", why=error.words))
            with self._visit.writing():
                done = [place.pk for one in ids if one not in refused for place in by_id[one]]
                kept = [place.pk for one in ids if one in refused for place in by_id[one]]
                rows = RemoteMessage.objects.filter(message=None)
                rows.filter(pk__in=done).delete()
                rows.filter(pk__in=kept).update(
                    dirty=False, problem=_("The server does not remove it.")
                )
            self._told.told += len(ids)
        others = [place.pk for one in by_id.keys() - set(unwanted) for place in by_id[one]]
        RemoteMessage.objects.filter(pk__in=others, message=None).update(dirty=False)

    def _give_up(
        self, refused: Sequence[tuple[StoreError, _Told]], wishes: Mapping[int, DesiredState]
    ) -> None:
        """Undo here what was refused; what is said to be gone is asked for by its id.

        If that is there all the same, it is told again the next time.
        """
        gone = [it.places for error, it in refused if error.kind == "gone"]
        others = [(error, it.places) for error, it in refused if error.kind != "gone"]
        for error, _places in others:
            self._note(_("The server did not change a message: %(why)s", why=error.words))
        if gone:
            with self._visit.writing():
                keys = [place.pk for places in gone for place in places]
                RemoteMessage.objects.filter(pk__in=keys).update(unlisted=True)
        if others:
            mailbox_of = {key: row.mailbox_id for key, row in self._folders.items()}
            undo(
                self._visit, [places for _error, places in others], wishes, mailbox_of,
                self._store.takes_keyword,
            )  # fmt: skip

    def _note(self, words: str) -> None:
        log.warning("account %s: %s", self._visit.account.pk, words)
        if len(self._told.refused) < _MOST_REFUSED:
            self._told.refused.append(words[:_LONGEST_PROBLEM])
