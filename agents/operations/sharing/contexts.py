"""Values that agents share under keys: pushed, read and deleted, one by one or many at once."""

import fnmatch
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from django.db import transaction
from django.utils import timezone

from agents.errors import ToolError
from agents.evidence.exposures import sources_of_writing
from agents.models import Agent, ContextEntry, ContextSubscription, Origin, WaitingContext
from agents.operations.sharing.agent_names import find_agents, pick_agents
from inbox.actor import Actor
from inbox.background.jobs import publish
from inbox.background.periodic import periodic
from inbox.models import Workspace

# A value's JSON text, in characters.
LONGEST_VALUE = 250_000
# Entries in a workspace; the list of keys has no pages.
MOST_ENTRIES = 10_000
PURGED_AT_ONCE = 5000
# Values that wait for review in a workspace.
MOST_WAITING = 1000


@dataclass(frozen=True, slots=True)
class Step:
    """One operation on a key. `text` is the JSON text to push, `pointer` where the step stands.

    `error` says what is wrong with the step itself: it is not done.
    """

    type: Literal["push", "get", "delete"]
    key: str
    text: str = ""
    subscribers: Sequence[str] = ()
    ttl: int | None = None
    pointer: str = ""
    error: ToolError | None = None


@dataclass(frozen=True, slots=True)
class EntryState:
    """How an entry stands within a series of steps."""

    text: str
    author_id: int
    # In the order in which they were named; empty: every agent of the workspace.
    subscribers: tuple[Agent, ...] = ()
    is_open: bool = True
    ttl: int | None = None
    expires_at: datetime | None = None

    def is_readable_by(self, agent_id: int) -> bool:
        """Return True if the agent may read the entry."""
        listed = any(agent.pk == agent_id for agent in self.subscribers)
        return self.is_open or self.author_id == agent_id or listed


@dataclass(frozen=True, slots=True)
class StepResult:
    """What came of a step: the entry as it was then left or read, or why it could not be done."""

    step: Step
    standing: EntryState | None = None
    error: ToolError | None = None
    # The public id of the entry, where it is there afterwards; none where a push waits for review.
    entry_id: str = ""


@dataclass(slots=True)
class _Board:
    """The entries that a series of steps is about, in memory until all of them are done."""

    actor: Actor
    now: datetime
    agents: dict[str, Agent]
    standing: dict[str, EntryState] = field(default_factory=dict)
    rows: dict[str, ContextEntry] = field(default_factory=dict)
    # Rows whose time is over: to the steps they are not there, and what is pushed is a new entry.
    over: list[int] = field(default_factory=list)
    room: int = 0
    # What the agent was shown, where a stranger's words are in it: then what it pushes waits.
    sources: Sequence[str] | None = None
    waiting: dict[str, EntryState] = field(default_factory=dict)


def read_context(*, actor: Actor, key: str) -> ContextEntry:
    """Return the entry under a key.

    Raises ToolError: KEY_NOT_FOUND, or ACCESS_DENIED where the agent may not read it.
    """
    entry = ContextEntry.objects.visible_to(actor).filter(key=key).first()
    if entry is not None:
        return entry
    there = ContextEntry.objects.filter(workspace_id__in=actor.workspace_ids, key=key)
    raise _denied(key, "/key") if there.unexpired().exists() else _no_key(key, "/key")


def list_keys(*, actor: Actor, pattern: str | None = None) -> list[str]:
    """Return the keys that the agent may read, in order.

    `pattern` is a glob: `*`, `?` and `[…]`, with regard to case; every other character is itself.
    """
    rows = ContextEntry.objects.visible_to(actor).values_list("key", flat=True)
    keys = sorted(rows[:MOST_ENTRIES])
    if pattern is None:
        return keys
    # translate() makes no expression that tries the same again and again.
    matches = re.compile(fnmatch.translate(pattern)).match
    return [key for key in keys if matches(key)]


def run_step(*, actor: Actor, step: Step) -> tuple[EntryState, str]:
    """Do one operation; return the entry as it was left, and its public id. Raises ToolError.

    There is no id where what was pushed waits for review.
    """
    (outcome,) = run_steps(actor=actor, steps=[step], atomic=True)
    if outcome.error is not None:
        raise outcome.error
    if outcome.standing is None:
        raise ValueError(f"nothing stands after {step.type!r}")
    return outcome.standing, outcome.entry_id


@transaction.atomic
def run_steps(*, actor: Actor, steps: Sequence[Step], atomic: bool) -> list[StepResult]:
    """Do operations in order, each seeing what those before it did; return what came of each.

    Where `atomic` and one could not be done, nothing is changed. What an agent pushes after it was
    shown a stranger's words waits for review, and so does the same once more; what stood stays.
    Queries do not grow in number with the steps.
    """
    # One writer at a time in a workspace: no two can wait for each other's keys, and what is
    # checked here still holds when it is written. The chain of receipts makes them take turns
    # anyway.
    Workspace.objects.select_for_update(no_key=True).get(pk=actor.workspace_id)
    board = _read_board(actor, steps)
    before = dict(board.standing)
    outcomes = [_run(board, step) for step in steps]
    if not (atomic and any(outcome.error for outcome in outcomes)):
        _write(board, before)
    known = {key: row.public_id for key, row in board.rows.items() if row.pk is not None}
    return [
        one if _waits(board, one) else replace(one, entry_id=known.get(one.step.key, ""))
        for one in outcomes
    ]


