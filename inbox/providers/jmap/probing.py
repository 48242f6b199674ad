"""Trying a JMAP account out: found, signed in to, its mailboxes, and whether it sends."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

from inbox.providers.base import TRIED_FOR, Connection, Finding
from inbox.providers.jmap.settings import host_of
from inbox.providers.jmap.store import JmapStore
from inbox.providers.mail_store import StoreError, StoreErrorKind
from inbox.reasons import ReasonText
from inbox.reasons import phrase as _

_ADVICE: dict[StoreErrorKind, ReasonText] = {
    "login": _("Check the user name and the password, and that no space slipped in."),
    "throttled": _("The provider is limiting requests. Try again in a few minutes."),
    "transient": _("Try again in a moment. If it still fails, check the address."),
}


def probe_jmap(connection: Connection) -> list[Finding]:
    """Try an account's server, and return what was found; nothing is sent or changed there."""
    settings = {**connection.settings, "jmap_timeout": TRIED_FOR}
    try:
        with closing(JmapStore(replace(connection, settings=settings))) as store:
            store.look_anew()
            return list(_findings(store, host_of(connection.settings)))
    except StoreError as error:
        advice = _ADVICE.get(error.kind, _("Check the address of the server."))
        return [Finding("jmap", "bad", error.words, advice, error.reply)]


def _findings(store: JmapStore, host: str) -> Iterator[Finding]:
    mailboxes = store.mailboxes()
    holds = _("%(count)s mailboxes", count=len(mailboxes))
    yield Finding("jmap", "good", _("Receiving works with %(host)s", host=host), holds)
    if not any(entry.role == "trash" for entry in mailboxes):
        words = _("Mail deleted here is permanently removed there after 30 days.")
        yield Finding("jmap", "warn", _("There is no trash"), words)
    if store.can_send:
        words = _("Nothing was sent.")
        yield Finding("jmap", "good", _("Sending works with %(host)s", host=host), words)
    else:
        words = _("Mail can be read here, and drafts cannot be sent.")
        yield Finding("jmap", "warn", _("%(host)s does not send mail", host=host), words)
    if store.has_collections:
        words = _("Connect them on the account's page.")
        yield Finding("jmap", "good", _("Calendars or contacts are there as well"), words)
