"""Servers of known providers, by the domain of an address (`presets.yaml`); and a guess for others.

Nothing is looked up: the list and the guess are all there is.
"""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

import yaml

from inbox.providers.advice import ADVICE
from inbox.reasons import ReasonText
from inbox.rfc5322.authentication import OwnServers, own_servers

Login: TypeAlias = Literal["password", "app_password", "oauth"]
Protocol: TypeAlias = Literal["imap", "smtp"]
Security: TypeAlias = Literal["tls", "starttls", "none"]
# The usual ports of each way in (RFC 8314 3.2, 3.3; RFC 9051; RFC 6409).
PORTS: dict[Protocol, dict[Security, int]] = {
    "imap": {"tls": 993, "starttls": 143, "none": 143},
    "smtp": {"tls": 465, "starttls": 587, "none": 25},
}
_FILE = Path(__file__).with_name("presets.yaml")


@dataclass(frozen=True, slots=True)
class Server:
    """Where a server answers."""

    host: str
    port: int
    security: Security


@dataclass(frozen=True, slots=True)
class Preset:
    """What is known of a provider; `advice` and `link` tell a person what it wants.

    `own_servers`: where its Authentication-Results bear no name, the servers that write them.
    `calendars`, `contacts` and `files` are where those lie, empty where it has none for programs.
    """

    name: str
    title: str
    domains: tuple[str, ...]
    imap: Server
    smtp: Server
    login: Login
    advice: ReasonText
    sent_by_server: bool = False
    own_servers: str = ""
    calendars: str = ""
    contacts: str = ""
    files: str = ""
    link: str = ""
    oauth_token_url: str = ""
    oauth_scope: str = ""

    @property
    def settings(self) -> dict[str, Any]:
        """What `Account.settings` holds for it, but for the user name."""
        oauth = {"oauth_token_url": self.oauth_token_url, "oauth_scope": self.oauth_scope}
        is_oauth = self.login == "oauth"
        own_servers = {"own_servers": self.own_servers} if self.own_servers else {}
        return {
            **server_settings(self.imap, self.smtp),
            "sent_by_server": self.sent_by_server,
            **own_servers,
            "auth": "oauth" if is_oauth else "password",
            **(oauth if is_oauth else {}),
        }


def server_settings(imap: Server, smtp: Server) -> dict[str, Any]:
    """Return two servers as `Account.settings` has them."""
    return {
        f"{protocol}_{name}": getattr(server, name)
        for protocol, server in (("imap", imap), ("smtp", smtp))
        for name in ("host", "port", "security")
    }


@cache
def presets() -> dict[str, Preset]:
    """Return every preset by its name, as the file has them."""
    rows: list[dict[str, Any]] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    return {row["name"]: _preset(**row) for row in rows}


def preset_for(address: str) -> Preset | None:
    """Return the preset of an address's domain, None where it is not known."""
    return _by_domain().get(address.rpartition("@")[2].strip().lower())


def preset_of(settings: dict[str, Any]) -> Preset | None:
    """Return the preset whose server an account uses, None where it is none's."""
    for protocol in ("imap_host", "smtp_host"):
        if found := _by_host().get(str(settings.get(protocol, "")).lower()):
            return found
    return None


def with_own_servers(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings with the provider's own servers, where they say none and it is known."""
    preset = lacking_own_servers(settings)
    return {**settings, "own_servers": preset.own_servers} if preset else settings


def lacking_own_servers(settings: dict[str, Any]) -> Preset | None:
    """Return the provider whose own servers are known where the settings say none, else None."""
    preset = _by_host().get(str(settings.get("imap_host", "")).lower())
    is_lacking = preset is not None and preset.own_servers and not settings.get("own_servers")
    return preset if is_lacking else None


def with_known_networks(servers: OwnServers) -> OwnServers:
    """Return servers with the networks that their provider is known to have, where none are said.

    Without a network no step between two of a provider's servers is believed: names are anybody's.
    """
    if servers.networks:
        return servers
    for preset in presets().values():
        known = own_servers(preset.own_servers)
        if not set(known.domains).isdisjoint(servers.domains):
            return replace(servers, networks=known.networks)
    return servers


def guess(address: str) -> dict[str, Any]:
    """Return the servers that the domain of an address most probably has, with TLS."""
    domain = address.rpartition("@")[2].strip().lower()
    try:
        domain = domain.encode("idna").decode()
    except UnicodeError:
        domain = ""
    return server_settings(
        Server(f"imap.{domain}" if domain else "", PORTS["imap"]["tls"], "tls"),
        Server(f"smtp.{domain}" if domain else "", PORTS["smtp"]["tls"], "tls"),
    )


@cache
def _by_domain() -> dict[str, Preset]:
    return {domain: preset for preset in presets().values() for domain in preset.domains}


@cache
def _by_host() -> dict[str, Preset]:
    """Return presets by their hosts, the first of those that share one; not by this machine's."""
    found: dict[str, Preset] = {}
    for preset in presets().values():
        for host in (preset.imap.host, preset.smtp.host):
            if not host.startswith("127."):
                found.setdefault(host, preset)
    return found


def _preset(*, imap: str, smtp: str, domains: list[str], **fields: Any) -> Preset:
    return Preset(
        imap=read_server("imap", imap),
        smtp=read_server("smtp", smtp),
        domains=tuple(domains),
        advice=ADVICE[fields["name"]],
        **fields,
    )


def read_server(protocol: Protocol, text: str) -> Server:
    """Read `host`, or `host:port security`."""
    place, _, security = text.partition(" ")
    host, _, port = place.partition(":")
    way: Security = "starttls" if security == "starttls" else "tls"
    if security == "none":
        way = "none"
    return Server(host, int(port or PORTS[protocol][way]), way)
