"""What the tools of accounts take and give.

Made by `python manage.py reference`; change the declarations instead.
"""

from typing import Any, Literal, NotRequired, TypedDict


class AccountListAnswer(TypedDict):
    username: str
    """The address of the account."""
    account_id: str
    """The account it belongs to."""
    account_type: Literal["personal", "work_school", "unknown"]
    """What kind of account its address is of."""


class AccountAuthenticateAnswer(TypedDict):
    status: Literal["authentication_required"]
    """Where it stands."""
    verification_url: str
    """Where the person goes."""
    device_code: str
    """What the person types there."""
    expires_in: int
    """For so many seconds."""
    instructions: str
    """What to show the person."""
    _flow_cache: str
    """For account_complete_auth."""


class AccountCompleteAuthAnswer(TypedDict):
    status: Literal["success", "pending"]
    """Where it stands."""
    username: NotRequired[str]
    """The address of the account."""
    account_id: NotRequired[str]
    """The account it belongs to."""
    account_type: NotRequired[Literal["personal", "work_school", "unknown"]]
    """What kind of account its address is of."""


class CacheGetStatsAnswerAccountsResources(TypedDict):
    entries: int
    """How many entries are cached."""
    bytes: int
    """How many bytes they take."""
    hits: int
    """How many readings needed no provider."""
    misses: int
    """How many readings asked the provider."""
    hit_rate: NotRequired[float]
    """The share of readings, 0 to 1, that needed no provider."""
    resource: str
    """What was read."""


class CacheGetStatsAnswerAccounts(TypedDict):
    entries: int
    """How many entries are cached."""
    bytes: int
    """How many bytes they take."""
    hits: int
    """How many readings needed no provider."""
    misses: int
    """How many readings asked the provider."""
    hit_rate: NotRequired[float]
    """The share of readings, 0 to 1, that needed no provider."""
    account_id: str
    """The account it belongs to."""
    resources: list[CacheGetStatsAnswerAccountsResources]
    """The figures of each thing that was read."""


class CacheGetStatsAnswer(TypedDict):
    entries: int
    """How many entries are cached."""
    bytes: int
    """How many bytes they take."""
    hits: int
    """How many readings needed no provider."""
    misses: int
    """How many readings asked the provider."""
    hit_rate: NotRequired[float]
    """The share of readings, 0 to 1, that needed no provider."""
    accounts: list[CacheGetStatsAnswerAccounts]
    """The accounts."""


class CacheInvalidateAnswer(TypedDict):
    status: Literal["invalidated"]
    """Where it stands."""
    pattern: str
    """The pattern."""
    reason: str
    """Why."""
    invalidated: int
    """How many will be asked for anew."""


class CacheTaskEnqueueAnswer(TypedDict):
    task_id: str
    """The task."""
    account_id: str
    """The account it belongs to."""
    operation: str
    """What is read."""
    parameters: dict[str, Any]
    """The arguments of the reading."""
    priority: int
    """How pressing it is."""
    status: Literal["queued", "running", "completed", "failed"]
    """Where it stands."""
    retry_count: int
    """How often it was tried again."""
    created_at: str
    """When it was made; of a message, when it came or was proposed."""
    started_at: NotRequired[str]
    """When it was begun."""
    completed_at: NotRequired[str]
    """When it was done."""
    result: NotRequired[Any]
    """What it came to."""
    error: NotRequired[dict[str, Any]]
    """What went wrong."""


class CacheWarmingStatusAnswerAccountsOperations(TypedDict):
    operation: str
    """What is read."""
    total: int
    """How many there are."""
    done: int
    """How many are done."""
    percent: float
    """How much is done, in percent."""


class CacheWarmingStatusAnswerAccounts(TypedDict):
    account_id: str
    """The account it belongs to."""
    status: Literal["warming", "complete"]
    """Where it stands."""
    total: int
    """How many there are."""
    done: int
    """How many are done."""
    percent: float
    """How much is done, in percent."""
    operations: list[CacheWarmingStatusAnswerAccountsOperations]
    """The readings of the account."""


class CacheWarmingStatusAnswer(TypedDict):
    status: Literal["warming", "complete"]
    """Where it stands."""
    total: int
    """How many there are."""
    done: int
    """How many are done."""
    percent: float
    """How much is done, in percent."""
    accounts: list[CacheWarmingStatusAnswerAccounts]
    """The accounts."""
