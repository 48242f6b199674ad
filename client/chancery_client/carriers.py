"""How calls are carried: by a client of httpx, one that waits and one that is awaited."""

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import httpx

from chancery_client import wire


class Carrier:
    """Carries calls, and sends one again where the line broke."""

    def __init__(self, http: httpx.Client, retries: int) -> None:
        self._http = http
        self._retries = retries

    def read(self, tool: str, given: Mapping[str, Any]) -> Any:
        """Call what changes nothing."""
        return wire.read_answer(tool, self._send(wire.ask(tool, given)))

    def change(self, tool: str, given: Mapping[str, Any], key: str | None) -> Any:
        """Call what changes something, once."""
        return wire.read_answer(tool, self._send(wire.ask(tool, given, key or wire.make_key())))

    def propose(self, tool: str, given: Mapping[str, Any], key: str | None) -> Any:
        """Call what a person may have to decide on, once."""
        return wire.read_proposal(tool, self._send(wire.ask(tool, given, key or wire.make_key())))

    def get(self, path: str, query: Mapping[str, str]) -> Any:
        """Read an address."""
        return wire.read_answer("", self._http.get(path, params=dict(query)))

    def _send(self, request: wire.Request) -> httpx.Response:
        for attempt in range(self._retries):
            response = None
            with suppress(httpx.TransportError):
                response = self._http.post(request.path, json=request.body, headers=request.headers)
            pause = wire.pause_before_retry(attempt, response)
            if response is not None and pause is None:
                return response
            time.sleep(pause or 0)
        return self._http.post(request.path, json=request.body, headers=request.headers)


class AsyncCarrier:
    """Carries calls, and sends one again where the line broke."""

    def __init__(self, http: httpx.AsyncClient, retries: int) -> None:
        self._http = http
        self._retries = retries

    async def read(self, tool: str, given: Mapping[str, Any]) -> Any:
        """Call what changes nothing."""
        return wire.read_answer(tool, await self._send(wire.ask(tool, given)))

    async def change(self, tool: str, given: Mapping[str, Any], key: str | None) -> Any:
        """Call what changes something, once."""
        request = wire.ask(tool, given, key or wire.make_key())
        return wire.read_answer(tool, await self._send(request))

    async def propose(self, tool: str, given: Mapping[str, Any], key: str | None) -> Any:
        """Call what a person may have to decide on, once."""
        request = wire.ask(tool, given, key or wire.make_key())
        return wire.read_proposal(tool, await self._send(request))

    async def get(self, path: str, query: Mapping[str, str]) -> Any:
        """Read an address."""
        return wire.read_answer("", await self._http.get(path, params=dict(query)))

    async def _send(self, request: wire.Request) -> httpx.Response:
        for attempt in range(self._retries):
            response = None
            with suppress(httpx.TransportError):
                response = await self._http.post(
                    request.path, json=request.body, headers=request.headers
                )
            pause = wire.pause_before_retry(attempt, response)
            if response is not None and pause is None:
                return response
            await asyncio.sleep(pause or 0)
        return await self._http.post(request.path, json=request.body, headers=request.headers)
