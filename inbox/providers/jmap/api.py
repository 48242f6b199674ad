"""Calls to a JMAP server (RFC 8620 3): several methods a request, within its limits."""

import json
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from inbox.providers.base import Connection
from inbox.providers.http.reading import Answer
from inbox.providers.http.session import Asked, HttpSession, refused
from inbox.providers.http.signing_in import Credentials
from inbox.providers.jmap.discovery import LONGEST_RESOURCE, find_resource
from inbox.providers.jmap.patches import Call
from inbox.providers.jmap.resource import SessionResource
from inbox.providers.jmap.settings import JmapSettings
from inbox.providers.mail_store import StoreError, StoreErrorKind
from inbox.providers.web import GarbledAnswerError
from inbox.reasons import own
from inbox.reasons import phrase as _

LONGEST_ANSWER = 32 * 1024 * 1024
# For so many seconds a session resource is not asked for again; so many are kept.
_KEPT_FOR, _MOST_KEPT = 3600.0, 500
_KINDS: dict[str, StoreErrorKind] = {
    "serverUnavailable": "transient", "serverFail": "transient", "serverPartialFail": "transient",
    "rateLimit": "throttled", "accountNotFound": "permanent", "stateMismatch": "transient",
}  # fmt: skip
_kept: dict[tuple[str, str], tuple[float, SessionResource]] = {}
_lock = threading.Lock()


class MethodError(Exception):
    """A method was not run (RFC 8620 3.6.2); `type` says why."""

    def __init__(self, kind: str, said: str) -> None:
        super().__init__(said)
        self.type = kind

    def as_store_error(self) -> StoreError:
        """Return what it means where nobody knows better."""
        words = _("The server refuses what we ask for: %(why)s.", why=own(self.type[:100]))
        return StoreError(_KINDS.get(self.type, "permanent"), words, str(self)[:400])


class JmapApi:
    """Signed-in calls of one account."""

    def __init__(self, connection: Connection) -> None:
        self.settings = JmapSettings.read(connection)
        self._credentials = Credentials(
            self.settings.auth, self.settings.username, connection.secret, connection.renew
        )
        self.http = self.new_session(self.settings.timeout)
        self._resource: SessionResource | None = None

    def new_session(self, timeout: float) -> HttpSession:
        """Return connections of their own, that wait so many seconds for each piece."""
        return HttpSession(self._credentials, timeout=timeout, ca_file=self.settings.ca_file)

    @property
    def calls(self) -> int:
        """How many requests were made."""
        return self.http.calls

    def close(self) -> None:
        """Close the connections."""
        self.http.close()

    @property
    def resource(self) -> SessionResource:
        """The session resource, asked for where we do not know it; raises StoreError."""
        if self._resource is None:
            self._resource = _known(self.settings)
        if self._resource is None:
            self._resource = find_resource(self._look_up, self.settings.url)
            _keep(self.settings, self._resource)
        return self._resource

    def _look_up(self, url: str) -> Answer:
        return self.http.ask(Asked.json("GET", url), LONGEST_RESOURCE)

    def look_anew(self) -> SessionResource:
        """Ask for the session resource whatever we know of it; raises StoreError."""
        self._forget()
        return self.resource

    # -- calls -------------------------------------------------------------------------------------
    def call(
        self, *calls: Call, headers: Mapping[str, str] | None = None
    ) -> dict[str, dict[str, Any]]:
        """Return the answer of each method, by its id; the account that has mail is filled in.

        Raises StoreError, and MethodError for the first that was not run. What a method answers
        under another's id, or more than once, is left out but for the first.
        """
        answers = self.read(self.ask(*calls, headers=headers), *calls)
        for _name, _arguments, key in calls:
            if isinstance(answers[key], MethodError):
                raise answers[key]
        return {key: found for key, found in answers.items() if isinstance(found, dict)}

    def read(self, answer: Answer, *calls: Call) -> dict[str, Any]:
        """Return what an answer says of each method; raises StoreError where it says nothing."""
        if not answer.is_good:
            if answer.status in (401, 403, 404, 410):
                self._forget()
            raise _request_refused(answer)
        host = urlsplit(answer.url).hostname or ""
        try:
            return _answers(answer, calls)
        except GarbledAnswerError as error:
            words = _(
                "%(host)s answers in a way we do not understand: %(said)s.",
                host=host,
                said=str(error)[:200],
            )
            raise StoreError("transient", words) from error

    def ask(self, *calls: Call, headers: Mapping[str, str] | None = None) -> Answer:
        """Return the whole answer to a request; raises StoreError where there is none."""
        resource = self.resource
        body = {"using": resource.using, "methodCalls": [self._method(call) for call in calls]}
        asked = Asked.json("POST", resource.api_url, fields=body, headers=headers)
        return self.http.ask(asked, LONGEST_ANSWER)

    def _method(self, call: Call) -> list[Any]:
        name, arguments, key = call
        if "accountId" not in arguments:
            arguments = {"accountId": self.resource.account, **arguments}
        return [name, arguments, key]

    def fits(self, arguments: Any) -> bool:
        """Return True if a call with these arguments is not larger than the server takes."""
        return len(json.dumps(arguments)) < self.resource.largest_request * 0.9

    def _forget(self) -> None:
        self._resource = None
        with _lock:
            _kept.pop(_key(self.settings), None)


def _answers(answer: Answer, calls: Sequence[Call]) -> dict[str, Any]:
    told = answer.fields().get("methodResponses")
    if not isinstance(told, list):
        raise GarbledAnswerError("it has no methodResponses")
    names = {key: name for name, _arguments, key in calls}
    found: dict[str, Any] = {}
    for each in told[: 4 * len(calls)]:
        if not (isinstance(each, list) and len(each) == 3 and isinstance(each[1], dict)):
            raise GarbledAnswerError("a method's answer is none")
        name, fields, key = each
        if not isinstance(key, str) or key in found or key not in names:
            continue
        if name == "error":
            kind = fields.get("type")
            found[key] = MethodError(str(kind), json.dumps(fields)[:400])
        elif name == names[key]:
            found[key] = fields
    if missing := names.keys() - found.keys():
        raise GarbledAnswerError(f"no answer to {names[min(missing)]}")
    return found


def _request_refused(answer: Answer) -> StoreError:
    """Return what a request that was not run means; some say so by a type (RFC 8620 3.6.1)."""
    error = refused(answer)
    if answer.status == 400 and b"urn:ietf:params:jmap:error:limit" in answer.body:
        return StoreError("throttled", error.words, error.reply, error.retry_after)
    return error


def _key(settings: JmapSettings) -> tuple[str, str]:
    return settings.url, settings.username


def _known(settings: JmapSettings) -> SessionResource | None:
    with _lock:
        at, found = _kept.get(_key(settings), (0.0, None))
    return found if found and at > time.monotonic() - _KEPT_FOR else None


def _keep(settings: JmapSettings, found: SessionResource) -> None:
    with _lock:
        while len(_kept) >= _MOST_KEPT:
            _kept.pop(next(iter(_kept)))
        _kept[_key(settings)] = (time.monotonic(), found)
