"""Lists of changes: what is there in another state since a token, and what is gone."""

import secrets
from dataclasses import dataclass, field, replace
from typing import Any

from tests.machines.api_server import Call, Reply
from tests.machines.graph.checking import RefusedError, check_answer
from tests.machines.graph.mailbox import Served
from tests.machines.graph.queries import Asked, page_size, read_query, select


@dataclass
class Log:
    """When each item of a collection changed last, by numbers that grow."""

    number: int = 0
    changed: dict[str, int] = field(default_factory=dict)
    gone: dict[str, int] = field(default_factory=dict)
    # The same without what a list of changes tells by itself, as that a message was read.
    wholly: dict[str, int] = field(default_factory=dict)

    def touch(self, id: str, *, partly: bool = False) -> None:  # noqa: A002
        self.number += 1
        self.changed[id] = self.number
        self.gone.pop(id, None)
        if not partly:
            self.wholly[id] = self.number

    def drop(self, id: str) -> None:  # noqa: A002
        self.number += 1
        self.changed.pop(id, None)
        self.gone[id] = self.number


@dataclass(frozen=True)
class _Round:
    """Where a round of changes stands: what is still to be told of it, and what it ends with."""

    path: str
    select: tuple[str, ...] | None
    left: tuple[str, ...]
    until: int
    since: int = 0
    # Of which of them only a part is told.
    partial: frozenset[str] = frozenset()
    # The ids of extended properties that are told as well.
    expand: frozenset[str] = frozenset()


def answer_delta(
    served: Served,
    call: Call,
    kind: str,
    log: Log,
    show: Any,
    *,
    newest_first: Any = None,
    expand: Any = None,
) -> Reply:
    """Return a page of changes; raises RefusedError for a token that is not known any more.

    `newest_first` gives ids in that order, where a client may ask for it, and `expand` the extended
    properties of an id. Of what was only read nothing but that is told.
    """
    more = [*(["$orderby"] if newest_first else []), *(["$expand"] if expand else [])]
    allowed = {"$select", "$deltatoken", *more}
    asked = read_query(call, kind, allowed)
    if asked.orderby not in ("", "receivedDateTime desc"):
        raise RefusedError(400, "ErrorInvalidUrlQuery", f"$orderby={asked.orderby} is not known")
    if asked.delta or asked.skip:
        found = served.tokens.get(asked.delta or asked.skip)
        if len(call.query) > 1 or not isinstance(found, _Round) or found.path != call.raw_path:
            raise RefusedError(410, "SyncStateNotFound", "The sync state was not found.")
        started = _since(found, log) if asked.delta else found
    else:
        wanted = tuple(asked.select) if asked.select is not None else None
        order = newest_first() if asked.orderby else sorted(log.changed)
        extended = frozenset(asked.expand.get("singleValueExtendedProperties", ()))
        started = _Round(call.raw_path, wanted, tuple(order), log.number, expand=extended)
    size = page_size(call)
    told, left = started.left[:size], started.left[size:]
    chosen = Asked(select=None if started.select is None else list(started.select))
    value = [
        served.with_ids(call, _part(_shown(kind, chosen, show(each))), ("id",))
        if each in started.partial and each in log.changed
        else served.with_ids(
            call,
            _shown(kind, chosen, show(each), expand(each, started.expand) if expand else {}),
            ("id",),
        )
        if each in log.changed
        else {"id": each, "@removed": {"reason": "deleted"}}
        for each in told
    ]
    since = started.until
    rest = replace(started, left=left, until=since, since=since)
    name, option = ("nextLink", "$skiptoken") if left else ("deltaLink", "$deltatoken")
    token = secrets.token_urlsafe(12)
    served.tokens[token] = rest
    link = f"{served.url}{call.raw_path.partition('/v1.0')[2]}?{option}={token}"
    return Reply(body={"value": value, f"@odata.{name}": link})


def _since(found: _Round, log: Log) -> _Round:
    changes = [*log.changed.items(), *log.gone.items()]
    news = sorted((number, id_) for id_, number in changes if number > found.since)
    ids = tuple(id_ for _number, id_ in news)
    partial = frozenset(id_ for id_ in ids if log.wholly.get(id_, 0) <= found.since)
    return replace(found, left=ids, until=log.number, since=0, partial=partial - log.gone.keys())


def _part(full: dict[str, Any]) -> dict[str, Any]:
    return {name: full[name] for name in ("id", "isRead", "@odata.etag") if name in full}


def _shown(
    kind: str, asked: Asked, full: dict[str, Any], extended: dict[str, Any] | None = None
) -> dict[str, Any]:
    found = select(asked, full) | {"@odata.etag": full["@odata.etag"]} | (extended or {})
    check_answer(kind, found)
    return found


def forget(tokens: dict[str, Any]) -> None:
    """Have no round of changes be known any more."""
    for token in [name for name, kept in tokens.items() if isinstance(kept, _Round)]:
        del tokens[token]
