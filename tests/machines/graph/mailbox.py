"""An account's state, and one call as it is served to it."""

import json
import secrets
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from tests.machines.api_server import Call, Reply
from tests.machines.graph.checking import check_answer, refuse
from tests.machines.graph.queries import Asked
from tests.machines.graph.times import Clock

if TYPE_CHECKING:
    from tests.machines.graph.calendars import Calendar
    from tests.machines.graph.contacts import Folder
    from tests.machines.graph.drive import Drive
    from tests.machines.graph.mail.kept import Mail
    from tests.machines.graph.todo import TaskList

# What ids are like that change when an item is moved.
_PASSING = "AAMkAD"
_LASTING = "AAkALg"


@dataclass
class Mailbox:
    """Whose it is, and all there is; `sent` is what the server wrote to others by itself."""

    address: str
    clock: Clock
    calendars: "dict[str, Calendar]" = field(default_factory=dict)
    folders: "dict[str, Folder]" = field(default_factory=dict)
    lists: "dict[str, TaskList]" = field(default_factory=dict)
    drive: "Drive | None" = None
    mail: "Mail | None" = None
    sent: list[tuple[str, str, tuple[str, ...]]] = field(default_factory=list)


@dataclass
class Served:
    """One call, with whose it is; `tokens` are those of pages and of changes, by what they name."""

    box: Mailbox
    url: str
    tokens: dict[str, Any]

    @property
    def origin(self) -> str:
        return self.url.removesuffix("/v1.0")

    def now(self) -> datetime:
        return self.box.clock.now()

    def page(self, call: Call, kind: str, items: list[dict[str, Any]], asked: Asked) -> Reply:
        """Return a page of items; the next one is asked for by a token that says nothing."""
        at = 0
        if asked.skip:
            path, at = self.tokens.get(asked.skip, ("", 0))
            if path != call.raw_path:
                raise refuse("the token of the page is not known", "BadRequest")
        for each in items:
            check_answer(kind, each)
        body: dict[str, Any] = {"value": items[at : at + asked.top]}
        if asked.count:
            body["@odata.count"] = len(items)
        if at + asked.top < len(items):
            token = secrets.token_urlsafe(9)
            self.tokens[token] = (call.raw_path, at + asked.top)
            kept = [(name, value) for name, value in call.query if name != "$skiptoken"]
            query = urlencode([*kept, ("$skiptoken", token)], quote_via=quote)
            path = call.raw_path.partition("/v1.0")[2]
            body["@odata.nextLink"] = f"{self.url}{path}?{query}"
        return Reply(body=body)

    def with_ids(self, call: Call, item: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
        """Return an item with ids such as the client prefers."""
        if 'IdType="ImmutableId"' in call.prefers():
            return item
        passing = {name: item[name].replace(_LASTING, _PASSING) for name in names if item.get(name)}
        return item | passing


def lasting(id: str) -> str:  # noqa: A002
    """Return the id that stays, of either kind."""
    return id.replace(_PASSING, _LASTING)


def body_of(call: Call) -> dict[str, Any]:
    """Return the JSON object of a request; raises RefusedError."""
    if not call.headers.get("content-type", "").startswith("application/json"):
        raise refuse("the content is no JSON", "UnsupportedMediaType", 415)
    try:
        body = json.loads(call.body)
    except ValueError as error:
        raise refuse("Unable to read JSON request payload.", "BadRequest") from error
    if not isinstance(body, dict):
        raise refuse("the payload is no object", "BadRequest")
    return body


def check_match(call: Call, etag: str) -> None:
    """Raise RefusedError where a change is over another state than there is."""
    wanted = call.headers.get("if-match")
    if wanted is not None and wanted not in ("*", etag):
        raise refuse("The change key does not match.", "ErrorIrresolvableConflict", 412)
