"""A visit to an account's provider: the connection, and the lease under which rows are written."""

import os
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

from django.db import transaction

from inbox.intake.prepared import Recipient
from inbox.intake.workers import ReaderContext, Readers
from inbox.models import Account, Inbox
from inbox.operations.mail.storing import recipient_of
from inbox.providers.mail_store import MailStore
from inbox.rfc5322.authentication import own_servers
from inbox.syncing.scheduling import SyncLease, renew

# A visit makes room for others after so many seconds, and goes on when it is its turn again.
SLICE = 20.0
_MOST_PROCESSES = 4


class LeaseLost(Exception):  # noqa: N818
    """Another worker syncs the account now: nothing more may be written."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One connection to an account's mail, by whoever holds its lease.

    `until` is when it makes room for others, as `time.monotonic()` counts.
    """

    account: Account
    inbox: Inbox
    store: MailStore
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


@contextmanager
def visiting(
    account: Account, store: MailStore, held: SyncLease, *, seconds: float = SLICE
) -> Iterator[Visit]:
    """Begin a visit that should last so many seconds at most."""
    inbox = account.inboxes.earliest("pk")
    servers = own_servers(str(account.settings.get("own_servers", "")))
    recipient = recipient_of(inbox, servers)
    desk = ReaderContext(recipient, frozenset())
    processes = min(os.cpu_count() or 1, _MOST_PROCESSES)
    with closing(Readers(desk, processes)) as together:
        yield Visit(
            account, inbox, store, held, time.monotonic() + seconds, recipient,
            alone=Readers(desk, 1), together=together,
        )  # fmt: skip
