"""What JMAP is, in one declaration."""

from collections.abc import Callable

from inbox.providers.base import Connection, Provider
from inbox.providers.change_store import ChangeStore
from inbox.providers.declaration import Declaration, SettingField
from inbox.providers.jmap.settings import host_of
from inbox.providers.mail_changes import MailChangeStore
from inbox.reasons import phrase as _


def declare(
    send: Callable[[Connection], Provider],
    read: Callable[[Connection], MailChangeStore],
    collections: Callable[[Connection], ChangeStore],
) -> Declaration:
    """Return what this provider is, with what sends, what reads mail, and what has collections."""
    return Declaration(
        name="jmap",
        title=_("JMAP"),
        summary=_(
            "Fastmail, Cyrus, Stalwart and other servers that offer calendars or contacts by JMAP."
        ),
        carries=frozenset({"mail_in", "mail_out", "calendar", "contacts"}),
        sign_in=("password", "oauth"),
        fields=(
            SettingField("jmap_url", _("Server address"), "url"),
            SettingField("username", _("User name"), required=False),
        ),
        hosts=lambda settings: {"jmap_url": host_of(settings)},
        send=send,
        read_mail_changes=read,
        open_changes=collections,
        has_mail=lambda settings: bool(settings.get("jmap_url")),
        keeps_sent=True,
    )
