"""Calls of an ASGI application, as a server would make them."""

import asyncio
from dataclasses import dataclass
from typing import Any


@dataclass
class Answered:
    """What the application sent."""

    status: int
    headers: dict[str, str]
    body: bytes


def ask(app: Any, path: str, *, client: str | None = "127.0.0.1", method="GET", **headers: str):
    """Return the answer to a request from that address; `x_name` is the header `x-name`."""
    return asyncio.run(answer_of(app, path, client=client, method=method, **headers))


async def answer_of(app, path, *, client: str | None = "127.0.0.1", method="GET", **headers: str):
    given = [(name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()]
    scope = {
        "type": "http", "method": method, "path": path, "headers": given, "query_string": b"",
        "client": (client, 5000) if client else None,
    }  # fmt: skip
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    found = {name.decode(): text.decode() for name, text in sent[0]["headers"]}
    return Answered(sent[0]["status"], found, b"".join(one.get("body", b"") for one in sent[1:]))
