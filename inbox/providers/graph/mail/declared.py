"""What mail at Microsoft Graph is, in one declaration."""

from collections.abc import Callable
from typing import Final

from inbox.providers.base import Connection, Provider
from inbox.providers.declaration import Declaration, SettingField
from inbox.providers.mail_changes import MailChangeStore
from inbox.reasons import phrase as _

NAME: Final = "graph_mail"


def declare(
    send: Callable[[Connection], Provider], read: Callable[[Connection], MailChangeStore]
) -> Declaration:
    """Return what this provider is, with what sends and what reads."""
    return Declaration(
        name=NAME,
        title=_("Microsoft Graph"),
        carries=frozenset({"mail_in", "mail_out"}),
        sign_in=("oauth",),
        fields=(SettingField("api_url", _("Address"), kind="url", required=False),),
        keeps_bytes=False,
        send=send,
        read_mail_changes=read,
        has_mail=lambda settings: settings.get("mail_api") == NAME,
        keeps_sent=True,
    )
