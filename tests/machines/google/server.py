"""The server: finds out which call it is, and lets nothing through that Google does not describe."""

import json
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from tests.machines.api_server import ApiServer, Call, Reply
from tests.machines.google.discovery import Method, methods
from tests.machines.google.refusing import Refused, wording

SCOPE = "https://www.googleapis.com/auth/"
# Opens all of Gmail, IMAP and SMTP among it; what narrower scopes lack is to delete for good.
ALL_MAIL = "https://mail.google.com/"
SCOPES = (
    *(f"{SCOPE}{name}" for name in ("calendar", "tasks", "contacts", "drive")), ALL_MAIL
)  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """A call as a service is given it: parameters by name, a repeated one as a list."""

    parameters: dict[str, Any]
    body: Any
    headers: dict[str, str]

    def __getitem__(self, name: str) -> Any:
        return self.parameters[name]

    def get(self, name: str, default: Any = None) -> Any:
        return self.parameters.get(name, default)


Handler: TypeAlias = Callable[[Asked], Any]


class GoogleServer(ApiServer):
    """All interfaces at one address; what each keeps is its service's."""

    def __init__(self, address: str = "mira@lantern.example") -> None:
        super().__init__()
        self.address = address
        self.retry_after = "30"
        # Calls or answers of ours that Google does not describe: a test fails where there is one.
        self.violations: list[str] = []
        self.handlers: dict[str, Handler] = {}
        # What answers many calls in one, by its path.
        self.inner: list[Call] = []
        self.batches: dict[str, Callable[[Call], Reply]] = {}
        # Interfaces that the operator of the project has not turned on, such as `tasks`.
        self.disabled: set[str] = set()
        self._method: Method | None = None

    def token(self, *names: str, lasts: float = 3600) -> str:
        """Return a new token, for everything or for some scopes."""
        scopes = tuple(it if "://" in it else f"{SCOPE}{it}" for it in names) or SCOPES
        return self.issue(self.address, *scopes, lasts=lasts)

    # -- calls -------------------------------------------------------------------------------------
    def answer(self, call: Call) -> Reply:
        """Do what is asked, or say why not."""
        self._method = None
        try:
            if call.path in self.batches:
                return self.batches[call.path](call)
            method, parameters = self._find(call)
            self._method = method
            self._check(method, call)
            asked = Asked(parameters | _typed(method, call), _body(method, call), call.headers)
            given = self.handlers[method.id](asked)
        except Refused as refused:
            return self.error(refused.status, refused.reason, refused.words)
        except Exception:  # noqa: BLE001
            self.violations.append(f"{call.method} {call.path}: {traceback.format_exc()}")
            return self.error(500, "backendError", "it broke")
        if isinstance(given, Reply):
            # Bytes, or where they go.
            return given
        for problem in method.answer_problems(given):
            self.violations.append(f"the answer to {method.id}: {problem}")
        return Reply(204 if given is None else 200, given)

    def answer_inner(self, call: Call) -> Reply:
        """Answer a call that came with others in one, with which something may go wrong as well."""
        fault = self.fault_of(call)
        if fault is not None and isinstance(fault.kind, int):
            return self.error(fault.kind, "ordered", "on order")
        self.inner.append(call)
        return self.answer(call)

    def error(self, status: int, code: str, words: str) -> Reply:
        """Return a refusal as this interface words it."""
        headers = {"Retry-After": self.retry_after} if code == "rateLimitExceeded" else {}
        newer = self._method is not None and self._method.is_newer
        return Reply(status, wording(status, code, words, newer=newer), headers)

    def _find(self, call: Call) -> tuple[Method, dict[str, str]]:
        verbs = set()
        for method in methods():
            parameters = method.path_parameters(call.raw_path)
            if parameters is None:
                continue
            verbs.add(method.verb)
            # What was begun with another verb is sent by PUT.
            is_sent = method.is_upload and call.method == "PUT"
            if method.verb == call.method or is_sent:
                return method, parameters
        self.violations.append(f"{call.method} {call.path} is not described")
        raise Refused(405 if verbs else 404, "notFound")

    def _check(self, method: Method, call: Call) -> None:
        token = self.token_of(call)
        if token is None:
            raise Refused(401, "authError", "Invalid Credentials")
        if self.must_wait(token.account):
            raise Refused(403, "rateLimitExceeded", "Rate Limit Exceeded")
        if not token.scopes & method.scopes:
            raise Refused(403, "insufficientPermissions", "Insufficient Permission")
        if method.id.partition(".")[0] in self.disabled:
            raise Refused(403, "accessNotConfigured", "The API has not been used before")
        if method.id not in self.handlers:
            self.violations.append(f"{method.id} is not built")
            raise Refused(501, "notImplemented")
        found = [*method.query_problems(call.query)]
        # What is uploaded is taken apart by whoever keeps it.
        if not method.is_upload:
            found += method.body_problems(_json(call))
        if found:
            self.violations += [f"{method.id}: {problem}" for problem in found]
            raise Refused(400, "invalid", "; ".join(found))


def _body(method: Method, call: Call) -> Any:
    kind = dict(call.query).get("uploadType")
    is_start = kind == "resumable" and "upload_id" not in dict(call.query)
    return _json(call) if kind is None or is_start or not method.is_upload else call.body


def _json(call: Call) -> Any:
    if not call.body:
        return None
    kind = call.headers.get("content-type", "").partition(";")[0]
    if kind != "application/json":
        raise Refused(415, "badContent", kind)
    try:
        return json.loads(call.body)
    except ValueError as error:
        raise Refused(400, "parseError", "Parse Error") from error


def _typed(method: Method, call: Call) -> dict[str, Any]:
    """Return the parameters of a query as what they are."""
    rules = method.described.get("parameters", {})
    typed: dict[str, Any] = {}
    for name, text in call.query:
        rule = rules.get(name, {})
        value: Any = text
        if rule.get("type") == "boolean":
            value = text == "true"
        elif rule.get("type") == "integer":
            value = int(text)
        typed[name] = [*typed.get(name, ()), value] if rule.get("repeated") else value
    return typed
