"""Mail by an interface of its provider's own: what the declarations of all of them have in common.

By SMTP exactly the sealed bytes leave, so where settings name such a server as well, that sends.
"""

from collections.abc import Callable
from typing import Literal

from inbox.providers.base import Connection, HandOver, Parcel, Provider, ProviderReceipt
from inbox.providers.declaration import Declaration, SettingField
from inbox.providers.imap_smtp import ImapSmtp, for_smtp
from inbox.providers.mail_changes import MailChangeStore, SenderIdentity
from inbox.reasons import ReasonText
from inbox.reasons import phrase as _


class SmtpBesideApi(ImapSmtp):
    """Sends by the provider's SMTP server, to the byte; the interface looks for what was sent."""

    def __init__(self, connection: Connection, by_api: Provider) -> None:
        super().__init__(connection)
        self._by_api = by_api

    def submit(self, parcel: Parcel, hand_over: HandOver) -> ProviderReceipt:
        """Send exactly the parcel's bytes, with a token of its own where SMTP takes another one."""
        return ImapSmtp(for_smtp(self._connection)).submit(parcel, hand_over)

    def find_sent(self, message_id: str) -> Literal[True] | None:
        """Look for it with the sent mail, where the SMTP server puts it as well."""
        return True if self._by_api.find_sent(message_id) else None


def declare(
    name: str,
    title: ReasonText,
    send: Callable[[Connection], Provider],
    read: Callable[[Connection], MailChangeStore],
    identities: Callable[[Connection], list[SenderIdentity]] | None = None,
) -> Declaration:
    """Return what a provider is, with what sends, what reads, and as whom one may send."""

    def sender_of(connection: Connection) -> Provider:
        by_api = send(connection)
        is_by_smtp = bool(connection.settings.get("smtp_host"))
        return SmtpBesideApi(connection, by_api) if is_by_smtp else by_api

    return Declaration(
        name=name,
        title=title,
        carries=frozenset({"mail_in", "mail_out"}),
        sign_in=("oauth",),
        fields=(SettingField("api_url", _("Address"), kind="url", required=False),),
        keeps_bytes=False,
        send=sender_of,
        read_mail_changes=read,
        has_mail=lambda settings: settings.get("mail_api") == name,
        keeps_sent=True,
        identities=identities,
    )
