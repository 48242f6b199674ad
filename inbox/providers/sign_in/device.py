"""The device authorization grant (RFC 8628): a code that a person enters in any browser."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from inbox.providers.sign_in.asking import check_url
from inbox.providers.sign_in.client import Client
from inbox.providers.sign_in.discovery import AuthorizationServer
from inbox.providers.sign_in.failures import SignInError, refused
from inbox.providers.sign_in.tokens import Granted, post_as, read_granted
from inbox.reasons import phrase as _

GRANT = "urn:ietf:params:oauth:grant-type:device_code"
LONGEST_LIFE = 1800
# RFC 8628 3.5: how many seconds more a server that asks to slow down is left alone.
SLOWER_BY = 5
_PAUSES = range(1, 61)
_LONGEST_CODE = 4096
_LONGEST_SHOWN = 40


@dataclass(frozen=True, slots=True)
class DeviceCode:
    """What a person enters where, for how long, and how often we may ask whether they have."""

    device_code: str
    user_code: str
    url: str
    complete_url: str
    seconds: int
    pause: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nobody has entered it yet; ask again after so many seconds."""

    pause: int


def start(server: AuthorizationServer, client: Client, scopes: Iterable[str]) -> DeviceCode:
    """Return a new code; raises SignInError."""
    if not server.device_url:
        raise SignInError(
            _("%(provider)s has no sign-in by a code on another device.", provider=server.title)
        )
    answer = post_as(server, server.device_url, client, {"scope": " ".join(scopes)})
    if answer.status != 200:
        raise refused(server.title, answer)
    found = answer.fields
    code = str(found.get("device_code", ""))
    shown = str(found.get("user_code", ""))
    # Google still calls it as the drafts did.
    url = str(found.get("verification_uri") or found.get("verification_url") or "")
    if not (0 < len(code) <= _LONGEST_CODE and 0 < len(shown) <= _LONGEST_SHOWN and _is_url(url)):
        raise SignInError(_("%(provider)s answered without a code.", provider=server.title))
    complete = str(found.get("verification_uri_complete") or "")
    return DeviceCode(
        code,
        shown,
        url,
        complete if _is_url(complete) else "",
        min(max(_whole(found.get("expires_in"), 600), 0), LONGEST_LIFE),
        min(max(_whole(found.get("interval"), 5), _PAUSES[0]), _PAUSES[-1]),
    )


def poll(
    server: AuthorizationServer, client: Client, code: DeviceCode, scopes: frozenset[str]
) -> Granted | Waiting:
    """Return what was granted or that it still waits; raises SignInError where it came to an end.

    `is_passing` in it: the server gave no answer that says so, and may be asked again.
    """
    answer = post_as(
        server, server.token_url, client, {"grant_type": GRANT, "device_code": code.device_code}
    )
    if answer.status == 200:
        return read_granted(server, client, answer, scopes)
    if answer.error == "authorization_pending":
        return Waiting(code.pause)
    if answer.error == "slow_down":
        return Waiting(min(code.pause + SLOWER_BY, _PAUSES[-1]))
    raise refused(server.title, answer)


def _is_url(url: str) -> bool:
    try:
        check_url(url)
    except ValueError:
        return False
    return True


def _whole(value: Any, usual: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else usual
