"""The few statements that every call runs, written by hand.

The ORM takes five to ten times as long to compose each of them as the database to run it, and a
read is to cost little more than the bare request.
"""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Any, NamedTuple, TypeAlias

from django.db import connection
from django.db.models import CharField, ForeignKey, IntegerField, TextField
from django.utils import timezone

from agents.dispatching.group_commit import early_setting
from agents.models import Receipt, ReceiptHead

_BEARER = (
    "SELECT t.id, t.workspace_id, t.agent_id, a.name, t.scopes, t.tools, t.audience,"
    " t.expires_at, t.revoked_at, t.last_used_at, t.renew_at, a.status,"
    " (SELECT {listed}(account_id) FROM agents_grant WHERE agent_id = t.agent_id),"
    " (SELECT {listed}(source) FROM (SELECT source FROM inbox_replypolicy"
    " WHERE workspace_id = t.workspace_id ORDER BY id) policies)"
    " FROM agents_token t JOIN agents_agent a ON a.id = t.agent_id WHERE t.digest = %s"
)
_STATUS = "SELECT status FROM agents_agent WHERE id = %s"
_HEAD = "SELECT seq, hash{early} FROM agents_receipthead WHERE workspace_id = %s{lock}"
_POLICIES = "SELECT source FROM inbox_replypolicy WHERE workspace_id = %s ORDER BY id"
_COUNT_UP = (
    "UPDATE agents_quotause SET amount = amount + %s, changed_at = %s WHERE workspace_id = %s"
    " AND per = 'agent' AND subject = %s AND what = 'reads' AND seconds = %s AND amount <= %s"
    " RETURNING {head}"
)
# Whoever reads on writes a receipt next, at the end of the chain: on SQLite, where nobody else
# writes until then, it comes along.
_WITH_HEAD = "(SELECT seq || ' ' || hash FROM agents_receipthead WHERE workspace_id = %s)"
# The next of the chain, in the one statement for which PostgreSQL holds the chain's end.
_APPEND = (
    "WITH head AS MATERIALIZED (SELECT seq, hash FROM agents_receipthead"
    " WHERE workspace_id = %s FOR UPDATE)"
    " INSERT INTO {table} ({columns}, seq, prev_hash, hash) SELECT {places}, head.seq + 1,"
    " head.hash, encode(sha256(convert_to(head.hash || %s || (head.seq + 1) || %s, 'UTF8')), 'hex')"
    " FROM head RETURNING id, seq, prev_hash, hash{early}"
)
_CHAINED = frozenset({"seq", "prev_hash", "hash"})
# What is known of a receipt only at its end of the chain.
_LATE = _CHAINED | {"opened_at", "closed_at"}


class Standing(NamedTuple):
    """How an agent stands, as of when its request came: its status, its workspace's policies."""

    status: str
    # What they say, in YAML.
    policies: tuple[str, ...]


class TokenRow(NamedTuple):
    """A token and whose it is."""

    pk: int
    workspace_id: int
    agent_id: int
    agent_name: str
    scopes: frozenset[str]
    tools: frozenset[str]
    # The one address that it opens, of a client that signed in; empty: every one.
    audience: str
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    # Until when this text is good, of a client that signed in.
    renew_at: datetime | None
    account_ids: frozenset[int]
    standing: Standing


def find_token(digest: str) -> TokenRow | None:
    """Return the token of this digest with the agent's name, grants and standing."""
    listed = "json_agg" if connection.vendor == "postgresql" else "json_group_array"
    rows = _fetch(_BEARER.format(listed=listed), [digest])
    if not rows:
        return None
    pk, workspace_id, agent_id, name, scopes, tools, audience, *others = rows[0]
    *times, status, accounts, policies = others
    expires_at, revoked_at, last_used_at, renew_at = (_aware(moment) for moment in times)
    return TokenRow(
        pk, workspace_id, agent_id, name,
        frozenset(_listed(scopes)), frozenset(_listed(tools)), audience,
        expires_at, revoked_at, last_used_at, renew_at,
        frozenset(_listed(accounts)), Standing(status, _listed(policies)),
    )  # fmt: skip


def _listed(stored: str | list[Any] | None) -> tuple[Any, ...]:
    """Return what a column of JSON lists; what is made of no rows is null in PostgreSQL."""
    return _read_list(stored) if isinstance(stored, str) else tuple(stored or ())


@lru_cache(maxsize=1024)
def _read_list(stored: str) -> tuple[Any, ...]:
    return tuple(json.loads(stored))


def agent_status(agent_id: int) -> str:
    """Return an agent's status; empty where there is no such agent."""
    rows = _fetch(_STATUS, [agent_id])
    return str(rows[0][0]) if rows else ""


def policy_sources(workspace_id: int) -> tuple[str, ...]:
    """Return what the policies of a workspace say, in YAML."""
    return tuple(row[0] for row in _fetch(_POLICIES, [workspace_id]))


