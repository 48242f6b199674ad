"""The few statements that every call runs, written by hand.

The ORM takes five to ten times as long to compose each of them as the database to run it, and a
read is to cost little more than the bare request.
"""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Any, NamedTuple

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
# Whoever reads on writes a receipt next, at the end of the chain: it comes along, held.
_COUNT_UP = (
    "UPDATE agents_quotause SET amount = amount + %s, changed_at = %s WHERE workspace_id = %s"
    " AND per = 'agent' AND subject = %s AND what = 'reads' AND seconds = %s AND amount <= %s"
    " RETURNING"
    " (SELECT seq || ' ' || hash FROM agents_receipthead WHERE workspace_id = %s{lock}){early}"
)


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


def count_up_reads(
    workspace_id: int, agent_id: int, seconds: int, amount: int, most: int
) -> ReceiptHead | None:
    """Add to the texts that an agent has read, and return the end of the chain as `lock_head` does.

    None, and nothing added, where it is too much, or the first.
    """
    at = connection.ops.adapt_datetimefield_value(timezone.now())
    values = [amount, at, workspace_id, str(agent_id), seconds, most - amount, workspace_id]
    rows = _fetch(_COUNT_UP.format(early=early_setting(), lock=_lock()), values)
    if not rows:
        return None
    if rows[0][0] is None:
        return lock_head(workspace_id)
    seq, _, digest = rows[0][0].partition(" ")
    return ReceiptHead(workspace_id=workspace_id, seq=int(seq), hash=digest)


def _lock() -> str:
    return " FOR UPDATE" if connection.features.has_select_for_update else ""


def insert_receipt(receipt: Receipt) -> None:
    """Store a new receipt and give it its key."""
    statement, columns = _insertion()
    row = receipt.__dict__
    values = [
        row[name] if prepare is None else prepare(row[name], connection)
        for name, prepare in columns
    ]
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        receipt.pk = cursor.fetchone()[0]


@cache
def _insertion() -> tuple[str, list[tuple[str, Callable[[Any, Any], Any] | None]]]:
    """Return the statement, and of each value its name and what makes a parameter of it.

    None: it is one already, as numbers are.
    """
    fields = [field for field in Receipt._meta.concrete_fields if not field.primary_key]
    columns = ", ".join(connection.ops.quote_name(str(field.column)) for field in fields)
    places = ", ".join(["%s"] * len(fields))
    table = Receipt._meta.db_table
    statement = f"INSERT INTO {table} ({columns}) VALUES ({places}) RETURNING id"  # noqa: S608
    return statement, [(field.attname, _preparing(field)) for field in fields]


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
