"""What mail at Gmail is, in one declaration."""

from collections.abc import Callable
from typing import Final

from inbox.providers.base import Connection, Provider
from inbox.providers.declaration import Declaration, SettingField
from inbox.providers.mail_changes import MailChangeStore, SenderIdentity
from inbox.reasons import phrase as _

NAME: Final = "gmail"


def declare(
    send: Callable[[Connection], Provider],
    read: Callable[[Connection], MailChangeStore],
    identities: Callable[[Connection], list[SenderIdentity]],
) -> Declaration:
    """Return what this provider is, with what sends, what reads, and as whom one may send."""
    return Declaration(
        name=NAME,
        title=_("Gmail"),
        carries=frozenset({"mail_in", "mail_out"}),
        sign_in=("oauth",),
        fields=(SettingField("api_url", _("Address"), kind="url", required=False),),
        keeps_bytes=False,
        send=send,
        read_mail_changes=read,
        has_mail=lambda settings: settings.get("mail_api") == NAME,
        keeps_sent=True,
        identities=identities,
    )
