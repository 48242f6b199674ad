"""Where people can sign in, as data: one entry a provider; which client we are is for settings."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from inbox.reasons import ReasonText
from inbox.reasons import phrase as _

# `mail` is by the mail servers, `mail_api` by an interface of the provider's own.
Kind: TypeAlias = Literal["mail", "mail_api", "calendars", "contacts", "files", "todos"]
ProviderName: TypeAlias = Literal["google", "microsoft", "openid"]
KINDS: Final[dict[Kind, ReasonText]] = {
    "mail": _("reading and sending mail"),
    "mail_api": _("mail, by the provider's own interface"),
    "calendars": _("calendars"),
    "contacts": _("contacts"),
    "files": _("files"),
    "todos": _("to-dos"),
}
MAIL: Final = frozenset[Kind]({"mail", "mail_api"})
# Scopes that open no data: who it is, and that we may come again.
_PLAIN = frozenset({"openid", "email", "profile", "offline_access"})
_GOOGLE = "https://www.googleapis.com/auth/"
_GRAPH = "https://graph.microsoft.com/"
_MICROSOFT_SMTP = "https://outlook.office.com/SMTP.Send"


@dataclass(frozen=True, slots=True)
class DeclaredProvider:
    """What is asked of a provider, and how.

    `scopes` are those of each kind that it has. `address_claims` hold the address that signed in.
    `one_resource`: an access token is for one kind's servers alone, so that each kind asks for its
    own by the same refresh token. `device_kinds`: what it grants to a code on another device.
    """

    name: ProviderName
    title: str
    scopes: Mapping[Kind, tuple[str, ...]]
    plain_scopes: tuple[str, ...]
    parameters: Mapping[str, str]
    address_claims: tuple[str, ...] = ("email",)
    issuer_aliases: tuple[str, ...] = ()
    one_resource: bool = False
    device_kinds: frozenset[Kind] = field(default_factory=lambda: frozenset(KINDS))
    # Whether a code on another device is for clients without a secret, which ours is then.
    device_is_public: bool = False
    # The presets of its mail servers (`presets.yaml`), the first where the address tells nothing.
    presets: tuple[str, ...] = ()
    # What reads its mail by an interface of its own (`inbox.providers`); empty: nothing does.
    mail_api: str = ""
    # What the mail server for sending wants beside that interface, asked for together with it.
    smtp_scopes: tuple[str, ...] = ()
    # Where people see and remove what they granted.
    grants_url: str = ""

    def scopes_of(self, kinds: Iterable[Kind]) -> tuple[str, ...]:
        """Return the scopes to ask for, each once, in order."""
        wanted = [scope for kind in kinds for scope in self.scopes.get(kind, ())]
        return tuple(dict.fromkeys((*self.plain_scopes, *wanted)))

    def refused_kinds(self, kinds: Iterable[Kind], granted: Collection[str]) -> list[Kind]:
        """Return which kinds were asked for and not granted."""
        held = {scope.lower() for scope in granted}
        return [
            kind
            for kind in kinds
            if any(scope.lower() not in held for scope in self.scopes.get(kind, ()))
        ]

    def granted_kinds(self, granted: Collection[str]) -> list[Kind]:
        """Return the kinds all of whose scopes were granted."""
        held = [kind for kind in KINDS if self.scopes.get(kind)]
        lacking = self.refused_kinds(held, granted)
        return [kind for kind in held if kind not in lacking]


def without_plain(scopes: Iterable[str]) -> list[str]:
    """Return the scopes that open data, in order."""
    return sorted(set(scopes) - _PLAIN)


GOOGLE: Final = DeclaredProvider(
    name="google",
    title="Google",
    scopes={
        "mail": ("https://mail.google.com/",),
        "mail_api": (f"{_GOOGLE}gmail.modify",),
        "calendars": (f"{_GOOGLE}calendar",),
        "contacts": (f"{_GOOGLE}contacts",),
        "files": (f"{_GOOGLE}drive",),
        "todos": (f"{_GOOGLE}tasks",),
    },
    plain_scopes=("openid", "email"),
    # A refresh token comes with consent alone; what was granted before stays granted.
    parameters={
        "access_type": "offline",
        "prompt": "consent",
        "include_granted_scopes": "true",
    },
    issuer_aliases=("accounts.google.com",),
    # It grants a code on another device next to nothing that we need.
    device_kinds=frozenset(),
    presets=("gmail",),
    mail_api="gmail",
    grants_url="https://myaccount.google.com/connections",
)
MICROSOFT: Final = DeclaredProvider(
    name="microsoft",
    title="Microsoft",
    scopes={
        "mail": (
            "https://outlook.office.com/IMAP.AccessAsUser.All",
            _MICROSOFT_SMTP,
        ),
        "mail_api": (f"{_GRAPH}Mail.ReadWrite", f"{_GRAPH}Mail.Send"),
        "calendars": (f"{_GRAPH}Calendars.ReadWrite",),
        "contacts": (f"{_GRAPH}Contacts.ReadWrite",),
        "files": (f"{_GRAPH}Files.ReadWrite",),
        "todos": (f"{_GRAPH}Tasks.ReadWrite",),
    },
    plain_scopes=("openid", "email", "profile", "offline_access"),
    parameters={"prompt": "select_account"},
    # The name that its mail servers know; the claim `email` is whatever a tenant wrote there.
    address_claims=("preferred_username",),
    one_resource=True,
    device_is_public=True,
    presets=("microsoft365", "outlook"),
    mail_api="graph_mail",
    smtp_scopes=(_MICROSOFT_SMTP,),
    grants_url="https://myapps.microsoft.com/",
)

# By whose own interfaces mail can be read and sent.
MAIL_APIS: Final = tuple(one.mail_api for one in (GOOGLE, MICROSOFT) if one.mail_api)


def openid(title: str, mail_scope: str) -> DeclaredProvider:
    """Return an OpenID provider that the operator names, with what its mail servers ask for."""
    return DeclaredProvider(
        name="openid",
        title=title,
        scopes={"mail": tuple(mail_scope.split())},
        plain_scopes=("openid", "email", "offline_access"),
        parameters={"prompt": "consent"},
        device_kinds=frozenset({"mail"}),
    )