def _read_board(actor: Actor, steps: Sequence[Step]) -> _Board:
    now = timezone.now()
    agents = find_agents(actor, (name for step in steps for name in step.subscribers))
    board = _Board(actor, now, agents)
    mine = ContextEntry.objects.filter(workspace_id=actor.workspace_id)
    rows = mine.filter(key__in={step.key for step in steps}).order_by("key").select_for_update()
    for row in rows.prefetch_related("subscriptions__agent"):
        if row.expires_at is not None and row.expires_at <= now:
            board.over.append(row.pk)
            continue
        named = sorted(row.subscriptions.all(), key=lambda listed: listed.pk)
        board.rows[row.key] = row
        board.standing[row.key] = EntryState(
            row.text, row.author_id, tuple(listed.agent for listed in named), row.is_open,
            row.ttl, row.expires_at,
        )  # fmt: skip
    if any(step.type == "push" for step in steps):
        origin, sources = sources_of_writing(actor)
        board.sources = sources if origin == Origin.STRANGER else _sources_of_same(actor, steps)
    if any(step.type == "push" and step.key not in board.rows for step in steps):
        board.room = MOST_ENTRIES - mine.count() + len(board.over)
    return board


def _sources_of_same(actor: Actor, steps: Sequence[Step]) -> Sequence[str] | None:
    """Return what a value of the agent's that waits was made of, where a push says the same.

    So no agent puts up itself, later or under another key, what waits for a person.
    """
    mine = WaitingContext.objects.filter(workspace_id=actor.workspace_id, author_id=actor.id)
    same = mine.filter(text__in={step.text for step in steps if step.type == "push"})
    found: Sequence[str] | None = same.values_list("derived_from", flat=True).first()
    return found


def _run(board: _Board, step: Step) -> StepResult:
    if step.error is not None:
        return StepResult(step, error=step.error)
    try:
        return StepResult(step, _DO[step.type](board, step))
    except ToolError as error:
        return StepResult(step, error=error)


def _push(board: _Board, step: Step) -> EntryState:
    there = board.standing.get(step.key)
    if there is not None and there.author_id != board.actor.id:
        raise _denied(step.key, f"{step.pointer}/key")
    subscribers = pick_agents(board.agents, step.subscribers, f"{step.pointer}/subscribers")
    if there is None and board.sources is None:
        board.room -= 1
        if board.room < 0:
            words = f"The workspace has {MOST_ENTRIES} context entries already"
            raise ToolError("conflict", words, {"pointer": f"{step.pointer}/key"})
    expires_at = None if step.ttl is None else board.now + timedelta(seconds=step.ttl)
    pushed = EntryState(
        step.text, board.actor.id, tuple(subscribers), not subscribers, step.ttl, expires_at
    )
    (board.standing if board.sources is None else board.waiting)[step.key] = pushed
    return pushed


def _get(board: _Board, step: Step) -> EntryState:
    there = _find(board, step)
    if not there.is_readable_by(board.actor.id):
        raise _denied(step.key, f"{step.pointer}/key")
    return there


def _delete(board: _Board, step: Step) -> EntryState:
    there = _find(board, step)
    if there.author_id != board.actor.id:
        raise _denied(step.key, f"{step.pointer}/key")
    del board.standing[step.key]
    board.room += 1
    return there


def _find(board: _Board, step: Step) -> EntryState:
    there = board.standing.get(step.key)
    if there is None:
        raise _no_key(step.key, f"{step.pointer}/key")
    return there


_DO = {"push": _push, "get": _get, "delete": _delete}


def _write(board: _Board, before: dict[str, EntryState]) -> None:
    """Store what the steps changed, and tell of it."""
    after = board.standing
    removed = [key for key in before if key not in after]
    pushed = {key: now for key, now in after.items() if now is not before.get(key)}
    gone = [board.rows[key].pk for key in removed] + board.over
    if gone:
        ContextEntry.objects.filter(pk__in=gone).delete()
    _store(board, pushed)
    _store_waiting(board, [*removed, *pushed])
    _tell(board, before, removed, "deleted")
    _tell(board, after, pushed, "pushed")


def _tell(board: _Board, standing: dict[str, EntryState], keys: Iterable[str], change: str) -> None:
    """Publish what was changed, once for each group of agents that may know of it."""
    groups: dict[tuple[int, ...] | None, list[str]] = {}
    for key in sorted(keys):
        known = standing[key]
        listed = sorted({known.author_id, *(agent.pk for agent in known.subscribers)})
        groups.setdefault(None if known.is_open else tuple(listed), []).append(key)
    for readers, named in groups.items():
        payload = {
            "keys": named, "change": change, "author": board.actor.name,
            "agent_ids": None if readers is None else list(readers),
        }  # fmt: skip
        publish("context.changed", payload, workspace_id=board.actor.workspace_id)


