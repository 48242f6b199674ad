"""The mirror of the accounts: how well it serves, what is to be asked anew, and warming it."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeAlias, cast

from django.db.models import QuerySet
from pydantic import Field, RootModel

from agents.contracts import Effect, tool
from agents.contracts.fields import WHOLE, Closed, Maybe, Moment, OrAbsent, WithRemarks
from agents.dispatching.rows import get_account, get_row
from agents.errors import invalid
from agents.models import CacheTask
from agents.operations.cache.figures import (
    Figures,
    Progress,
    find_entries,
    read_figures,
    read_progress,
    total,
)
from agents.operations.cache.tasks import enqueue_task
from agents.tools.shapes import AccountId
from inbox import ids
from inbox.actor import Actor
from inbox.models import Account, MirrorEntry
from inbox.operations.batched import in_chunks
from inbox.operations.mirror_entries import invalidate
from inbox.prepared import Prepared
from inbox.syncing.mirror import AGES

_MOST_TASKS = 500
_LONGEST = 500
_MOST_ACCOUNTS = 500


class NoParameters(Closed):
    """Nothing."""


class CacheFigures(Closed):
    """What was measured: entries that are cached, their bytes, and how readings went.

    `hit_rate` is the share, 0 to 1, of readings that needed no provider; absent before the first.
    """

    entries: int
    bytes: int
    hits: int
    misses: int
    hit_rate: OrAbsent[float] = None


class ResourceFigures(CacheFigures):
    """The figures of one resource, such as `email_list`."""

    resource: str


class AccountFigures(CacheFigures):
    """The figures of an account, and of each resource of it that was read."""

    account_id: str
    resources: list[ResourceFigures]


class CacheStats(CacheFigures):
    """The figures of all accounts, and of each."""

    accounts: list[AccountFigures]


@tool(
    family="operations", domain="storage", effect=Effect.READ, unified=[("cache", "get_stats")],
)  # fmt: skip
def cache_get_stats(actor: Actor, args: NoParameters) -> CacheStats:
    """Tell how well the mirror serves: entries, bytes, hits and misses by account and resource."""
    measured = read_figures(actor)
    accounts = [
        AccountFigures(
            account_id=ids.encode(Account.ID_PREFIX, key),
            resources=[
                ResourceFigures(resource=resource, **_figures(each))
                for resource, each in measured.get(key, {}).items()
            ],
            **_figures(total(measured.get(key, {}).values())),
        )
        for (key,) in _KEYS.fetched(actor=actor)
    ]
    every = (each for by_resource in measured.values() for each in by_resource.values())
    return CacheStats(accounts=accounts, **_figures(total(every)))


_NOTHING_FITS = f"No entry has such a name: resource:account_id:…, of {', '.join(sorted(AGES))}."


class CacheInvalidate(Closed):
    """Which entries, by the names `resource:account_id:…`; only `*` stands for anything."""

    pattern: Annotated[str, Field(min_length=1)]
    account_id: Maybe[AccountId] = None
    reason: str = "manual_invalidation"


class Invalidated(WithRemarks):
    """How many entries will be asked for anew."""

    status: Literal["invalidated"]
    pattern: str
    reason: str
    invalidated: int


@tool(
    family="operations", domain="storage", effect=Effect.WRITE,
    unified=[("cache", "invalidate")], example={"pattern": "email_list:*"},
)  # fmt: skip
def cache_invalidate(actor: Actor, args: CacheInvalidate) -> Invalidated:
    """Have the next readings of these entries ask the provider first; nothing is deleted.

    `email_list:*` fits every list of mail, `*:acc_8fXoQ2mKpL:*` everything of one account. The
    resources are email, email_list, file, file_list, contact, contact_list, event, event_list and
    search.
    """
    for field, text in (("/pattern", args.pattern), ("/reason", args.reason)):
        if len(text) > _LONGEST:
            raise invalid(field, "is too long", f"at most {_LONGEST} characters")
    account = None if args.account_id is None else get_account(actor, args.account_id)
    keys = find_entries(actor, args.pattern, account)
    done = sum(invalidate(rows=MirrorEntry.objects.filter(pk__in=some)) for some in in_chunks(keys))
    answer = Invalidated(
        status="invalidated", pattern=args.pattern, reason=args.reason, invalidated=done
    )
    return answer if done else answer.with_remarks([_NOTHING_FITS])


Status: TypeAlias = Literal["queued", "running", "completed", "failed"]


class CacheTaskShape(Closed):
    """A reading in the background; `result` is the operation's answer, `error` why there is none.

    Of an answer over 256 KiB `result` says only its hash and length.
    """

    task_id: str
    account_id: str
    operation: str
    parameters: dict[str, Any]
    priority: int
    status: Status
    retry_count: int
    created_at: Moment
    started_at: OrAbsent[Moment] = None
    completed_at: OrAbsent[Moment] = None
    result: OrAbsent[Any] = None
    error: OrAbsent[dict[str, Any]] = None


class CacheTaskEnqueue(Closed):
    """What to read: the name of a reading operation, and its parameters without the account."""

    account_id: AccountId
    operation: Annotated[str, Field(min_length=1)]
    parameters: dict[str, Any] = {}
    # 1 is the most pressing.
    priority: Annotated[int, Field(ge=1, le=10), WHOLE] = 5


@tool(
    family="operations", domain="storage", effect=Effect.WRITE,
    unified=[("cache", "task_enqueue")],
    example={"account_id": "acc_8fXoQ2mKpL", "operation": "email_list"},
)  # fmt: skip
def cache_task_enqueue(actor: Actor, args: CacheTaskEnqueue) -> CacheTaskShape:
    """Have a worker make a reading call, such as `email_list`, in the background.

    It runs with what the caller may do by then. `cache_task_get_status` has its answer.
    """
    account = get_account(actor, args.account_id)
    task = enqueue_task(
        actor=actor, account=account, operation=args.operation, parameters=args.parameters,
        priority=args.priority,
    )  # fmt: skip
    return _task(task)


class CacheTaskStatus(Closed):
    """Which task."""

    task_id: Annotated[str, Field(min_length=1)]


@tool(
    family="operations", domain="storage", effect=Effect.READ,
    unified=[("cache", "task_status")], example={"task_id": "tsk_8fXoQ2mKpL"},
)  # fmt: skip
def cache_task_get_status(actor: Actor, args: CacheTaskStatus) -> CacheTaskShape:
    """Tell how a task of the caller's stands, with its result or error once it is done."""
    rows = CacheTask.objects.visible_to(actor).select_related("account")
    return _task(get_row(rows, args.task_id, "task", "/task_id"))


