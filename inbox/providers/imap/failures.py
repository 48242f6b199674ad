"""What a refusal means for us (RFC 5530, and what the large providers say instead)."""

import re
import ssl
from collections.abc import Iterator
from contextlib import contextmanager

from imapclient.exceptions import IMAPClientError

from inbox.providers.imap.responses import Answer, ByeError, GarbledAnswerError
from inbox.providers.mail_store import StoreError, StoreErrorKind
from inbox.reasons import ReasonText, own
from inbox.reasons import phrase as _

_KINDS: dict[str, StoreErrorKind] = {
    "AUTHENTICATIONFAILED": "login",
    "AUTHORIZATIONFAILED": "login",
    "EXPIRED": "login",
    "PRIVACYREQUIRED": "login",
    "WEBALERT": "login",
    "LIMIT": "throttled",
    "THROTTLED": "throttled",
    "INUSE": "transient",
    "UNAVAILABLE": "transient",
    "SERVERBUG": "transient",
    "NONEXISTENT": "gone",
    "TRYCREATE": "gone",
}
_TOO_MUCH = re.compile(
    r"too many|throttl|rate limit|bandwidth limit|maximum number of connections"
    r"|try again later|backoff time",
    re.IGNORECASE,
)
_NOT_THERE = re.compile(
    r"(mailbox|folder)\b.*\b(does not|doesn't) exist"
    r"|(unknown|no such|nonexistent|non-existent) (mailbox|folder)|(mailbox|folder) not found",
    re.IGNORECASE,
)
_NOT_NOW = re.compile(r"temporar|authenticated but not connected|internal error", re.IGNORECASE)
_BACKOFF = re.compile(r"backoff time:? (\d{1,9}) ?(milliseconds|seconds)", re.IGNORECASE)
_LONGEST_BACKOFF = 86400.0


def refusal(answer: Answer, words: ReasonText, usual: StoreErrorKind = "permanent") -> StoreError:
    """Return what an answer other than OK means; `usual` where it says nothing we know."""
    kind = _kind(answer, usual)
    shown = {
        "throttled": _("The server asks us to slow down"),
        "gone": _("The mailbox no longer exists"),
    }
    return StoreError(
        kind, _("%(what)s:", what=shown.get(kind, words)), str(answer), _retry_after(answer)
    )


def _kind(answer: Answer, usual: StoreErrorKind) -> StoreErrorKind:
    if _TOO_MUCH.search(answer.text):
        return "throttled"
    if kind := _KINDS.get(answer.code):
        return kind
    if usual != "login" and _NOT_THERE.search(answer.text):
        return "gone"
    if _NOT_NOW.search(answer.text):
        return "transient"
    return usual


def _retry_after(answer: Answer) -> float | None:
    found = _BACKOFF.search(answer.text)
    if found is None:
        return None
    seconds = int(found[1]) / (1000 if found[2].lower() == "milliseconds" else 1)
    return min(seconds, _LONGEST_BACKOFF)


@contextmanager
def failures_of(host: str) -> Iterator[None]:
    """Turn trouble with the connection or with what came over it into StoreError."""
    try:
        yield
    except ssl.SSLCertVerificationError as error:
        words = _(
            "The certificate of %(host)s cannot be trusted: %(why)s.",
            host=host,
            why=error.verify_message,
        )
        raise StoreError("permanent", words) from error
    except ByeError as bye:
        words = _("%(host)s closed the connection", host=host)
        raise refusal(bye.answer, words, "transient") from bye
    except (GarbledAnswerError, IMAPClientError) as error:
        said = str(error)[:500]
        words = _("%(host)s answers in a way we do not understand: %(said)s.", host=host, said=said)
        raise StoreError("transient", words) from error
    except OSError as error:
        raise StoreError(
            "transient", _("%(host)s: %(why)s.", host=host, why=_in_words(error))
        ) from error


def _in_words(error: OSError) -> ReasonText:
    if isinstance(error, TimeoutError):
        return _("no answer in time")
    if isinstance(error, ssl.SSLError):
        return _("TLS failed (%(why)s)", why=error.reason)
    return own(str(error.strerror or error or type(error).__name__))
