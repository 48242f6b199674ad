"""The providers: a declaration and one line in `PROVIDERS` each."""

from inbox.providers import ics, imap_smtp, local, mail_api
from inbox.providers.base import Connection
from inbox.providers.change_store import ChangeStore
from inbox.providers.dav import store as dav
from inbox.providers.declaration import Declaration, Settings
from inbox.providers.google import store as google
from inbox.providers.google.gmail.sending import GmailSender, identities_of
from inbox.providers.google.gmail.store import GmailStore
from inbox.providers.graph import store as graph
from inbox.providers.graph.mail.sending import GraphSender
from inbox.providers.graph.mail.store import GraphMailStore
from inbox.providers.imap.store import ImapStore
from inbox.providers.imap.waiting import ImapMailbox
from inbox.providers.jmap import declared as jmap
from inbox.providers.jmap.collections import JmapCollections
from inbox.providers.jmap.sending import JmapSender
from inbox.providers.jmap.store import JmapStore
from inbox.providers.mail_changes import MailChangeStore
from inbox.providers.mail_store import MailStore, StoreError
from inbox.providers.mail_watch import WatchedMailbox
from inbox.providers.sign_in.declared import GOOGLE, MICROSOFT
from inbox.reasons import phrase as _

PROVIDERS: dict[str, Declaration] = {
    declared.name: declared
    for declared in (
        local.DECLARATION,
        imap_smtp.declare(ImapStore.connect, ImapMailbox.connect),
        ics.DECLARATION,
        dav.DECLARATION,
        jmap.declare(JmapSender, JmapStore, JmapCollections),
        google.DECLARATION,
        mail_api.declare(GOOGLE.mail_api, _("Gmail"), GmailSender, GmailStore, identities_of),
        graph.DECLARATION,
        mail_api.declare(MICROSOFT.mail_api, _("Microsoft Graph"), GraphSender, GraphMailStore),
    )
}


def has_mail(provider: str, settings: Settings) -> bool:
    """Return True if an account of this provider and these settings has its mail there."""
    declared = PROVIDERS.get(provider)
    return declared is not None and declared.has_mail(settings)


def hosts_of(provider: str, settings: Settings) -> dict[str, str]:
    """Return the hosts that an account's settings name, by the name of the setting."""
    declared = PROVIDERS.get(provider)
    return declared.hosts_in(settings) if declared else {}


def mail_store_for(provider: str, connection: Connection) -> MailStore:
    """Return a connection to the mail of an account, logged in; raises StoreError."""
    declared = PROVIDERS.get(provider)
    if declared is None or declared.read_mail is None or not declared.has_mail(connection.settings):
        words = _("The mail of %(address)s is stored nowhere else.", address=connection.address)
        raise StoreError("permanent", words)
    return declared.read_mail(connection)


async def watched_mailbox_for(provider: str, connection: Connection, name: str) -> WatchedMailbox:
    """Return a connection that watches a mailbox, in the running event loop; raises StoreError."""
    declared = PROVIDERS.get(provider)
    if declared is None or declared.watch_mail is None:
        words = _("The mail of %(address)s is stored nowhere else.", address=connection.address)
        raise StoreError("permanent", words)
    return await declared.watch_mail(connection, name)


def mail_changes_for(provider: str, connection: Connection) -> MailChangeStore:
    """Return a way to the mail of an account by change tokens, signed in; raises StoreError."""
    declared = PROVIDERS.get(provider)
    if declared is None or declared.read_mail_changes is None:
        words = _("The mail of %(address)s is stored nowhere else.", address=connection.address)
        raise StoreError("permanent", words)
    return declared.read_mail_changes(connection)


def is_read_by_changes(provider: str) -> bool:
    """Return True if the mail of a provider's accounts is followed by change tokens."""
    declared = PROVIDERS.get(provider)
    return declared is not None and declared.read_mail_changes is not None


def keeps_sent(provider: str) -> bool:
    """Return True if the provider puts what it sends with the sent mail by itself."""
    declared = PROVIDERS.get(provider)
    return declared is not None and declared.keeps_sent


def stays_here(provider: str) -> bool:
    """Return True if what an account of this provider sends stays on this machine."""
    declared = PROVIDERS.get(provider)
    return declared is not None and declared.stays_here


def change_store_for(provider: str, connection: Connection) -> ChangeStore:
    """Return a way to the collections of a source, signed in; raises StoreError."""
    declared = PROVIDERS.get(provider)
    if declared is None or declared.open_changes is None:
        raise StoreError("permanent", _("There is no provider %(provider)s.", provider=provider))
    return declared.open_changes(connection)
