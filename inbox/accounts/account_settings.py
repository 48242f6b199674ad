"""What `Account.settings` may hold for an account with servers of its own, and how it is checked.

A server is left out by leaving its host empty: without `imap_host` an account only sends, without
`smtp_host` it only reads. With `jmap_url` it does both by JMAP, and has no other server. With
`mail_api` it does both by an interface of the provider's own, or sends by SMTP where that is named.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from inbox.errors import DomainError, invalid
from inbox.providers.dav.hrefs import UnfitAddressError, checked, host_of
from inbox.providers.sign_in.asking import check_url
from inbox.providers.sign_in.declared import MAIL_APIS
from inbox.reasons import own
from inbox.reasons import phrase as _
from inbox.rfc5322.authentication import OwnServers

SECURITIES = ("tls", "starttls", "none")
AUTHS = ("password", "oauth")
PROVIDER_NAMES = ("google", "microsoft", "openid")
_HOST = re.compile(r"(?=.{1,253}\Z)[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?|[0-9A-Fa-f:.]{2,45}")


@dataclass(frozen=True, slots=True)
class Setting:
    """One key: what it is called, what it takes, and how a value is checked."""

    title: str
    accepted: str
    is_fit: Callable[[Any], bool]


def _text(longest: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and len(value) <= longest and value.isprintable()


def _number(most: float) -> Callable[[Any], bool]:
    def check(value: Any) -> bool:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return is_number and 0 < value <= most

    return check


def _whole(most: int) -> Callable[[Any], bool]:
    return lambda value: _number(most)(value) and isinstance(value, int)


def _one_of(choices: tuple[str, ...]) -> Callable[[Any], bool]:
    return lambda value: value in choices


def _is_host(value: Any) -> bool:
    return isinstance(value, str) and (not value or _HOST.fullmatch(value) is not None)


def _is_token_url(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        check_url(value)
    except ValueError:
        return not value
    return True


def _is_web_address(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        return not value or bool(checked(value))
    except UnfitAddressError:
        return False


def _is_own_servers(value: Any) -> bool:
    if not isinstance(value, str) or len(value) > 2000:
        return False
    try:
        OwnServers.read(value)
    except ValueError:
        return False
    return True


def _server(name: str, title: str) -> dict[str, Setting]:
    return {
        f"{name}_host": Setting(
            _("The %(title)s server", title=title),
            _("a host name such as mail.example.org, or an address"),
            _is_host,
        ),
        f"{name}_port": Setting(
            _("The %(title)s port", title=title), _("a number from 1 to 65535"), _whole(65535)
        ),
        f"{name}_security": Setting(
            _("The %(title)s security", title=title),
            _("tls, starttls or none"),
            _one_of(SECURITIES),
        ),
        f"{name}_ca_file": Setting(
            _("The %(title)s certificates", title=title),
            _("the path of a file with certificates"),
            _text(1000),
        ),
        f"{name}_timeout": Setting(
            _("The %(title)s time-out", title=title), _("seconds, up to 600"), _number(600)
        ),
    }


SETTINGS: dict[str, Setting] = {
    **_server("imap", "IMAP"),
    **_server("smtp", "SMTP"),
    "jmap_url": Setting(
        _("The JMAP server"), _("an address that begins with https://"), _is_web_address
    ),
    "jmap_ca_file": Setting(
        _("The JMAP certificates"), _("the path of a file with certificates"), _text(1000)
    ),
    "jmap_timeout": Setting(_("The JMAP time-out"), _("seconds, up to 600"), _number(600)),
    "mail_api": Setting(
        _("The provider's own interface"), own(", ".join(MAIL_APIS)), _one_of(MAIL_APIS)
    ),
    "api_url": Setting(
        _("Where that interface answers"),
        _("an address that begins with https://"),
        _is_web_address,
    ),
    "smtp_answer_timeout": Setting(
        _("Time limit for the last answer"), _("seconds, up to 3600"), _number(3600)
    ),
    "imap_max_connections": Setting(_("IMAP connections"), _("a number from 1 to 20"), _whole(20)),
    "username": Setting(_("The user name"), _("at most 320 printable characters"), _text(320)),
    "auth": Setting(_("Sign-in method"), _("password or oauth"), _one_of(AUTHS)),
    "sent_by_server": Setting(
        _("Whether the server saves sent mail"), _("true or false"), lambda v: isinstance(v, bool)
    ),
    "own_servers": Setting(
        _("The provider's own servers"),
        _(
            "up to 20 domains and networks separated by spaces, such as mail.example.org "
            "192.0.2.0/24"
        ),
        _is_own_servers,
    ),
    "oauth_token_url": Setting(
        _("The token address"), _("an address that begins with https://"), _is_token_url
    ),
    "oauth_client_id": Setting(_("The client id"), _("at most 500 characters"), _text(500)),
    "oauth_scope": Setting(_("The scope"), _("at most 2000 characters"), _text(2000)),
    "oauth_smtp_scope": Setting(
        _("The scope for sending by SMTP"), _("at most 2000 characters"), _text(2000)
    ),
    "oauth_client_auth": Setting(
        _("How the client shows its secret"), _("post or basic"), _one_of(("post", "basic"))
    ),
    "oauth_provider": Setting(
        _("Where a person signed in"), _("google, microsoft or openid"), _one_of(PROVIDER_NAMES)
    ),
    "oauth_granted": Setting(
        _("The scopes that were granted"), _("at most 4000 characters"), _text(4000)
    ),
    "oauth_refused": Setting(
        _("The scopes that were not granted"), _("at most 4000 characters"), _text(4000)
    ),
    "oauth_revocation_url": Setting(
        _("The address at which tokens are revoked"),
        _("an address that begins with https://"),
        _is_token_url,
    ),
    "disconnected": Setting(
        _("Whether it was disconnected"), _("true or false"), lambda v: isinstance(v, bool)
    ),
}
# Where mail is by an interface of the provider's own.
INTERFACE = ("mail_api", "api_url")
# What a person's sign-in at a provider left, beside the client and where tokens are renewed.
OF_SIGN_IN = (
    "oauth_client_auth", "oauth_provider", "oauth_granted", "oauth_refused",
    "oauth_revocation_url", "oauth_smtp_scope",
)  # fmt: skip


def check_settings(given: Mapping[str, Any], *, hosts: Collection[str] = ()) -> dict[str, Any]:
    """Return the settings without what is empty; `hosts` are the patterns that are allowed.

    Raises DomainError (`invalid_input`), which names the key at fault.
    """
    for key, value in given.items():
        setting = SETTINGS.get(key)
        if setting is None:
            raise invalid(
                key, _("There is no setting %(key)s.", key=repr(key[:60])), ", ".join(SETTINGS)
            )
        if value is not None and not setting.is_fit(value):
            raise invalid(
                key, _("%(title)s has an invalid value.", title=setting.title), setting.accepted
            )
    kept = {key: value for key, value in given.items() if value not in (None, "")}
    if refusal := _refusal(kept, hosts):
        raise refusal
    return kept


def is_allowed(host: str, hosts: Collection[str]) -> bool:
    """Return True if an operator's patterns (`mail.example.org`, `*.example.org`) allow a host."""
    name = host.lower().rstrip(".")
    return not hosts or any(
        name == pattern or (pattern.startswith("*.") and name.endswith(pattern[1:]))
        for pattern in hosts
    )


def _refusal(kept: dict[str, Any], hosts: Collection[str]) -> DomainError | None:
    if not any(kept.get(name) for name in ("imap_host", "smtp_host", "jmap_url", "mail_api")):
        return invalid(
            "imap_host", _("There is no server."), _("the name of an IMAP or SMTP server")
        )
    if kept.get("auth") == "oauth":
        for key in ("oauth_token_url", "oauth_client_id"):
            if not kept.get(key):
                return invalid(
                    key,
                    _("%(title)s is missing.", title=SETTINGS[key].title),
                    SETTINGS[key].accepted,
                )
    places = {key: str(kept.get(key) or "") for key in ("imap_host", "smtp_host")}
    places |= {key: host_of(str(kept.get(key) or "")) for key in ("jmap_url", "api_url")}
    for key, host in places.items():
        if host and not is_allowed(host, hosts):
            words = _("The operator does not allow connections to %(host)s.", host=host)
            return invalid(key, words, ", ".join(sorted(hosts)))
    return None
