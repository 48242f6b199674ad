"""How fresh a reading of an account is asked to be, and what its answer says of its age."""

from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias, TypedDict, TypeVar

from pydantic import BaseModel, Field

from agents.contracts.fields import Closed, Moment
from agents.contracts.plain import Plain, moment
from inbox.models import Account
from inbox.syncing import mirror
from inbox.syncing.mirror import Freshness, Kept

A = TypeVar("A", bound=BaseModel | Plain[Any])

UseCache: TypeAlias = Annotated[
    bool, Field(description="False asks the provider first, like force_refresh.")
]
ForceRefresh: TypeAlias = Annotated[bool, Field(description="Ask the provider first.")]


class Cached(Closed):
    """An item of an answer that comes from the mirror of an account."""

    # `miss`: the provider was asked just now; `stale`: it will be, in the background.
    cache_status: Literal["fresh", "stale", "miss"] = Field(alias="_cache_status")
    # When the provider was asked last.
    cached_at: Moment = Field(alias="_cached_at")


class CacheFields(TypedDict):
    """The two fields, as arguments of a shape."""

    cache_status: Literal["fresh", "stale", "miss"]
    cached_at: datetime


def consult_for(
    args: Any,
    account: Account,
    resource: str,
    key: object = None,
    reads: AbstractSet[str] | None = None,
    *,
    kept: Kept | None = None,
) -> Freshness:
    """Say how fresh our rows are for a call, asking the provider if need be (`mirror.consult`).

    `args` have `use_cache` and `force_refresh`; their other fields are the key where none is given.
    """
    return mirror.consult(
        account=account, resource=resource, key=key_of(args) if key is None else key,
        use_cache=args.use_cache, force_refresh=args.force_refresh, reads=reads, kept=kept,
    )  # fmt: skip


def key_of(args: Any) -> dict[str, Any]:
    """Return what tells a list or a search of an account from its others."""
    dumped: dict[str, Any] = args.model_dump(
        mode="json", exclude={"account_id", "use_cache", "force_refresh"}
    )
    return dumped


def cache_fields(found: Freshness) -> CacheFields:
    """Return the two fields: `Shape(id=…, **cache_fields(found))`."""
    return {"cache_status": found.status, "cached_at": found.cached_at}


def plain_cache_fields(found: Freshness) -> dict[str, Any]:
    """Return the two fields as an answer without a model has them, before all others."""
    return {"_cache_status": found.status, "_cached_at": moment(found.cached_at)}


def measured(found: Freshness, answer: A) -> A:
    """Return the answer, its size in bytes noted where it was made anew."""
    if found.status == "miss":
        if isinstance(answer, Plain):
            text = answer.as_json()
        else:
            text = answer.model_dump_json(by_alias=True, exclude_none=True)
        mirror.measure(found, len(text.encode()))
    return answer
