"""What a refusal means for us (RFC 9110 15, RFC 6585), and what went wrong on the way."""

import re
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import httpx

from inbox.providers.mail_store import StoreError, StoreErrorKind
from inbox.providers.web import GarbledAnswerError, read_retry_after
from inbox.reasons import ReasonText, own
from inbox.reasons import phrase as _

# Google's ways to say that it was asked too often, with 403.
_TOO_MUCH = re.compile(
    r"rateLimitExceeded|quotaExceeded|rate limit|too many requests", re.IGNORECASE
)
_BLANKS = re.compile(r"\s+")
_NO_SUCH_NAME = _("there is no server of this name; check how it is written")
# As the system writes what went wrong, before its words.
_NUMBER = re.compile(r"\[Errno -?[0-9]+\] ")
_MARKUP = re.compile(r"<[^>]{0,200}>")


def refusal(host: str, status: int, headers: Mapping[str, str], body: bytes) -> StoreError:
    """Return what an answer that is none of what was hoped for means."""
    said = shown(status, body)
    wait = read_retry_after(headers.get("retry-after", ""))
    kind = _kind(status, said, wait)
    # A success that is none: a web page, say, at an address that is not the server's.
    what = _not_such_a_server(host) if status < 300 else _words(host, kind)
    return StoreError(kind, _("%(what)s:", what=what), said, wait)


def _not_such_a_server(host: str) -> ReasonText:
    return _("%(host)s answers, but not as such a server does; check the address", host=host)


def shown(status: int, body: bytes) -> str:
    """Return an answer as a line for a person, cut."""
    text = _MARKUP.sub(" ", body[:4000].decode("utf-8", "replace"))
    return f"HTTP {status} {_BLANKS.sub(' ', text).strip()[:400]}".strip()


def redirected(host: str) -> StoreError:
    """Return that a server leads elsewhere, where credentials do not go."""
    words = _(
        "%(host)s redirects elsewhere; passwords are never sent on. Enter the address that it "
        "leads to, if it is yours.",
        host=host,
    )
    return StoreError("permanent", words)


def _kind(status: int, said: str, wait: float | None) -> StoreErrorKind:
    if status == 401:
        return "login"
    if status == 429 or (status == 503 and wait is not None):
        return "throttled"
    if status == 403 and _TOO_MUCH.search(said):
        return "throttled"
    if status in (404, 410):
        return "gone"
    return "transient" if status >= 500 or status in (408, 409, 423, 425) else "permanent"


def _words(host: str, kind: StoreErrorKind) -> ReasonText:
    match kind:
        case "login":
            return _("%(host)s does not accept the user name, password or key", host=host)
        case "throttled":
            return _("The server asks us to slow down")
        case "gone":
            return _("%(host)s has nothing there any more", host=host)
        case "transient":
            return _("%(host)s cannot answer right now", host=host)
        case _:
            return _("%(host)s refuses what we ask for", host=host)


@contextmanager
def failures_of(host: str) -> Iterator[None]:
    """Turn trouble with the connection or with what came over it into StoreError."""
    try:
        yield
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError) as error:
        raise _broken(host, error) from error
    except GarbledAnswerError as error:
        said = str(error)[:300]
        words = _("%(host)s answers in a way we do not understand: %(said)s.", host=host, said=said)
        raise StoreError("transient", words) from error


def _broken(host: str, error: Exception) -> StoreError:
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            words = _(
                "The certificate of %(host)s cannot be trusted: %(why)s.",
                host=host,
                why=cause.verify_message,
            )
            return StoreError("permanent", words)
    if isinstance(error, httpx.TimeoutException):
        why = _("no answer in time")
    elif unreached := _unreached(error):
        words = _("%(host)s cannot be reached: %(why)s.", host=host, why=unreached)
        return StoreError("transient", words)
    elif isinstance(error, httpx.LocalProtocolError):
        # Its text repeats what was to be sent, a credential perhaps.
        why = own(type(error).__name__)
    else:
        why = own(_NUMBER.sub("", str(error))[:200] or type(error).__name__)
    return StoreError("transient", _("%(host)s: %(why)s.", host=host, why=why))


def _unreached(error: Exception) -> ReasonText | None:
    """Return why no connection came about, where people meet that and the system has a number."""
    for cause in _causes(error):
        if isinstance(cause, socket.gaierror):
            is_passing = cause.errno == socket.EAI_AGAIN
            return _("its name cannot be looked up right now") if is_passing else _NO_SUCH_NAME
        if isinstance(cause, ConnectionRefusedError):
            return _("no server answers there")
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = error
    for _number in range(10):
        if seen is None:
            return
        yield seen
        seen = seen.__cause__ or seen.__context__
