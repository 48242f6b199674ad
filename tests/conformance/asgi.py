"""Our application as the runner can reach it: it sends no token, and opens no pages."""

import json
import os
from typing import Any

from project.asgi import application as served

# After the application: only then can the tools be declared.
from tests.conformance.tools import add_profile

_TOKEN = os.environ["CONFORMANCE_TOKEN"].encode()
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
add_profile()


async def application(scope, receive, send) -> None:
    """Serve with the token; at the scenarios' own tools, for a client that opens pages as well."""
    if scope["type"] == "http":
        scope = {**scope, "headers": [*scope["headers"], (b"authorization", b"Bearer " + _TOKEN)]}
        if scope["path"].endswith("/conformance"):
            receive = _Opening(receive)
            lengths = [pair for pair in scope["headers"] if pair[0] != b"content-length"]
            scope["headers"] = lengths
    await served(scope, receive, send)


class _Opening:
    """Says of a client with elicitation that it can do so by URL."""

    def __init__(self, receive) -> None:
        self._receive = receive
        self._body = b""

    async def __call__(self) -> Any:
        message = await self._receive()
        while message["type"] == "http.request":
            self._body += message.get("body", b"")
            if not message.get("more_body"):
                return {"type": "http.request", "body": _with_urls(self._body)}
            message = await self._receive()
        return message


def _with_urls(body: bytes) -> bytes:
    try:
        message = json.loads(body)
        declared = message["params"]["_meta"][_CAPABILITIES]
    except (ValueError, KeyError, TypeError):
        return body
    if isinstance(declared, dict) and "elicitation" in declared:
        declared["elicitation"]["url"] = {}
    return json.dumps(message).encode()
