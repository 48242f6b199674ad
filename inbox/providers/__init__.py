"""The ways in which mail leaves: one module each, and one line in `PROVIDERS`."""

from collections.abc import Callable

from inbox.providers.base import Connection, Provider
from inbox.providers.imap.store import ImapStore
from inbox.providers.imap_smtp import ImapSmtp
from inbox.providers.local import Local
from inbox.providers.mail_store import MailStore, StoreError
from inbox.reasons import phrase as _

PROVIDERS: dict[str, Callable[[Connection], Provider]] = {
    "local": Local,
    "imap_smtp": lambda connection: ImapSmtp(connection, mail_store_for),
}


def mail_store_for(connection: Connection) -> MailStore:
    """Return a connection to the mail of an account, logged in; raises StoreError.

    An account without `imap_host` in its settings has its mail nowhere else.
    """
    if not connection.settings.get("imap_host"):
        words = _("The mail of %(address)s is stored nowhere else.", address=connection.address)
        raise StoreError("permanent", words)
    return ImapStore.connect(connection)
