"""What a source's settings say of its server, checked."""

import re
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias
from urllib.parse import urlsplit

import idna

from inbox.providers.base import Connection
from inbox.providers.dav.hrefs import UnfitAddressError, as_collection, checked
from inbox.providers.mail_store import StoreError
from inbox.providers.web import can_be_looked_up
from inbox.reasons import ReasonText
from inbox.reasons import phrase as _

Auth: TypeAlias = Literal["password", "oauth"]
# Of settings that people type, as the form has them.
_TITLES = {
    "url": _("Address"),
    "contacts_url": _("Address of contacts"),
    "files_url": _("Address of files"),
}
_DOMAIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?(?::[0-9]{1,5})?")


@dataclass(frozen=True, slots=True)
class DavSettings:
    """Where the server is and how to sign in.

    `url` is an address; or `domain` is one whose server is still to be found. Address books may be
    at a `contacts_url` of their own, files are at `files_url`. Each may be empty. `timeout` is in
    seconds.
    """

    url: str
    domain: str
    contacts_url: str
    files_url: str
    username: str
    auth: Auth
    timeout: float
    ca_file: str | None

    @classmethod
    def read(cls, connection: Connection) -> Self:
        """Check them; raises StoreError (`permanent`) naming the one that cannot be used."""
        given = connection.settings
        url, domain = _place(str(given.get("url") or "").strip())
        files_url = str(given.get("files_url") or "").strip()
        if files_url:
            files_url = as_collection(_checked("files_url", files_url))
        contacts_url = str(given.get("contacts_url") or "").strip()
        if contacts_url:
            contacts_url = _checked("contacts_url", contacts_url)
        if not (url or domain or contacts_url or files_url):
            raise _unfit("url", _("an address or the name of a server"))
        auth = given.get("auth", "password")
        if auth not in ("password", "oauth"):
            raise _unfit("auth", _("password or oauth"))
        return cls(
            url=url,
            domain=domain,
            contacts_url=contacts_url,
            files_url=files_url,
            username=str(given.get("username") or connection.address),
            auth=auth,
            timeout=_seconds(given),
            ca_file=given.get("ca_file") or None,
        )


def hosts(given: dict[str, Any]) -> dict[str, str]:
    """Return the hosts that settings name, by the setting that does."""
    found = {}
    for name in ("url", "contacts_url", "files_url"):
        text = str(given.get(name) or "").strip()
        if text:
            place = text if "://" in text else f"https://{text.rpartition('@')[2]}"
            try:
                found[name] = urlsplit(place).hostname or ""
            except ValueError:
                continue
    return found


def _place(text: str) -> tuple[str, str]:
    """Return the address that a setting is, or the domain that it or its e-mail address names."""
    if "://" in text or not text:
        return (_checked("url", text) if text else ""), ""
    domain = text.rpartition("@")[2].strip("/")
    if "/" in domain:
        return _checked("url", f"https://{domain}"), ""
    domain = _in_ascii(domain)
    if not _DOMAIN.fullmatch(domain) or not can_be_looked_up(domain.partition(":")[0]):
        raise _unfit("url", _("an address or the name of a server"))
    return "", domain.lower()


def _checked(name: str, url: str) -> str:
    scheme, between, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    try:
        return checked(f"{scheme.lower()}{between}{_in_ascii(host)}{slash}{path}")
    except UnfitAddressError as error:
        raise _unfit(name, _("an address that begins with https://")) from error


def _in_ascii(host: str) -> str:
    if host.isascii():
        return host
    try:
        return idna.encode(host, uts46=True).decode()
    except idna.IDNAError as error:
        raise _unfit("url", _("an address or the name of a server")) from error


def _unfit(name: str, wanted: ReasonText) -> StoreError:
    if title := _TITLES.get(name):
        return StoreError(
            "permanent", _("“%(title)s” must be %(wanted)s.", title=title, wanted=wanted)
        )
    return StoreError(
        "permanent", _("The account's %(name)s must be %(wanted)s.", name=name, wanted=wanted)
    )


def _seconds(given: dict[str, Any]) -> float:
    value = given.get("timeout", 30)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 600:
        raise _unfit("timeout", _("a number up to 600"))
    return float(value)
