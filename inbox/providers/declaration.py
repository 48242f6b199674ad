"""What a provider is, in one declaration: everything else that is done with it asks this."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from inbox.providers.base import Connection, Provider
from inbox.providers.change_store import ChangeStore
from inbox.providers.mail_changes import MailChangeStore, SenderIdentity
from inbox.providers.mail_store import MailStore
from inbox.providers.mail_watch import OpenMailbox
from inbox.providers.sign_in.declared import Kind, ProviderName
from inbox.providers.web import host_of
from inbox.reasons import ReasonText

Carried: TypeAlias = Literal[
    "mail_in", "mail_out", "calendar", "contacts", "todos", "files"
]  # fmt: skip
# `key`: one that a person makes at the provider, for programs; there is no user name beside it.
SignIn: TypeAlias = Literal["none", "password", "key", "oauth"]
Settings: TypeAlias = Mapping[str, Any]
# What a sign-in calls what a provider carries.
_GRANTED_AS: Final[Mapping[Carried, Kind]] = {
    "calendar": "calendars", "contacts": "contacts", "todos": "todos", "files": "files",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SettingField:
    """One setting as a form asks for it; the password or key is asked for by `sign_in`.

    `kind`: `url` is an address of a server, `text` a line. `is_rare`: most people leave it empty,
    so that a form folds it away.
    """

    name: str
    title: ReasonText
    kind: Literal["url", "text"] = "text"
    required: bool = True
    help: ReasonText | str = ""
    is_rare: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a provider is asked: requests an hour of one source, and seconds between looks."""

    calls_an_hour: int = 3_600
    seconds_between_looks: int = 300


@dataclass(frozen=True, slots=True)
class Declaration:
    """A provider: what it carries, how one signs in, its settings, its limits, how it is opened.

    `summary` says to a person who chooses which servers it is for. `keeps_bytes`: mail lies there
    exactly as it was sent. What it promises of sending stands in the `capabilities` of what `send`
    makes.
    """

    name: str
    title: ReasonText
    carries: frozenset[Carried]
    summary: ReasonText | str = ""
    sign_in: tuple[SignIn, ...] = ("none",)
    # At which provider one signs in by clicking, for what it carries (`sign_in.declared`).
    signs_in_at: ProviderName | None = None
    fields: tuple[SettingField, ...] = ()
    limits: Limits = field(default_factory=Limits)
    keeps_bytes: bool = True
    # The hosts that settings name, by the setting that does: what an operator allows or not.
    # Without it they are those of the fields that are addresses.
    hosts: Callable[[Settings], Mapping[str, str]] | None = None
    # What else settings may mean where they lead to nothing, for whoever connects; None: nothing.
    otherwise: Callable[[Settings], Settings | None] = lambda _settings: None
    send: Callable[[Connection], Provider] | None = None
    # Mail is read by UIDs (IMAP), or by change tokens.
    read_mail: Callable[[Connection], MailStore] | None = None
    read_mail_changes: Callable[[Connection], MailChangeStore] | None = None
    # How a mailbox is watched in an event loop; with change tokens it is the store that waits.
    watch_mail: OpenMailbox | None = None
    # Whether what is sent lies with the sent mail afterwards, without our putting it there.
    keeps_sent: bool = False
    # Whether what is sent stays on this machine.
    stays_here: bool = False
    # Whether an account with these settings has its mail there.
    has_mail: Callable[[Settings], bool] = lambda _settings: False
    # As whom an account may send, where the provider says so; may raise StoreError.
    identities: Callable[[Connection], list[SenderIdentity]] | None = None
    open_changes: Callable[[Connection], ChangeStore] | None = None

    def hosts_in(self, settings: Settings) -> dict[str, str]:
        """Return the hosts that settings name, by the setting that does."""
        if self.hosts is not None:
            named = self.hosts(settings)
        else:
            addresses = [one.name for one in self.fields if one.kind == "url"]
            named = {name: host_of(str(settings.get(name) or "")) for name in addresses}
        return {name: host for name, host in named.items() if host}

    @property
    def granted_kinds(self) -> tuple[Kind, ...]:
        """What of it somebody allows who signs in by clicking, in order."""
        return tuple(kind for carried, kind in _GRANTED_AS.items() if carried in self.carries)
