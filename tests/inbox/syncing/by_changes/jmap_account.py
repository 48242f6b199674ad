"""An account at a Cyrus, our side of it, and another program that speaks JMAP."""

import random
import threading
from contextlib import closing

from django.utils import timezone

from inbox.accounts import credentials
from inbox.accounts.credentials import Secret
from inbox.models import Account, SyncState
from inbox.providers.base import Connection
from inbox.providers.jmap import store
from inbox.providers.mail_changes import MailboxEntry, MailChange, MailState
from inbox.providers.mail_store import StoreError
from tests.cyrus import PASSWORD, Cyrus
from tests.inbox.syncing.by_changes.mirroring import ChangesMirror

WORDS = ("$seen", "$flagged", "$answered", "errand", "travel")


def connect(inbox, settings: dict[str, object]) -> ChangesMirror:
    """Make the inbox's account one whose mail lies at a JMAP server."""
    account: Account = inbox.account
    account.provider, account.settings = "jmap", settings
    account.secret = credentials.encrypt(PASSWORD)
    account.save()
    SyncState.objects.create(workspace=account.workspace, account=account, next_at=timezone.now())
    return ChangesMirror(account)


def opened(cyrus: Cyrus, user: str) -> store.JmapStore:
    """Return a way to their mail."""
    connection = Connection("office@lantern.example", cyrus.settings(user), Secret(PASSWORD))
    return store.JmapStore(connection)


def there(cyrus: Cyrus, user: str) -> tuple[dict[str, MailState], dict[str, str]]:
    """Return the state of every message, and the names of the mailboxes by id."""
    with closing(opened(cyrus, user)) as ours:
        found: dict[str, MailState] = {}
        page = ours.changes("", "")
        while page.is_whole:
            found |= page.changed
            if not page.more:
                break
            page = ours.changes("", page.position)
        return found, {entry.id: entry.name for entry in ours.mailboxes()}


def agree(cyrus: Cyrus, user: str, mirror: ChangesMirror) -> None:
    """Hold our side against the server's."""
    mirror.assert_same(*there(cyrus, user))


class JmapProgram(threading.Thread):
    """Another JMAP client: marks, moves, files into several mailboxes, and destroys."""

    def __init__(self, cyrus: Cyrus, user: str, seed: int, rounds: int) -> None:
        super().__init__(daemon=True)
        self.log: list[str] = []
        self._cyrus, self._user, self._rounds = cyrus, user, rounds
        self._chance = random.Random(seed)

    def run(self) -> None:
        for _ in range(self._rounds):
            try:
                self._act()
            except StoreError as error:
                # What it looked at, another may have taken away.
                self.log.append(f"refused: {error} {error.reply}")

    def _act(self) -> None:
        found, _names = there(self._cyrus, self._user)
        with closing(opened(self._cyrus, self._user)) as mail:
            boxes = mail.mailboxes()
            if not found:
                return
            key = self._chance.choice(sorted(found))
            if self._chance.random() < 0.1:
                self.log.append(f"destroy {key}")
                mail.destroy([key])
                return
            change = self._change(found[key], boxes)
            self.log.append(f"{key} {change} {mail.apply({key: change})}")

    def _change(self, state: MailState, boxes: list[MailboxEntry]) -> MailChange:
        words = frozenset(self._chance.sample(WORDS, 2))
        if self._chance.random() < 0.5:
            return MailChange(words - state.keywords, words & state.keywords)
        target = frozenset(
            entry.id for entry in self._chance.sample(boxes, self._chance.randint(1, 2))
        )
        return MailChange(
            add_mailboxes=target - state.mailboxes, remove_mailboxes=state.mailboxes - target
        )
