"""The two clients: each tool of Chancery is a method, in the room of its family."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any

import httpx

from chancery_client.carriers import AsyncCarrier, Carrier
from chancery_client.errors import NotDecidedError, RateLimitedError
from chancery_client.generated import asynchronous, sync
from chancery_client.generated.shapes.house import Approval
from chancery_client.wire import Held

# In seconds: how often it is asked what was decided.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 8.0
TIMEOUT = 60.0
RETRIES = 2


class Chancery:
    """Chancery for an agent with its token; every method waits for its answer.

    `http` is a client of httpx of your own, with its base address and headers set; `url` and
    `token` are not needed then. A call whose line broke is sent again up to `retries` times; one
    that changes something has a key, so that it happens once.
    """

    def __init__(
        self, url: str = "", token: str = "", *, http: httpx.Client | None = None,
        retries: int = RETRIES,
    ) -> None:  # fmt: skip
        self._http = http or httpx.Client(
            base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=TIMEOUT
        )
        self._carrier = Carrier(self._http, retries)
        self.mail = sync.Mail(self._carrier)
        self.concierge = sync.Concierge(self._carrier)
        self.services = sync.Services(self._carrier)
        self.mesh = sync.Mesh(self._carrier)
        self.house = sync.House(self._carrier)
        self.operations = sync.Operations(self._carrier)

    def __enter__(self) -> "Chancery":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def call(
        self, tool: str, arguments: Mapping[str, Any], *, idempotency_key: str | None = None
    ) -> Any:
        """Call a tool by its name; returns its answer, or Held."""
        key = idempotency_key or arguments.get("idempotency_key")
        return self._carrier.propose(tool, arguments, key)

    def get(self, path: str, **query: str) -> Any:
        """Read an address below `/api/v1/`, such as `threads/thr_…/summary`."""
        return self._carrier.get(f"/api/v1/{path}", query)

    def wait_for_decision(self, held: Held[Any] | str, *, timeout: float = 3600) -> Approval:
        """Wait until a person has decided; return how it ended.

        `held` is what a call returned, or the id of its approval; `timeout` is in seconds. What
        a person has edited is another approval, which is returned in its place. Raises
        NotDecidedError when the time is over.
        """
        approval_id = held if isinstance(held, str) else held.approval_id
        waiting = _Waiting(approval_id, timeout)
        while True:
            try:
                stands = self.house.get_approval(approval_id=waiting.approval_id)
                if waiting.is_over(stands):
                    return stands
            except (httpx.TransportError, RateLimitedError) as error:
                waiting.bear(error)
            time.sleep(waiting.pause())


class AsyncChancery:
    """Chancery for an agent with its token; every method is awaited. Else it is like Chancery."""

    def __init__(
        self, url: str = "", token: str = "", *, http: httpx.AsyncClient | None = None,
        retries: int = RETRIES,
    ) -> None:  # fmt: skip
        self._http = http or httpx.AsyncClient(
            base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=TIMEOUT
        )
        self._carrier = AsyncCarrier(self._http, retries)
        self.mail = asynchronous.Mail(self._carrier)
        self.concierge = asynchronous.Concierge(self._carrier)
        self.services = asynchronous.Services(self._carrier)
        self.mesh = asynchronous.Mesh(self._carrier)
        self.house = asynchronous.House(self._carrier)
        self.operations = asynchronous.Operations(self._carrier)

    async def __aenter__(self) -> "AsyncChancery":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def call(
        self, tool: str, arguments: Mapping[str, Any], *, idempotency_key: str | None = None
    ) -> Any:
        """Call a tool by its name; returns its answer, or Held."""
        key = idempotency_key or arguments.get("idempotency_key")
        return await self._carrier.propose(tool, arguments, key)

    async def get(self, path: str, **query: str) -> Any:
        """Read an address below `/api/v1/`, such as `threads/thr_…/summary`."""
        return await self._carrier.get(f"/api/v1/{path}", query)

    async def wait_for_decision(self, held: Held[Any] | str, *, timeout: float = 3600) -> Approval:  # noqa: ASYNC109
        """Wait until a person has decided; return how it ended. As that of Chancery."""
        approval_id = held if isinstance(held, str) else held.approval_id
        waiting = _Waiting(approval_id, timeout)
        while True:
            try:
                stands = await self.house.get_approval(approval_id=waiting.approval_id)
                if waiting.is_over(stands):
                    return stands
            except (httpx.TransportError, RateLimitedError) as error:
                waiting.bear(error)
            await asyncio.sleep(waiting.pause())


class _Waiting:
    """How long it has been waited, for which approval, and when it is asked next."""

    def __init__(self, approval_id: str, seconds: float) -> None:
        self.approval_id = approval_id
        self._seconds = seconds
        self._until = time.monotonic() + seconds
        self._next = _FIRST_PAUSE
        self._at_least = 0.0

    def is_over(self, stands: Approval) -> bool:
        """Return True where it is decided; of what was edited the new approval is looked at."""
        if stands["state"] == "waiting":
            return False
        replaced_by = stands.get("replaced_by")
        if replaced_by is None or stands["state"] == "returned":
            return True
        self.approval_id, self._next = replaced_by, 0.0
        return False

    def bear(self, error: Exception) -> None:
        """Go on after a line that broke; wait for as long as a server says that is busy."""
        self._at_least = error.retry_after if isinstance(error, RateLimitedError) else 0.0

    def pause(self) -> float:
        """Return for how long to wait; raises NotDecidedError when the time is over."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise NotDecidedError(self.approval_id, self._seconds)
        pause, self._at_least = max(self._next, self._at_least), 0.0
        self._next = min(max(self._next, _FIRST_PAUSE) * 1.5, _LONGEST_PAUSE)
        return min(pause, left)
