"""What clients are told of each fact: public ids and states, and who may know."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias

from django.db.models import Model

from agents.models import AgentMessage, Approval, FactNote, Schedule
from calendar_app.models import Calendar, Event, Todo
from inbox import ids
from inbox.models import (
    Activity,
    Correspondence,
    Draft,
    FileNode,
    Inbox,
    Message,
    Person,
    Submission,
    Thread,
)
from inbox.models.base import PublicModel
from inbox.operations.batched import in_chunks

Words: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class EventPayload:
    """One event: the fact, its data, and who may know of it (None: everybody of the workspace)."""

    workspace_id: int
    fact: str
    data: Words
    account_ids: list[int] | None
    agent_ids: list[int] | None
    at: datetime


@dataclass(frozen=True, slots=True)
class RowId:
    """A row whose public id is told: the column that has its key.

    A message's id comes from its submission where it has one, which is in the column `submission`.
    """

    model: type[PublicModel]
    path: str = "pk"
    submission: str = ""

    def public_id(self, row: Words) -> str | None:
        """Return the id, None where there is no such row."""
        key = row[self.path]
        if key is None or not self.submission:
            return ids.encode(self.model.ID_PREFIX, key) if key is not None else None
        return Message(pk=key, submission_id=row[self.submission]).public_id


@dataclass(frozen=True)
class EventSubject:
    """What facts are about: `message.received` is about messages, named by `message_ids`.

    `row` is what they are about, and `account` and `agent` are the paths to whose each is. Told are
    its public id, those of further rows (`others`), some of its columns (`words`), and some of what
    the publication itself says (`payload`).
    """

    scope: str
    row: RowId | None = None
    name: str = ""
    account: str = ""
    agent: str = ""
    # Where a row is of several accounts: what joins the two, and its column for the row.
    joined: tuple[type[Model], str] | None = None
    others: dict[str, RowId] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    payload: tuple[str, ...] = ()
    # The path to the mark of a row that was planted: nobody is told of it.
    planted: str = ""

    @property
    def columns(self) -> list[str]:
        """The columns that are read of each row, its key first."""
        named = [*([self.row] if self.row else []), *self.others.values()]
        paths = [self.account, self.agent, *(each.path for each in named)]
        paths += [each.submission for each in named]
        return ["pk", "workspace_id", *filter(None, dict.fromkeys(paths)), *self.words]

    def subjects(self, note: FactNote) -> list[int]:
        """Return the keys of the rows that a publication is about."""
        one = note.payload.get(f"{self.name}_id")
        many = note.payload.get(f"{self.name}_ids", [])
        return [*([one] if one is not None else []), *many]


_MESSAGE = RowId(Message, submission="submission_id")
_THREAD = {"thread_id": RowId(Thread, "thread_id")}
NOUNS: dict[str, EventSubject] = {
    "message": EventSubject(
        "inbox:read", _MESSAGE, "message", account="inbox__account_id",
        others={**_THREAD, "inbox_id": RowId(Inbox, "inbox_id")},
    ),
    "thread": EventSubject(
        "inbox:read", RowId(Thread), "thread", account="inbox__account_id",
        others={"inbox_id": RowId(Inbox, "inbox_id")}, words=("status",),
    ),
    "draft": EventSubject(
        "comms:read", RowId(Draft), "draft", account="account_id", others=_THREAD,
        planted="planted_mark",
    ),
    "activity": EventSubject(
        "storage:read", RowId(Activity), "activity", account="message__inbox__account_id",
        others={"message_id": RowId(Message, "message_id", "message__submission_id")},
        words=("status",),
    ),
    "approval": EventSubject(
        "control_plane:read", RowId(Approval), "approval", agent="agent_id", words=("tool",),
        payload=("state",), planted="planted",
    ),
    "submission": EventSubject(
        "comms:read", RowId(Submission), "submission", account="account_id", others=_THREAD,
        planted="draft__planted_mark",
    ),
    "event": EventSubject(
        "calendar:read", RowId(Event), "event", account="calendar__account_id",
        payload=("change",),
    ),
    "todo": EventSubject("calendar:read", RowId(Todo), "todo"),
    "file": EventSubject("storage:read", RowId(FileNode), "file", account="account_id"),
    "person": EventSubject(
        "storage:read", RowId(Person), "person", joined=(Correspondence, "person_id")
    ),
    "calendar": EventSubject(
        "calendar:read", RowId(Calendar), "calendar", account="account_id", payload=("change",)
    ),
    "agent_message": EventSubject(
        "comms:read", RowId(AgentMessage), "message", agent="recipient_id"
    ),
    "context": EventSubject("memory:read", payload=("keys", "change", "author")),
    "schedule": EventSubject(
        "time:read", RowId(Schedule), "schedule", agent="agent_id", words=("state", "late_by")
    ),
}  # fmt: skip
# Published for our own use; clients learn of it by another name.
INTERNAL = frozenset(
    {
        "account.set_up",
        "activity.raised",
        "feed.set_up",
        "thread.woken",
        "submission.voided",
        "submission.expired",
        "submission.held",
        "submission.rewritten",
        "understanding.saved",
        "workspace.created",
    }
)
# Every event that a client may be told of.
FACTS: tuple[str, ...] = (
    "message.received", "message.updated", "message.moved", "message.deleted",
    "thread.updated",
    "draft.created", "draft.updated", "draft.deleted",
    "activity.created", "activity.surfaced",
    "approval.created", "approval.decided", "approval.expired", "approval.voided",
    "submission.sent", "submission.failed", "submission.unknown",
    "submission.bounced", "submission.delayed", "submission.auto_replied",
    "event.changed", "calendar.changed",
    "todo.created", "todo.updated", "todo.deleted", "todo.restored",
    "file.changed", "file.deleted", "person.changed", "person.deleted",
    "agent_message.received", "context.changed", "schedule.fired",
)  # fmt: skip
_READ_AT_ONCE = 5000


def noun_of(fact: str) -> EventSubject:
    """Return what a fact is about."""
    return NOUNS[fact.partition(".")[0]]


def tell(notes: Sequence[FactNote]) -> list[EventPayload]:
    """Return the events of these publications in their order, one for each row they are about.

    Rows that are gone, or of another workspace than they were said to be, are left out.
    """
    rows = _read_rows(notes)
    told: list[EventPayload] = []
    for note in notes:
        noun = noun_of(note.fact)
        if noun.row is None:
            told.append(_plain(note, noun))
            continue
        for key in noun.subjects(note):
            row = rows[note.fact.partition(".")[0]].get(key)
            if row is not None and row["workspace_id"] == note.workspace_id:
                told.append(_event(note, noun, noun.row, row))
    return told


def _read_rows(notes: Sequence[FactNote]) -> dict[str, dict[int, Words]]:
    """Return the rows by noun and key, in a query or a few for each noun."""
    wanted: dict[str, set[int]] = {}
    for note in notes:
        name = note.fact.partition(".")[0]
        wanted.setdefault(name, set()).update(NOUNS[name].subjects(note))
    found: dict[str, dict[int, Words]] = {}
    for name, keys in wanted.items():
        found[name] = {}
        subject = NOUNS[name].row
        if subject is None:
            continue
        for some in in_chunks(keys, _READ_AT_ONCE):
            rows = subject.model._default_manager.filter(pk__in=some)
            if NOUNS[name].planted:
                rows = rows.filter(**{f"{NOUNS[name].planted}__isnull": True})
            found[name].update({row["pk"]: row for row in rows.values(*NOUNS[name].columns)})
        _add_accounts(NOUNS[name], found[name])
    return found


def _add_accounts(noun: EventSubject, rows: dict[int, Words]) -> None:
    """Put with each row the accounts that it is joined to, where that is how it is owned."""
    if noun.joined is None:
        return
    model, column = noun.joined
    for row in rows.values():
        row["accounts"] = []
    for some in in_chunks(rows, _READ_AT_ONCE):
        joins = model._default_manager.filter(**{f"{column}__in": some})
        for key, account_id in joins.values_list(column, "account_id"):
            rows[key]["accounts"].append(account_id)


def _event(note: FactNote, noun: EventSubject, subject: RowId, row: Words) -> EventPayload:
    named = {f"{noun.name}_id": subject, **noun.others}
    found = {name: each.public_id(row) for name, each in named.items()}
    data: Words = {name: public_id for name, public_id in found.items() if public_id is not None}
    data |= {name: row[name] for name in noun.words}
    data |= {name: note.payload[name] for name in noun.payload if name in note.payload}
    agent_ids = [row[noun.agent]] if noun.agent else None
    return EventPayload(
        note.workspace_id, note.fact, data, _accounts(noun, row), agent_ids, note.at
    )


def _accounts(noun: EventSubject, row: Words) -> list[int] | None:
    """Return whose a row is; None where it is of no account, as a note to the reviewers is."""
    if noun.joined:
        return list(row["accounts"])
    key = row[noun.account] if noun.account else None
    return None if key is None else [key]


def _plain(note: FactNote, noun: EventSubject) -> EventPayload:
    data = {name: note.payload[name] for name in noun.payload if name in note.payload}
    return EventPayload(
        note.workspace_id, note.fact, data, None, note.payload.get("agent_ids"), note.at
    )
