"""Clients of each revision: the SDK's own, and one that may say anything."""

import http.client
import json
import ssl

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from project.settings import BASE_DIR
from tests.fork_server import python
from tests.patience import LONG
from tests.processes import process_environment

REVISIONS = ("2025-06-18", "2025-11-25", "2026-07-28")
STATELESS = "2026-07-28"
# It speaks plain HTTP here; to read all that a computer trusts takes longer than most calls.
NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class Mcp:
    """The SDK's client at our server, by a revision; `profile` is a part of the address."""

    def __init__(self, port, token, revision):
        self.url = f"http://127.0.0.1:{port}/mcp"
        self.token = token
        self.revision = revision

    def run(self, work, profile="", **options):
        """Return what `await work(client)` returns, over HTTP."""

        async def main():
            headers = {"Authorization": f"Bearer {self.token}"}
            url = f"{self.url}/{profile}" if profile else self.url
            async with httpx2.AsyncClient(headers=headers, timeout=LONG, verify=NO_TLS) as carrier:
                return await self._talk(
                    streamable_http_client(url, http_client=carrier), options, work
                )

        return anyio.run(main)

    def run_stdio(self, work, *arguments, **options):
        """Return what `await work(client)` returns, over the streams of `manage.py mcp`."""
        command, *first = python()
        process = StdioServerParameters(
            command=command,
            args=[*first, "manage.py", "mcp", "--agent", "Clerk", *arguments],
            env=process_environment(),
            cwd=BASE_DIR,
        )

        async def main():
            return await self._talk(process, options, work)

        return anyio.run(main)

    def call(self, name, arguments=None, profile="", meta=None, **options):
        """Call a tool and return its result."""

        async def work(client):
            return await client.call_tool(name, arguments or {}, meta=meta)

        return self.run(work, profile, **options)

    async def _talk(self, server, options, work):
        mode = self.revision if self.revision == STATELESS else "legacy"
        refused = None
        async with Client(server, mode=mode, cache=None, **options) as client:
            assert client.protocol_version == self.revision
            try:
                return await work(client)
            except MCPError as error:
                # Raised outside: what leaves the client becomes one of a group.
                refused = error
        raise refused


@pytest.fixture(params=REVISIONS)
def revision(request):
    return request.param


@pytest.fixture
def mcp(port, token, revision, monkeypatch):
    """A client of each revision in turn."""
    if revision != STATELESS:
        # The SDK's client offers the newest; an older one offers its own.
        monkeypatch.setattr("mcp.client.session.LATEST_HANDSHAKE_VERSION", revision)
    return Mcp(port, token, revision)


class Raw:
    """Posts anything, and returns the status, the headers and the JSON of the answer."""

    def __init__(self, port, token):
        self.port = port
        self.token = token

    def post(self, body, path="/mcp", method="POST", **headers):
        text = body if isinstance(body, str | bytes) else json.dumps(body)
        given = {
            "Host": f"127.0.0.1:{self.port}",
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-11-25",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        given = {name: value for name, value in given.items() if value is not None}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONG)
        connection.request(method, path, body=text, headers=given)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, answer.headers, json.loads(content) if content else None

    def ask(self, method, params=None, **options):
        """Send a request; return the whole answer."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
        return self.post(message, **options)

    def ask_stateless(self, method, params=None, capabilities=None, **options):
        """Send a request of 2026-07-28; return the whole answer."""
        meta = {
            "io.modelcontextprotocol/protocolVersion": STATELESS,
            "io.modelcontextprotocol/clientCapabilities": capabilities or {},
        }
        params = {**(params or {}), "_meta": meta}
        named = params.get("name", params.get("uri"))
        return self.ask(
            method, params, MCP_Protocol_Version=STATELESS, Mcp_Method=method, Mcp_Name=named,
            **options,
        )  # fmt: skip


@pytest.fixture
def raw(port, token) -> Raw:
    return Raw(port, token)
