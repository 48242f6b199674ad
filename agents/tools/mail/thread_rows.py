"""Threads and their messages as the contract writes them, straight from the columns of rows.

`agents.tools.shapes` makes the same of models; what agents ask most often goes this way.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import F, OuterRef, QuerySet

from agents.contracts.plain import moment
from agents.tools.shapes import contract_email
from agents.tools.stored import AsStored, ListOf, Stored, stored_list, written_once
from inbox import ids
from inbox.models import Inbox, Message, Thread


class ThreadColumns(NamedTuple):
    """What of a thread is shown, as stored."""

    pk: int
    inbox_id: int
    subject: str
    status: str
    participants: Stored
    updated_at: datetime | str
    merged_into_id: int | None
    labels: Stored


class MessageColumns(NamedTuple):
    """What of a message is shown, as stored."""

    pk: int
    submission_id: int | None
    direction: str
    from_email: str
    from_name: str
    to: Stored
    cc: Stored
    subject: str
    text: str
    html: str
    received_at: datetime | str


def thread_columns(rows: QuerySet[Any]) -> Any:
    """Return the columns of threads, the names of each one's mailboxes among them."""
    through = Thread.mailboxes.through.objects.filter(
        thread_id=OuterRef("pk"), mailbox__workspace_id=OuterRef("workspace_id")
    )
    labels: Any = ListOf(through.values(named=F("mailbox__name")))
    names = [name.replace("updated_at", "at") for name in ThreadColumns._fields]
    return rows.annotate(labels=labels, at=AsStored("updated_at")).values_list(*names)


def message_columns(rows: QuerySet[Any]) -> Any:
    """Return the columns of messages."""
    names = [name.replace("received_at", "at") for name in MessageColumns._fields]
    return rows.annotate(at=AsStored("received_at")).values_list(*names)


def write_thread(row: ThreadColumns) -> dict[str, Any]:
    """Return a thread."""
    return {
        "id": ids.encode(Thread.ID_PREFIX, row.pk),
        "inbox_id": ids.encode(Inbox.ID_PREFIX, row.inbox_id),
        "subject": row.subject,
        "status": row.status,
        "labels": sorted(stored_list(row.labels)),
        "participants": _people(row.participants),
        "updated_at": moment(row.updated_at),
    }


def write_message(row: MessageColumns, thread_id: str, text: str, html: str) -> dict[str, Any]:
    """Return a message with so much of its texts; an unusable From is left out, and so is no HTML.

    `thread_id` is the public id of its thread.
    """
    number, key = (0, row.pk) if row.submission_id is None else (1, row.submission_id)
    sender = _person(row.from_email, row.from_name)
    return {
        "id": ids.encode(Message.ID_PREFIX, number, key),
        "thread_id": thread_id,
        "direction": row.direction,
        **({"from": sender} if sender else {}),
        "to": _people(row.to),
        "cc": _people(row.cc),
        "subject": row.subject,
        "text": text,
        **({"html": html} if html else {}),
        "created_at": moment(row.received_at),
    }


@written_once
def _people(addresses: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    people = (_person(one.get("email", ""), one.get("name")) for one in addresses)
    return [one for one in people if one]


def _person(address: str, name: str | None) -> dict[str, str] | None:
    email = contract_email(address)
    if email is None:
        return None
    return {"name": name, "email": email} if name else {"email": email}
