"""Where people can sign in here: the declared providers for which the operator has a client."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from inbox.accounts.credentials import Secret
from inbox.providers.presets import (
    Preset,
    guess,
    preset_for,
    presets,
    read_server,
    server_settings,
)
from inbox.providers.sign_in.client import Client
from inbox.providers.sign_in.declared import (
    GOOGLE,
    MICROSOFT,
    DeclaredProvider,
    Kind,
    openid,
)


@dataclass(frozen=True, slots=True)
class SignInProvider:
    """A provider, as whom we ask it, and its mail servers where the operator names them."""

    declared: DeclaredProvider
    issuer: str
    client: Client
    imap: str = ""
    smtp: str = ""
    # Where its interfaces answer; empty: where they do for everybody.
    api_url: str = ""

    @property
    def name(self) -> str:
        """What addresses and settings call it."""
        return self.declared.name

    @property
    def title(self) -> str:
        """What people call it."""
        return self.declared.title

    @property
    def device_client(self) -> Client:
        """As whom a code on another device is asked for."""
        is_public = self.declared.device_is_public
        return Client(self.client.id, Secret("")) if is_public else self.client

    def serves(self, preset: Preset | None) -> bool:
        """Return True if an account with the servers of a preset may be signed in to here."""
        return preset is None or not self.declared.presets or preset.name in self.declared.presets

    def mail_settings(self, address: str) -> dict[str, Any]:
        """Return what `Account.settings` holds of its mail servers."""
        preset = self._preset(address)
        servers = preset.settings if preset else guess(address)
        for protocol, text in (("imap", self.imap), ("smtp", self.smtp)):
            if text:
                own = read_server(protocol, text)  # type: ignore[arg-type]
                named = server_settings(own, own)
                servers |= {key: named[key] for key in named if key.startswith(f"{protocol}_")}
        oauth = {key for key in servers if key.startswith("oauth_")}
        kept = {key: value for key, value in servers.items() if key not in oauth}
        return {**kept, "auth": "oauth", "username": address}

    def interface_settings(self, address: str, granted: Collection[str]) -> dict[str, Any]:
        """Return what `Account.settings` holds of its mail by the provider's own interface.

        Where sending by the mail server was granted as well, it is what sends: to the byte.
        """
        declared = self.declared
        found = {
            "mail_api": declared.mail_api, "api_url": self.api_url, "auth": "oauth",
            "username": address,
        }  # fmt: skip
        if not declared.one_resource and not declared.refused_kinds(("mail",), granted):
            servers = self.mail_settings(address)
            found |= {key: value for key, value in servers.items() if key.startswith("smtp_")}
        preset = self._preset(address)
        if preset and preset.own_servers:
            found["own_servers"] = preset.own_servers
        return found

    def scope_of(self, kinds: Iterable[Kind]) -> str:
        """Return the scopes by which a token for some kinds is renewed; empty: for all of them."""
        if not self.declared.one_resource:
            return ""
        wanted = [scope for kind in kinds for scope in self.declared.scopes[kind]]
        return " ".join((*wanted, "offline_access"))

    def _preset(self, address: str) -> Preset | None:
        by_address = preset_for(address)
        if by_address and self.serves(by_address):
            return by_address
        return presets()[self.declared.presets[0]] if self.declared.presets else None


def sign_in_providers() -> list[SignInProvider]:
    """Return those that people can sign in at, in the order of their buttons."""
    return [provider for provider in _all() if provider.client.id]


def known_provider(name: str) -> SignInProvider | None:
    """Return the provider that is called so, whether or not anybody can sign in there now."""
    return next((provider for provider in _all() if provider.name == name), None)


def provider_named(name: str) -> SignInProvider | None:
    """Return the provider that is called so, None where there is no client for it."""
    return next((it for it in sign_in_providers() if it.name == name), None)


def providers_for(preset: Preset | None) -> list[SignInProvider]:
    """Return those at which an account with the servers of a preset can be signed in to."""
    return [provider for provider in sign_in_providers() if provider.serves(preset)]


def _all() -> Iterable[SignInProvider]:
    yield SignInProvider(
        GOOGLE, settings.GOOGLE_ISSUER,
        Client(settings.GOOGLE_CLIENT_ID, Secret(settings.GOOGLE_CLIENT_SECRET)),
        settings.GOOGLE_IMAP, settings.GOOGLE_SMTP, settings.GOOGLE_API,
    )  # fmt: skip
    tenant = f"{settings.MICROSOFT_LOGIN.rstrip('/')}/{settings.MICROSOFT_TENANT}/v2.0"
    yield SignInProvider(
        MICROSOFT, tenant,
        Client(settings.MICROSOFT_CLIENT_ID, Secret(settings.MICROSOFT_CLIENT_SECRET)),
        settings.MICROSOFT_IMAP, settings.MICROSOFT_SMTP, settings.MICROSOFT_API,
    )  # fmt: skip
    title = settings.OPENID_NAME or urlsplit(settings.OPENID_ISSUER).hostname or ""
    yield SignInProvider(
        openid(title, settings.OPENID_MAIL_SCOPE), settings.OPENID_ISSUER,
        Client(settings.OPENID_CLIENT_ID, Secret(settings.OPENID_CLIENT_SECRET)),
        settings.OPENID_IMAP, settings.OPENID_SMTP,
    )  # fmt: skip
