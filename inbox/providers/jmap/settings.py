"""What an account's settings say of its JMAP server, checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urlsplit

from inbox.providers.base import Connection
from inbox.providers.dav.hrefs import UnfitAddressError, checked
from inbox.providers.http.signing_in import Auth
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _

LONGEST_TIMEOUT = 600


@dataclass(frozen=True, slots=True)
class JmapSettings:
    """Where the server is and how to sign in.

    `url` is its address, or one without a path, of a server or a domain whose server is still to
    be found. `timeout` is in seconds.
    """

    url: str
    username: str
    auth: Auth
    timeout: float
    ca_file: str | None

    @classmethod
    def read(cls, connection: Connection) -> Self:
        """Check them; raises StoreError (`permanent`) naming the one that cannot be used."""
        given = connection.settings
        try:
            url = checked(str(given.get("jmap_url") or "").strip())
        except UnfitAddressError as error:
            words = _("The address of a JMAP server begins with https://.")
            raise StoreError("permanent", words) from error
        auth: Auth = "oauth" if given.get("auth") == "oauth" else "password"
        return cls(
            url=url,
            username=str(given.get("username") or connection.address),
            auth=auth,
            timeout=_seconds(given),
            ca_file=given.get("jmap_ca_file") or None,
        )


def host_of(settings: Mapping[str, Any]) -> str:
    """Return the host that the settings name, empty for none."""
    try:
        return urlsplit(str(settings.get("jmap_url") or "").strip()).hostname or ""
    except ValueError:
        return ""


def _seconds(given: Mapping[str, Any]) -> float:
    value = given.get("jmap_timeout", 30)
    if not isinstance(value, int | float) or not 0 < value <= LONGEST_TIMEOUT:
        raise _unfit("jmap_timeout", _("a number up to 600"))
    return float(value)


def _unfit(name: str, wanted: Any) -> StoreError:
    return StoreError(
        "permanent", _("The account's %(name)s must be %(wanted)s.", name=name, wanted=wanted)
    )
