"""What sends for an account whose mail is read by Graph: Microsoft's SMTP server, or Graph."""

from typing import Literal

from inbox.providers.base import Connection, HandOver, Parcel, Provider, ProviderReceipt
from inbox.providers.graph.mail.sending import GraphSender
from inbox.providers.imap_smtp import ImapSmtp, for_smtp


class GraphBySmtp(ImapSmtp):
    """Sends by Microsoft's SMTP server, to the byte, and looks for what was sent by Graph.

    A token of Graph is none for the mail servers: another one comes of the same sign-in.
    """

    def submit(self, parcel: Parcel, hand_over: HandOver) -> ProviderReceipt:
        """Send exactly the parcel's bytes."""
        return ImapSmtp(for_smtp(self._connection)).submit(parcel, hand_over)

    def find_sent(self, message_id: str) -> Literal[True] | None:
        """Look for it with the sent mail, where the SMTP server puts it as well."""
        return GraphSender(self._connection).find_sent(message_id)


def sender_of(connection: Connection) -> Provider:
    """Return what sends: where settings name an SMTP server, that does."""
    is_by_smtp = bool(connection.settings.get("smtp_host"))
    return GraphBySmtp(connection) if is_by_smtp else GraphSender(connection)
