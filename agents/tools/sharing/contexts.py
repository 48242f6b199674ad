"""Context that agents share under keys."""

import json
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from agents.contracts import Effect, tool
from agents.contracts.families import mesh_code
from agents.contracts.fields import WHOLE, Closed, IdOrName, Maybe, Moment, WithRemarks, WithTrace
from agents.errors import ToolError, invalid
from agents.models import Agent
from agents.models.mesh import LONGEST_KEY
from agents.operations.sharing.agent_names import check_bound
from agents.operations.sharing.contexts import (
    EntryState,
    Step,
    StepResult,
    as_text,
    list_keys,
    read_context,
    run_step,
    run_steps,
)
from inbox.actor import Actor

_WAITS = (
    "What you pushed waits until a person has reviewed it, since you had been shown a stranger's "
    "words; what stood under the key still does."
)
_TEN_YEARS = 315_360_000
Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=100)]
Key: TypeAlias = Annotated[str, Field(min_length=1, max_length=LONGEST_KEY)]
# Another agent; the mesh answers with names, so what is given stays as it is.
AgentName: TypeAlias = Annotated[Name, IdOrName(Agent.ID_PREFIX, by_tool=True)]
Names: TypeAlias = Annotated[list[AgentName], Field(max_length=200)]
Ttl: TypeAlias = Annotated[int, Field(ge=1, le=_TEN_YEARS), WHOLE]


class GetContext(Closed):
    """Which key, and who asks."""

    agent_name: Annotated[Name, Field(description="Name of the agent requesting the context")]
    key: Annotated[Key, Field(description="The context key to retrieve")]


class GotContext(WithTrace):
    """The value under a key, by itself and by its key."""

    success: Literal[True] = True
    agent_name: str
    key: str
    value: Any
    context: dict[str, Any]


@tool(
    family="mesh", domain="memory", effect=Effect.READ,
    example={"agent_name": "DataAnalyst", "key": "user_metrics"},
)  # fmt: skip
def get_context(actor: Actor, args: GetContext) -> GotContext:
    """Retrieve context data from the shared knowledge mesh for a specific agent.

    Read the value that an agent shared under a key, exactly as it was pushed.

    `agent_name` is your own name. An absent or expired key is KEY_NOT_FOUND; one that was shared
    with others than you is ACCESS_DENIED.
    """
    check_bound(actor, args.agent_name, "/agent_name")
    entry = read_context(actor=actor, key=args.key)
    got = GotContext(
        agent_name=args.agent_name, key=args.key, value=entry.value,
        context={args.key: entry.value},
    )  # fmt: skip
    return got.with_trace(shown=[entry.public_id])


class PushContext(Closed):
    """What to share, with whom, and for how long."""

    agent_name: Annotated[Name, Field(description="Name of the agent storing the context")]
    key: Annotated[Key, Field(description="The context key to store")]
    value: Annotated[
        Any, Field(description="The context value to store (any JSON-serializable data)")
    ]
    subscribers: Maybe[
        Annotated[
            Names, Field(description="Optional list of agent names that can access this context")
        ]
    ] = None
    ttl: Maybe[Annotated[Ttl, Field(description="Optional time-to-live in seconds")]] = None


class PushedContext(WithTrace, WithRemarks):
    """An entry as it stands now; `subscribers` empty: every agent of the workspace reads it."""

    success: Literal[True] = True
    agent_name: str
    key: str
    value: Any
    subscribers: list[str]
    ttl: int | None
    expires_at: Moment | None


