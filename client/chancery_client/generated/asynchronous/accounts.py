"""The tools of accounts.

Made by `python manage.py reference`; change the declarations instead.
"""

from typing import Any, Literal

from chancery_client.carriers import AsyncCarrier
from chancery_client.generated.shapes.accounts import (
    AccountAuthenticateAnswer,
    AccountCompleteAuthAnswer,
    AccountListAnswer,
    CacheGetStatsAnswer,
    CacheInvalidateAnswer,
    CacheTaskEnqueueAnswer,
    CacheWarmingStatusAnswer,
)
from chancery_client.wire import (
    OMITTED,
    Omitted,
)


class Accounts:
    """The tools of accounts."""

    def __init__(self, carrier: AsyncCarrier) -> None:
        self._carrier = carrier

    async def account_list(
        self,
    ) -> list[AccountListAnswer]:
        """List the accounts that a person granted the caller, by address."""
        answer: list[AccountListAnswer] = await self._carrier.read("account_list", {})
        return answer

    async def account_authenticate(
        self,
        *,
        idempotency_key: str | None = None,
    ) -> AccountAuthenticateAnswer:
        """Ask for an account: a person opens the page, enters the code and grants one, or refuses.

        Show the person `instructions`, then call `account_complete_auth` with `_flow_cache` every
        few seconds until it no longer answers `pending`.
        """
        answer: AccountAuthenticateAnswer
        answer = await self._carrier.change("account_authenticate", {}, idempotency_key)
        return answer

    async def account_complete_auth(
        self,
        *,
        flow_cache: str,
        idempotency_key: str | None = None,
    ) -> AccountCompleteAuthAnswer:
        """Ask whether a person has granted the account; success is told once.

        A request that expired, was refused or was completed before is a `conflict` that says which.

        flow_cache: The `_flow_cache` that account_authenticate answered.
        """
        given: dict[str, Any] = {
            "flow_cache": flow_cache,
        }
        answer: AccountCompleteAuthAnswer
        answer = await self._carrier.change("account_complete_auth", given, idempotency_key)
        return answer

    async def cache_get_stats(
        self,
    ) -> CacheGetStatsAnswer:
        """
        Tell how well the mirror serves: entries, bytes, hits and misses by account and resource.
        """
        answer: CacheGetStatsAnswer = await self._carrier.read("cache_get_stats", {})
        return answer

    async def cache_invalidate(
        self,
        *,
        pattern: str,
        account_id: str | Omitted = OMITTED,
        reason: str | Omitted = OMITTED,
        idempotency_key: str | None = None,
    ) -> CacheInvalidateAnswer:
        """Have the next readings of these entries ask the provider first; nothing is deleted.

        `email_list:*` fits every list of mail, `*:acc_8fXoQ2mKpL:*` everything of one account. The
        resources are email, email_list, file, file_list, contact, contact_list, event, event_list
        and search.

        pattern: A `*` glob over resource:account:…; other characters stand for themselves.
        account_id: The account: its id, address or name; look_around has them.
        reason: Why, for the record.
        """
        given: dict[str, Any] = {
            "pattern": pattern,
            "account_id": account_id,
            "reason": reason,
        }
        answer: CacheInvalidateAnswer
        answer = await self._carrier.change("cache_invalidate", given, idempotency_key)
        return answer

    async def cache_task_enqueue(
        self,
        *,
        account_id: str,
        operation: str,
        parameters: dict[str, Any] | Omitted = OMITTED,
        priority: int | Omitted = OMITTED,
        idempotency_key: str | None = None,
    ) -> CacheTaskEnqueueAnswer:
        """Have a worker make a reading call, such as `email_list`, in the background.

        It runs with what the caller may do by then. `cache_task_get_status` has its answer.

        account_id: The account: its id, address or name; look_around has them.
        operation: What the task does.
        parameters: What the operation takes.
        priority: How pressing it is.
        """
        given: dict[str, Any] = {
            "account_id": account_id,
            "operation": operation,
            "parameters": parameters,
            "priority": priority,
        }
        answer: CacheTaskEnqueueAnswer
        answer = await self._carrier.change("cache_task_enqueue", given, idempotency_key)
        return answer

    async def cache_task_get_status(
        self,
        *,
        task_id: str,
    ) -> CacheTaskEnqueueAnswer:
        """Tell how a task of the caller's stands, with its result or error once it is done.

        task_id: The task, as enqueuing it named it.
        """
        given: dict[str, Any] = {
            "task_id": task_id,
        }
        answer: CacheTaskEnqueueAnswer = await self._carrier.read("cache_task_get_status", given)
        return answer

    async def cache_task_list(
        self,
        *,
        account_id: str | Omitted = OMITTED,
        status: Literal["queued", "running", "completed", "failed"] | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
    ) -> list[CacheTaskEnqueueAnswer]:
        """List the caller's tasks, newest first; `cache_task_get_status` has each one's result.

        account_id: The account: its id, address or name; look_around has them.
        status: Where it stands.
        limit: At most so many.
        """
        given: dict[str, Any] = {
            "account_id": account_id,
            "status": status,
            "limit": limit,
        }
        answer: list[CacheTaskEnqueueAnswer] = await self._carrier.read("cache_task_list", given)
        return answer

    async def cache_warming_status(
        self,
    ) -> CacheWarmingStatusAnswer:
        """Tell how far the first sync of each account has come: totals, percent, by operation."""
        answer: CacheWarmingStatusAnswer = await self._carrier.read("cache_warming_status", {})
        return answer
