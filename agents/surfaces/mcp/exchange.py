"""One request over HTTP as the SDK's server wants to see it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.message import MessageMetadata, ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from mcp_types import RequestId

from agents.surfaces.mcp.callers import Caller

_ONE_WAY = TransportContext(kind="streamable-http", can_send_request=False)


@dataclass
class Exchange:
    """A request that gets one answer: nothing is asked or told in between."""

    request_id: RequestId
    caller: Caller
    transport: TransportContext = _ONE_WAY
    can_send_request: bool = False
    cancel_requested: anyio.Event = field(default_factory=anyio.Event)

    @property
    def message_metadata(self) -> MessageMetadata:
        """Return what the handlers are given as the request: its caller."""
        return ServerMessageMetadata(request_context=self.caller)

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        """Refuse: there is no way to ask the client anything."""
        raise NoBackChannelError(method)

    async def notify(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> None:
        """Drop it: the answer is the only message."""

    async def progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Drop it."""
