"""A visit to an account's provider: the connection, and the lease under which rows are written."""

import os
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from inbox.intake.prepared import Recipient
from inbox.intake.workers import ReaderContext, Readers
from inbox.models import Account, Inbox
from inbox.operations.mail.storing import recipient_of
from inbox.providers.mail_changes import MailChangeStore
from inbox.providers.mail_store import MailStore
from inbox.providers.presets import with_known_networks
from inbox.rfc5322.authentication import own_servers
from inbox.syncing.scheduling import renew
from inbox.syncing.turns import LeaseLost, SyncLease

# A visit makes room for others after so many seconds, and goes on when it is its turn again.
SLICE = 20.0
_MOST_PROCESSES = 4


@dataclass(frozen=True, slots=True)
class AccountVisit:
    """A visit to an account's mail by whoever holds its lease, however the mail is read.

    `until` is when it makes room for others, as `time.monotonic()` counts.
    """

    account: Account
    inbox: Inbox
    held: SyncLease
    until: float
    recipient: Recipient
    alone: Readers
    together: Readers

    @property
    def is_over(self) -> bool:
        """Whether it should make room; what it does next is better left to the next visit."""
        return time.monotonic() >= self.until

    def readers(self, *, many: bool) -> Readers:
        """Return who reads messages: this process, or where there are many, some of its own."""
        return self.together if many else self.alone

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Write rows, all or none, and only under the lease; the provider is not asked meanwhile.

        Raises LeaseLost where another has it by now.
        """
        with transaction.atomic():
            # First of all, as whoever changes a message does.
            Inbox.objects.select_for_update().get(pk=self.inbox.pk)
            if not renew(self.held):
                raise LeaseLost
            yield


@dataclass(frozen=True, slots=True)
class Visit(AccountVisit):
    """One connection to an account's mail by UIDs."""

    store: MailStore


@dataclass(frozen=True, slots=True)
class ChangesVisit(AccountVisit):
    """One way to an account's mail by change tokens."""

    store: MailChangeStore


@contextmanager
def visiting(
    account: Account, store: MailStore, held: SyncLease, *, seconds: float = SLICE
) -> Iterator[Visit]:
    """Begin a visit that should last so many seconds at most."""
    with _equipped(account, held, seconds) as given:
        yield Visit(**given, store=store)


@contextmanager
def visiting_changes(
    account: Account, store: MailChangeStore, held: SyncLease, *, seconds: float = SLICE
) -> Iterator[ChangesVisit]:
    """Begin a visit to mail that is followed by change tokens."""
    with _equipped(account, held, seconds) as given:
        yield ChangesVisit(**given, store=store)


@contextmanager
def _equipped(account: Account, held: SyncLease, seconds: float) -> Iterator[dict[str, Any]]:
    """Yield what every visit has."""
    inbox = account.inboxes.earliest("pk")
    servers = with_known_networks(own_servers(str(account.settings.get("own_servers", ""))))
    recipient = recipient_of(inbox, servers)
    desk = ReaderContext(recipient, frozenset())
    processes = min(os.cpu_count() or 1, _MOST_PROCESSES)
    with closing(Readers(desk, processes)) as together:
        yield {
            "account": account, "inbox": inbox, "held": held,
            "until": time.monotonic() + seconds, "recipient": recipient,
            "alone": Readers(desk, 1), "together": together,
        }  # fmt: skip
