"""What an account's settings say of its IMAP server, checked."""

import re
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias

from inbox.providers.base import Connection
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _

Security: TypeAlias = Literal["tls", "starttls", "none"]
Auth: TypeAlias = Literal["password", "oauth"]
PORTS: dict[str, int] = {"tls": 993, "starttls": 143, "none": 143}
_HOST = re.compile(r"[A-Za-z0-9._:-]{1,253}")


@dataclass(frozen=True, slots=True)
class ImapSettings:
    """Where the server is and how to log in. `timeout` is in seconds."""

    host: str
    port: int
    security: Security
    username: str
    auth: Auth
    timeout: float
    ca_file: str | None

    @classmethod
    def read(cls, connection: Connection) -> Self:
        """Check them; raises StoreError (`permanent`) naming the one that cannot be used."""
        given = connection.settings
        security = given.get("imap_security", "tls")
        if security not in PORTS:
            raise _unfit("imap_security", "tls, starttls or none")
        host = given.get("imap_host")
        if not isinstance(host, str) or not _HOST.fullmatch(host):
            raise _unfit("imap_host", "the name of a server")
        auth = given.get("auth", "password")
        if auth not in ("password", "oauth"):
            raise _unfit("auth", "password or oauth")
        return cls(
            host=host,
            port=int(_number(given, "imap_port", PORTS[security], 65535)),
            security=security,
            username=str(given.get("username") or connection.address),
            auth=auth,
            timeout=_number(given, "imap_timeout", 60, 600),
            ca_file=given.get("imap_ca_file") or None,
        )


def _unfit(name: str, wanted: str) -> StoreError:
    return StoreError(
        "permanent", _("The account's %(name)s must be %(wanted)s.", name=name, wanted=wanted)
    )


def _number(given: dict[str, Any], name: str, usual: float, most: float) -> float:
    value = given.get(name, usual)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= most:
        raise _unfit(name, f"a number up to {most}")
    return value
