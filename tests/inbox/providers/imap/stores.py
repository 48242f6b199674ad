"""Stores on a server, and letters put into them."""

import datetime

from inbox.accounts.credentials import Secret
from inbox.providers.base import Connection
from inbox.providers.imap.store import ImapStore
from tests.dovecot import PASSWORD, Dovecot

LETTER = b"Message-ID: <%b@lantern.example>\r\nSubject: Lamp oil\r\n\r\nTwo barrels.\r\n"
NOON = datetime.datetime(2024, 3, 1, 12, 0, 0, tzinfo=datetime.UTC)


def store_on(
    server: Dovecot, user: str, security: str = "none", *, secret: str = PASSWORD, **more: object
) -> ImapStore:
    """Log in; the caller closes it."""
    settings = server.settings(user, security, **more)
    return ImapStore.connect(Connection("mira@lantern.example", settings, Secret(secret)))


def put(store: ImapStore, *names: bytes, into: str = "INBOX") -> list[int | None]:
    """Put letters into a mailbox; return their UIDs."""
    none: frozenset[str] = frozenset()
    return [store.append(into, LETTER % n, keywords=none, received_at=NOON) for n in names]
