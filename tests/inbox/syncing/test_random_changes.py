"""We and another mail program change one account at random; in the end both sides are the same."""

import os
import random
from dataclasses import dataclass

import pytest
from django.utils import timezone

from inbox.actor import Actor, system_actor
from inbox.models import Message
from inbox.models.remote import RemoteMessage
from inbox.operations.deletions import purge_deleted
from inbox.operations.mail.message_changes import (
    MessageChanges,
    delete_message,
    move_message,
    restore_message,
    update_message,
)
from inbox.operations.purging import KEPT_FOR
from inbox.syncing.keywords import shared
from tests.inbox.syncing.mirrors import Mirror, connect_account, duplicates, letter

pytestmark = [pytest.mark.services, pytest.mark.django_db]
ROUNDS = int(os.environ.get("SYNC_ROUNDS", "60"))
SEED = int(os.environ.get("SYNC_SEED", "20260302"))
FOLDERS = ("INBOX", "Archive", "Junk", "Trash")
FLAGS = ("\\Seen", "\\Flagged", "\\Answered", "errand")


@dataclass
class Both:
    """Two that change one account: we here, and a mail program there."""

    ours: Mirror
    there: object
    actor: Actor
    chance: random.Random
    number: int = 0

    def step(self) -> None:
        steps = [
            self.arrive, self.flag, self.flag, self.move, self.expunge, self.mark_here,
            self.mark_here, self.move_here, self.delete_here, self.restore_here, self.ours.sync,
            self.ours.sync,
        ]  # fmt: skip
        self.chance.choice(steps)()

    # -- there -------------------------------------------------------------------------------------
    def arrive(self):
        self.number += 1
        self.there.append(self.chance.choice(FOLDERS[:2]), letter(f"Letter {self.number}"))

    def flag(self):
        if uid := self._one_there():
            change = self.chance.choice((self.there.add_flags, self.there.remove_flags))
            change([uid], [self.chance.choice(FLAGS)])

    def move(self):
        if uid := self._one_there():
            self.there.move([uid], self.chance.choice(FOLDERS))

    def expunge(self):
        if (uid := self._one_there()) and self.chance.random() < 0.5:
            self.there.delete_messages([uid])
            self.there.uid_expunge([uid])

    def _one_there(self) -> int | None:
        self.there.select_folder(self.chance.choice(FOLDERS))
        uids = self.there.search("ALL")
        return self.chance.choice(uids) if uids else None

    # -- here --------------------------------------------------------------------------------------
    def mark_here(self):
        if message := self._one_here(deleted=False):
            words = self.chance.sample(["Errand", "two words", "travel"], 2)
            is_read = self.chance.choice((True, False, None))
            changes = MessageChanges(is_read=is_read, categories=self.chance.choice((None, words)))
            update_message(actor=self.actor, message=message, changes=changes)

    def move_here(self):
        if message := self._one_here(deleted=False):
            role = self.chance.choice(("inbox", "archive", "junk", "trash"))
            move_message(actor=self.actor, message=message, role=role)

    def delete_here(self):
        if message := self._one_here(deleted=False):
            delete_message(actor=self.actor, message=message)

    def restore_here(self):
        if message := self._one_here(deleted=True):
            restore_message(actor=self.actor, message=message)

    def _one_here(self, *, deleted: bool) -> Message | None:
        rows = list(Message.objects.filter(deleted_at__isnull=not deleted).order_by("pk"))
        return self.chance.choice(rows) if rows else None


@pytest.fixture
def both(inbox, dovecot):
    user = dovecot.new_user()
    with dovecot.client(user) as there:
        ours = Mirror(connect_account(inbox, dovecot.settings(user)))
        actor = system_actor(inbox.workspace_id, "tests")
        yield Both(ours, there, actor, random.Random(SEED))


def test_in_the_end_both_sides_are_the_same(both):
    for _ in range(8):
        both.arrive()
    both.ours.sync()
    for _ in range(ROUNDS):
        both.step()
    both.ours.sync(times=3)
    assert not RemoteMessage.objects.filter(dirty=True).exists()
    both.ours.assert_agrees()
    assert duplicates(both.ours.account) == []
    for message in Message.objects.prefetch_related("places__folder"):
        for place in message.places.all():
            assert shared(message.keywords) == shared(place.keywords)
            assert message.deleted_at is None or place.folder.role == "trash"


def test_what_is_purged_in_the_end_is_gone_there_too_and_nothing_else(both):
    for _ in range(8):
        both.arrive()
    both.ours.sync()
    for _ in range(ROUNDS // 4):
        both.step()
    both.ours.sync(times=2)
    kept = sorted(Message.objects.kept().values_list("subject", flat=True))
    purge_deleted(timezone.now() + 2 * KEPT_FOR)
    both.ours.sync(times=2)
    both.ours.assert_agrees()
    assert sorted(Message.objects.values_list("subject", flat=True)) == kept
    assert not RemoteMessage.objects.filter(message=None).exists()