@tool(
    family="mesh", domain="memory", effect=Effect.WRITE, writes="ctx",
    example={
        "agent_name": "DataCollector", "key": "daily_metrics",
        "value": {"users": 1500, "revenue": 50000}, "subscribers": ["DataAnalyst"], "ttl": 86400,
    },
)  # fmt: skip
def push_context(actor: Actor, args: PushContext) -> PushedContext:
    """Store context data in the shared knowledge mesh with optional access control.

    Share a JSON value under a key with other agents of the workspace.

    `agent_name` is your own name. With no `subscribers` every agent of the workspace may read it;
    else those and you. It ends after `ttl` seconds, if given. Pushing a key of your own again
    replaces value, subscribers and time as a whole; a key of another agent is ACCESS_DENIED. What
    you push after a stranger's words were shown to you stands once a person has reviewed it.
    """
    check_bound(actor, args.agent_name, "/agent_name")
    step = Step("push", args.key, as_text(args.value, "/value"), args.subscribers or (), args.ttl)
    standing, entry_id = run_step(actor=actor, step=step)
    pushed = PushedContext(
        agent_name=args.agent_name, key=args.key, value=json.loads(standing.text),
        subscribers=_names(standing), ttl=standing.ttl, expires_at=standing.expires_at,
    )  # fmt: skip
    if not entry_id:
        return pushed.with_remarks([_WAITS])
    return pushed.with_trace(written=[entry_id])


class ListContextKeys(Closed):
    """Which keys, and who asks."""

    agent_name: Annotated[Name, Field(description="Name of the agent requesting the key list")]
    pattern: Maybe[
        Annotated[
            str,
            Field(
                min_length=1,
                max_length=LONGEST_KEY,
                description="Optional glob pattern to filter keys (e.g., 'user_*')",
            ),
        ]
    ] = None


class ContextKeys(Closed):
    """Keys in order, and how many these are."""

    success: Literal[True] = True
    agent_name: str
    available_keys: list[str]
    count: int


@tool(
    family="mesh", domain="memory", effect=Effect.READ, shows=False,
    example={"agent_name": "DataAnalyst", "pattern": "metrics_*"},
)  # fmt: skip
def list_context_keys(actor: Actor, args: ListContextKeys) -> ContextKeys:
    """List all context keys that an agent can access.

    List the keys of shared context that you may read, in order.

    `agent_name` is your own name. `pattern` is a glob: `*` for any characters, `?` for one, `[ab]`
    for one of several; upper and lower case differ.
    """
    check_bound(actor, args.agent_name, "/agent_name")
    keys = list_keys(actor=actor, pattern=args.pattern)
    return ContextKeys(agent_name=args.agent_name, available_keys=keys, count=len(keys))


class ContextOperation(Closed):
    """One operation of a batch; `value`, `subscribers` and `ttl` belong to a push alone."""

    type: Annotated[
        Literal["push", "get", "delete"], Field(description="Type of operation to perform")
    ]
    key: Annotated[Key, Field(description="Context key for the operation")]
    value: Annotated[Any, Field(description="Value to push (only for push operations)")] = None
    subscribers: Maybe[Annotated[Names, Field(description="Subscribers for push operations")]] = (
        None
    )
    ttl: Maybe[Annotated[Ttl, Field(description="TTL for push operations")]] = None


class BatchContextOperation(Closed):
    """Operations on keys, in order."""

    agent_name: Annotated[
        Name, Field(description="Name of the agent performing the batch operation")
    ]
    operations: Annotated[
        list[ContextOperation],
        Field(min_length=1, max_length=200, description="List of operations to execute"),
    ]
    atomic: Annotated[
        bool, Field(description="Whether all operations must succeed or all fail")
    ] = False


class PushResult(Closed):
    """What a push of a batch left."""

    type: Literal["push"] = "push"
    key: str
    success: Literal[True] = True
    value: Any
    subscribers: list[str]
    ttl: int | None
    expires_at: Moment | None


class GetResult(Closed):
    """What a get of a batch read."""

    type: Literal["get"] = "get"
    key: str
    success: Literal[True] = True
    value: Any


class DeleteResult(Closed):
    """That a delete of a batch was done."""

    type: Literal["delete"] = "delete"
    key: str
    success: Literal[True] = True


class FailedResult(Closed):
    """Why an operation of a batch was not done; ROLLED_BACK: because another one failed."""

    type: Literal["push", "get", "delete"]
    key: str
    success: Literal[False] = False
    error: str
    error_code: str


OperationResult: TypeAlias = PushResult | GetResult | DeleteResult | FailedResult