def _store(board: _Board, pushed: dict[str, EntryState]) -> None:
    rows: dict[str, ContextEntry] = {}
    for key, standing in pushed.items():
        row = board.rows.get(key) or ContextEntry(workspace_id=board.actor.workspace_id, key=key)
        row.text, row.author_id, row.is_open = standing.text, standing.author_id, standing.is_open
        row.ttl, row.expires_at, row.updated_at = standing.ttl, standing.expires_at, board.now
        rows[key] = board.rows[key] = row
    kept = [row for row in rows.values() if row.pk is not None]
    ContextEntry.objects.bulk_create([row for row in rows.values() if row.pk is None])
    if kept:
        fields = ["text", "author", "is_open", "ttl", "expires_at", "updated_at"]
        ContextEntry.objects.bulk_update(kept, fields)
        ContextSubscription.objects.filter(entry__in=kept).delete()
    ContextSubscription.objects.bulk_create(
        ContextSubscription(entry=rows[key], agent=agent)
        for key, standing in pushed.items()
        for agent in standing.subscribers
    )


def _waits(board: _Board, outcome: StepResult) -> bool:
    return outcome.standing is not None and outcome.standing is board.waiting.get(outcome.step.key)


def _store_waiting(board: _Board, changed: Sequence[str]) -> None:
    """Keep what waits for review, in the place of what the agent had waiting there before."""
    waiting, actor = board.waiting, board.actor
    if not waiting and not changed:
        return
    there = WaitingContext.objects.filter(workspace_id=actor.workspace_id)
    there.filter(author_id=actor.id, key__in=[*waiting, *changed]).delete()
    if waiting and there[:MOST_WAITING].count() + len(waiting) > MOST_WAITING:
        raise ToolError("conflict", f"{MOST_WAITING} context entries wait for review already", {})
    WaitingContext.objects.bulk_create(
        WaitingContext(
            workspace_id=actor.workspace_id, key=key, text=state.text, author_id=actor.id,
            subscriber_ids=[agent.pk for agent in state.subscribers], ttl=state.ttl,
            expires_at=state.expires_at, derived_from=list(board.sources or ()),
            pushed_at=board.now,
        )
        for key, state in waiting.items()
    )  # fmt: skip


@transaction.atomic
def let_stand(row: WaitingContext, author: Actor, text: str) -> ContextEntry:
    """Put a reviewed value under its key, as its author had pushed it; return the entry.

    Raises ToolError: ACCESS_DENIED where the key is another agent's by now, and a conflict where
    the workspace has no room.
    """
    Workspace.objects.select_for_update(no_key=True).get(pk=author.workspace_id)
    named = Agent.objects.filter(workspace_id=author.workspace_id, pk__in=row.subscriber_ids)
    step = Step("push", row.key, text, [agent.name for agent in named])
    board = _read_board(author, [step])
    board.sources, before = None, dict(board.standing)
    pushed = _push(board, step)
    if row.subscriber_ids and not pushed.subscribers:
        # None of those who might read it is there any more: nobody but the author reads it.
        pushed = replace(pushed, is_open=False)
    board.standing[row.key] = replace(pushed, ttl=row.ttl, expires_at=row.expires_at)
    _write(board, before)
    return board.rows[row.key]


def as_text(value: Any, pointer: str) -> str:
    """Return a value's JSON text; raises ToolError where it is none or is too long."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError:
        text = ""
    if not text or len(text) > LONGEST_VALUE:
        accepted = f"JSON of at most {LONGEST_VALUE} characters"
        raise ToolError(
            "invalid_input", f"{pointer} is no JSON value, or too long",
            {"errors": [{"pointer": pointer, "message": "is not accepted", "accepted": accepted}]},
        )  # fmt: skip
    return text


def _denied(key: str, pointer: str) -> ToolError:
    words = f"The entry {key!r} is another agent's"
    return ToolError("permission_denied", words, {"pointer": pointer})


def _no_key(key: str, pointer: str) -> ToolError:
    return ToolError("not_found", f"There is no key {key!r}", {"pointer": pointer})


@periodic(60)
def remove_expired(now: datetime | None = None) -> int:
    """Remove entries whose time is over, a bounded number at a time; return how many.

    No answer has shown them since; this only frees their place.
    """
    over = ContextEntry.objects.filter(expires_at__lte=now or timezone.now()).order_by("expires_at")
    with transaction.atomic():
        # What a writer holds is passed over: to wait for it could be to wait for each other.
        rows = list(over.select_for_update(skip_locked=True)[:PURGED_AT_ONCE])
        gone = ContextEntry.objects.filter(pk__in=[row.pk for row in rows]).delete()
        unread = WaitingContext.objects.filter(expires_at__lte=now or timezone.now())
        WaitingContext.objects.filter(pk__in=unread.values("pk")[:PURGED_AT_ONCE]).delete()
        return gone[1].get("agents.ContextEntry", 0)