class CacheTaskList(Closed):
    """Which tasks; at most 500 at once."""

    account_id: Maybe[AccountId] = None
    status: Maybe[Status] = None
    limit: Annotated[int, Field(ge=1), WHOLE] = 50


class CacheTasks(RootModel[list[CacheTaskShape]]):
    """Tasks, newest first, without their results."""


@tool(
    family="operations", domain="storage", effect=Effect.READ, unified=[("cache", "task_list")],
    example={"status": "failed"},
)  # fmt: skip
def cache_task_list(actor: Actor, args: CacheTaskList) -> CacheTasks:
    """List the caller's tasks, newest first; `cache_task_get_status` has each one's result."""
    rows = CacheTask.objects.visible_to(actor).select_related("account").defer("result")
    if args.account_id is not None:
        rows = rows.filter(account=get_account(actor, args.account_id))
    if args.status is not None:
        rows = rows.filter(status=args.status)
    newest = rows.order_by("-id")[: min(args.limit, _MOST_TASKS)]
    return CacheTasks([_task(task, with_result=False) for task in newest])


class OperationProgress(Closed):
    """How far one operation's rows have come, in percent of all that there are."""

    operation: str
    total: int
    done: int
    percent: float


class AccountWarming(Closed):
    """The first sync of one account."""

    account_id: str
    status: Literal["warming", "complete"]
    total: int
    done: int
    percent: float
    operations: list[OperationProgress]


class WarmingStatus(Closed):
    """The first sync of all accounts together, and of each."""

    status: Literal["warming", "complete"]
    total: int
    done: int
    percent: float
    accounts: list[AccountWarming]


@tool(
    family="operations", domain="storage", effect=Effect.READ,
    unified=[("cache", "warming_status")],
)  # fmt: skip
def cache_warming_status(actor: Actor, args: NoParameters) -> WarmingStatus:
    """Tell how far the first sync of each account has come: totals, percent, by operation."""
    accounts = _accounts(actor)
    progress = read_progress(accounts)
    shapes = [
        AccountWarming(
            account_id=account.public_id,
            operations=[
                OperationProgress(
                    operation=part.operation, total=part.total, done=part.done,
                    percent=part.percent,
                )
                for part in progress[account.pk]
            ],
            **_warming(progress[account.pk]),
        )
        for account in accounts
    ]  # fmt: skip
    every = [part for parts in progress.values() for part in parts]
    return WarmingStatus(accounts=shapes, **_warming(every))


def _accounts(actor: Actor) -> list[Account]:
    return list(_ACCOUNTS.rows(actor=actor))


_SHOWN = ("workspace_id", "address", "name", "has_sources")


def _all_accounts(*, actor: Actor) -> Sequence[QuerySet[Any]]:
    return [_visible_accounts(actor).only(*_SHOWN)]


def _keys(*, actor: Actor) -> Sequence[QuerySet[Any, Any]]:
    return [_visible_accounts(actor).values_list("pk")]


def _visible_accounts(actor: Actor) -> QuerySet[Account]:
    return Account.objects.visible_to(actor).order_by("address", "id")[:_MOST_ACCOUNTS]


_ACCOUNTS, _KEYS = Prepared(_all_accounts), Prepared(_keys)


def _figures(found: Figures) -> dict[str, Any]:
    return {
        "entries": found.entries, "bytes": found.bytes, "hits": found.hits,
        "misses": found.misses, "hit_rate": found.hit_rate,
    }  # fmt: skip


def _warming(parts: list[Progress]) -> dict[str, Any]:
    whole = Progress(
        "", sum(part.total for part in parts), sum(part.done for part in parts),
        under_way=any(part.under_way for part in parts),
    )  # fmt: skip
    return {
        "status": "complete" if whole.is_complete else "warming",
        "total": whole.total,
        "done": whole.done,
        "percent": whole.percent,
    }


def _task(task: CacheTask, *, with_result: bool = True) -> CacheTaskShape:
    return CacheTaskShape(
        task_id=task.public_id,
        account_id=task.account.public_id,
        operation=task.operation,
        parameters=task.parameters,
        priority=task.priority,
        status=cast("Status", task.status),
        retry_count=task.retry_count,
        created_at=task.created_at,
        started_at=task.started_at,
        completed_at=task.completed_at,
        result=task.result if with_result else None,
        error=task.error,
    )