class BatchResult(WithTrace, WithRemarks):
    """What came of each operation, in order; `success`: all of them were done."""

    success: bool
    agent_name: str
    atomic: bool
    results: list[OperationResult]
    total_operations: int
    successful_operations: int
    failed_operations: int


@tool(
    family="mesh", domain="memory", effect=Effect.WRITE, writes="ctx", shows=True,
    example={
        "agent_name": "DataManager", "atomic": True,
        "operations": [
            {"type": "push", "key": "user_count", "value": 1500},
            {"type": "delete", "key": "temp_data"},
        ],
    },
)  # fmt: skip
def batch_context_operation(actor: Actor, args: BatchContextOperation) -> BatchResult:
    """Execute multiple context operations in a single atomic transaction.

    Push, get and delete several keys of shared context in one step, in order.

    `agent_name` is your own name. Each operation follows the rules of a single call, and sees what
    those before it did. With `atomic` all are done or none: where one fails, nothing is changed,
    and the others say ROLLED_BACK. Without it each stands by itself. `success` is true where all
    were done.
    """
    check_bound(actor, args.agent_name, "/agent_name")
    steps = [_step(asked, place) for place, asked in enumerate(args.operations)]
    outcomes = run_steps(actor=actor, steps=steps, atomic=args.atomic)
    failed = sum(outcome.error is not None for outcome in outcomes)
    is_undone = args.atomic and failed > 0
    result = BatchResult(
        success=failed == 0,
        agent_name=args.agent_name,
        atomic=args.atomic,
        results=[_result(outcome, is_undone=is_undone) for outcome in outcomes],
        total_operations=len(outcomes),
        successful_operations=0 if is_undone else len(outcomes) - failed,
        failed_operations=len(outcomes) if is_undone else failed,
    )
    done = [] if is_undone else [it for it in outcomes if it.error is None]
    pushed = [it.entry_id for it in done if it.step.type == "push"]
    traced = result.with_trace(
        shown=[it.entry_id for it in done if it.step.type == "get" and it.entry_id],
        written=[it for it in pushed if it],
    )
    return traced if all(pushed) else traced.with_remarks([_WAITS])


def _step(asked: ContextOperation, place: int) -> Step:
    pointer = f"/operations/{place}"
    try:
        text = _pushed_text(asked, pointer)
    except ToolError as error:
        return Step(asked.type, asked.key, pointer=pointer, error=error)
    return Step(asked.type, asked.key, text, asked.subscribers or (), asked.ttl, pointer)


def _pushed_text(asked: ContextOperation, pointer: str) -> str:
    """Return the text of what is pushed, empty for another operation; raises ToolError."""
    given = asked.model_fields_set
    if asked.type == "push":
        if "value" not in given:
            raise invalid(f"{pointer}/value", "is required to push", "any JSON value")
        return as_text(asked.value, f"{pointer}/value")
    for name in ("value", "subscribers", "ttl"):
        # A client that fills in every field has null here; of a push it would be a value.
        if name in given and getattr(asked, name) is not None:
            raise invalid(f"{pointer}/{name}", f"says nothing to a {asked.type}", "none")
    return ""


def _result(outcome: StepResult, *, is_undone: bool) -> OperationResult:
    step, standing = outcome.step, outcome.standing
    if outcome.error is not None:
        code = mesh_code(outcome.error)
        return FailedResult(
            type=step.type, key=step.key, error=outcome.error.message, error_code=code
        )
    if is_undone or standing is None:
        words = "Another operation of the batch failed, so nothing was changed"
        return FailedResult(type=step.type, key=step.key, error=words, error_code="ROLLED_BACK")
    if step.type == "delete":
        return DeleteResult(key=step.key)
    value = json.loads(standing.text)
    if step.type == "get":
        return GetResult(key=step.key, value=value)
    return PushResult(
        key=step.key, value=value, subscribers=_names(standing), ttl=standing.ttl,
        expires_at=standing.expires_at,
    )  # fmt: skip


def _names(standing: EntryState) -> list[str]:
    return [agent.name for agent in standing.subscribers]
