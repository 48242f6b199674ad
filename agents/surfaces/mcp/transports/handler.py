"""The place of MCP in the web application."""

from typing import Any

from django.utils.module_loading import import_string

from agents.surfaces.body_limit import App, Receive, Scope, Send
from agents.surfaces.mcp.threads import Threads

PATH = "/mcp"


class McpHandler:
    """ASGI: serves `/mcp` and `/mcp/{profile}`, and leaves everything else to the next application.

    What speaks the protocol is loaded with its first request: it takes a second, which nobody who
    starts a server without it should wait for.
    """

    def __init__(self, other: App) -> None:
        self.other = other
        self._threads = Threads()
        self._endpoint: Any = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a message."""
        if scope["type"] != "http" or not _is_ours(scope["path"]):
            await self.other(scope, receive, send)
            return
        if self._endpoint is None:
            endpoint = await self._threads.run(_load)
            self._endpoint = self._endpoint or endpoint(self._threads)
        await self._endpoint(scope, receive, send)


def _is_ours(path: str) -> bool:
    return path == PATH or path.startswith(f"{PATH}/")


def _load() -> Any:
    return import_string("agents.surfaces.mcp.transports.http.Endpoint")