def lock_head(workspace_id: int) -> ReceiptHead:
    """Return the end of a workspace's chain, held against others until the transaction ends."""
    statement = _HEAD.format(early=early_setting(), lock=_lock())
    rows = _fetch(statement, [workspace_id])
    if not rows:
        first = ReceiptHead(workspace_id=workspace_id)
        ReceiptHead.objects.bulk_create([first], ignore_conflicts=True)
        rows = _fetch(statement, [workspace_id])
    return ReceiptHead(workspace_id=workspace_id, seq=rows[0][0], hash=rows[0][1])


class CountedUp(NamedTuple):
    """What counting up came to; `head` is the end of the chain, where it came along."""

    is_counted: bool
    head: ReceiptHead | None = None


def count_up_reads(
    workspace_id: int, agent_id: int, seconds: int, amount: int, most: int
) -> CountedUp:
    """Add to the texts that an agent has read; nothing where it is too much, or the first."""
    at = connection.ops.adapt_datetimefield_value(timezone.now())
    values = [amount, at, workspace_id, str(agent_id), seconds, most - amount]
    if appends_at_once():
        return CountedUp(bool(_fetch(_COUNT_UP.format(head="1"), values)))
    rows = _fetch(_COUNT_UP.format(head=_WITH_HEAD), [*values, workspace_id])
    if not rows or rows[0][0] is None:
        return CountedUp(bool(rows))
    seq, _, digest = rows[0][0].partition(" ")
    head = ReceiptHead(workspace_id=workspace_id, seq=int(seq), hash=digest)
    return CountedUp(is_counted=True, head=head)


def _lock() -> str:
    return " FOR UPDATE" if connection.features.has_select_for_update else ""


def early_values(receipt: Receipt) -> dict[str, Any]:
    """Return by column what is known of a receipt that has no place in the chain yet."""
    _, columns = _columns(_LATE)
    return dict(zip(columns, _values(receipt, columns), strict=True))


def insert_receipt(receipt: Receipt, early: dict[str, Any] | None = None) -> None:
    """Store a new receipt and give it its key; `early` is of `early_values`, where it is known."""
    table, columns = _columns(frozenset())
    places = ", ".join(["%s"] * len(columns))
    names = ", ".join(columns)
    statement = f"INSERT INTO {table} ({names}) VALUES ({places}) RETURNING id"  # noqa: S608
    known = dict(early or {})
    late = {column: of for column, of in columns.items() if column not in known}
    known |= zip(late, _values(receipt, late), strict=True)
    [(receipt.pk,)] = _fetch(statement, [known[column] for column in columns])


def appends_at_once() -> bool:
    """Return True if the database finds the end of a chain and the hash of what follows it."""
    return connection.vendor == "postgresql"


def append_receipt(receipt: Receipt, before: str, after: str) -> None:
    """Store a closed receipt as the next of its workspace's chain; only where `appends_at_once`.

    `before` and `after` are what is hashed of it around its number in the chain.
    """
    table, columns = _columns(_CHAINED)
    statement = _APPEND.format(
        table=table, columns=", ".join(columns), places=", ".join(["%s"] * len(columns)),
        early=early_setting(),
    )  # fmt: skip
    values = [receipt.workspace_id, *_values(receipt, columns), before, after]
    rows = _fetch(statement, values)
    if not rows:
        # The first of the workspace.
        lock_head(receipt.workspace_id)
        rows = _fetch(statement, values)
    receipt.pk, receipt.seq, receipt.prev_hash, receipt.hash = rows[0][:4]


_Columns: TypeAlias = dict[str, tuple[str, Callable[[Any, Any], Any] | None]]


@cache
def _columns(but: frozenset[str]) -> tuple[str, _Columns]:
    """Return the table, and by column a value's name and what makes a parameter of it.

    None: it is one already, as numbers are.
    """
    fields = [field for field in Receipt._meta.concrete_fields if not field.primary_key]
    quote = connection.ops.quote_name
    return Receipt._meta.db_table, {
        quote(str(field.column)): (field.attname, _preparing(field))
        for field in fields
        if field.attname not in but
    }


def _values(receipt: Receipt, columns: _Columns) -> list[Any]:
    row = receipt.__dict__
    return [
        row[name] if prepare is None else prepare(row[name], connection)
        for name, prepare in columns.values()
    ]


def _preparing(field: Any) -> Callable[[Any, Any], Any] | None:
    if isinstance(field, CharField | TextField):
        return _as_text
    if isinstance(field, IntegerField | ForeignKey):
        return None
    prepare: Callable[[Any, Any], Any] = field.get_db_prep_save
    return prepare


def _as_text(value: Any, _: Any) -> str | None:
    # A choice or a reason is a text of a kind of its own, which a database would not know.
    return value if value is None or type(value) is str else str.__str__(value)


def _fetch(statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())


def _aware(moment: datetime | None) -> datetime | None:
    return moment.replace(tzinfo=UTC) if moment and moment.tzinfo is None else moment
