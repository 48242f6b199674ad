"""The few statements that every call runs, written by hand.

The ORM takes five to ten times as long to compose each of them as the database to run it, and a
read is to cost little more than the bare request.
"""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple

from django.db import connection
from django.utils import timezone

from agents.models import Receipt, ReceiptHead

_BEARER = (
    "SELECT t.id, t.workspace_id, t.agent_id, a.name, t.scopes, t.tools, t.audience,"
    " t.expires_at, t.revoked_at, t.last_used_at, t.renew_at, g.account_id FROM agents_token t"
    " JOIN agents_agent a ON a.id = t.agent_id LEFT JOIN agents_grant g ON g.agent_id = a.id"
    " WHERE t.digest = %s"
)
_STATUS = "SELECT status FROM agents_agent WHERE id = %s"
_HEAD = "SELECT seq, hash FROM agents_receipthead WHERE workspace_id = %s"
_MOVE_HEAD = "UPDATE agents_receipthead SET seq = %s, hash = %s WHERE workspace_id = %s"
_POLICIES = "SELECT source FROM inbox_replypolicy WHERE workspace_id = %s ORDER BY id"
_COUNT_UP = (
    "UPDATE agents_quotause SET amount = amount + %s, changed_at = %s WHERE workspace_id = %s"
    " AND per = 'agent' AND subject = %s AND what = 'reads' AND seconds = %s AND amount <= %s"
)


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


def find_token(digest: str) -> TokenRow | None:
    """Return the token of this digest with the agent's name and grants."""
    rows = _fetch(_BEARER, [digest])
    if not rows:
        return None
    pk, workspace_id, agent_id, name, scopes, tools, audience, *times, _ = rows[0]
    expires_at, revoked_at, last_used_at, renew_at = (_aware(moment) for moment in times)
    return TokenRow(
        pk, workspace_id, agent_id, name,
        _names(scopes), _names(tools), audience,
        expires_at, revoked_at, last_used_at, renew_at,
        frozenset(row[-1] for row in rows if row[-1] is not None),
    )  # fmt: skip


def _names(stored: str | list[str]) -> frozenset[str]:
    return frozenset(json.loads(stored) if isinstance(stored, str) else stored)


def agent_status(agent_id: int) -> str:
    """Return an agent's status; empty where there is no such agent."""
    rows = _fetch(_STATUS, [agent_id])
    return str(rows[0][0]) if rows else ""


def policy_sources(workspace_id: int) -> tuple[str, ...]:
    """Return what the policies of a workspace say, in YAML."""
    return tuple(row[0] for row in _fetch(_POLICIES, [workspace_id]))


def lock_head(workspace_id: int) -> ReceiptHead:
    """Return the end of a workspace's chain, held against others until the transaction ends."""
    lock = " FOR UPDATE" if connection.features.has_select_for_update else ""
    rows = _fetch(_HEAD + lock, [workspace_id])
    if not rows:
        first = ReceiptHead(workspace_id=workspace_id)
        ReceiptHead.objects.bulk_create([first], ignore_conflicts=True)
        rows = _fetch(_HEAD + lock, [workspace_id])
    return ReceiptHead(workspace_id=workspace_id, seq=rows[0][0], hash=rows[0][1])


def move_head(head: ReceiptHead) -> None:
    """Store where the chain ends now."""
    with connection.cursor() as cursor:
        cursor.execute(_MOVE_HEAD, [head.seq, head.hash, head.workspace_id])


def count_up_reads(workspace_id: int, agent_id: int, seconds: int, amount: int, most: int) -> bool:
    """Add to the texts that an agent has read; return False where it is too much, or the first."""
    at = connection.ops.adapt_datetimefield_value(timezone.now())
    values = [amount, at, workspace_id, str(agent_id), seconds, most - amount]
    with connection.cursor() as cursor:
        cursor.execute(_COUNT_UP, values)
        return bool(cursor.rowcount)


def insert_receipt(receipt: Receipt) -> None:
    """Store a new receipt and give it its key."""
    statement, fields = _insertion()
    values = [
        field.get_db_prep_save(getattr(receipt, field.attname), connection) for field in fields
    ]
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        receipt.pk = cursor.fetchone()[0]


@cache
def _insertion() -> tuple[str, list[Any]]:
    fields = [field for field in Receipt._meta.concrete_fields if not field.primary_key]
    columns = ", ".join(connection.ops.quote_name(str(field.column)) for field in fields)
    places = ", ".join(["%s"] * len(fields))
    table = Receipt._meta.db_table
    return f"INSERT INTO {table} ({columns}) VALUES ({places}) RETURNING id", list(fields)  # noqa: S608


def _fetch(statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())


def _aware(moment: datetime | None) -> datetime | None:
    return moment.replace(tzinfo=UTC) if moment and moment.tzinfo is None else moment
