"""A client of the API, and a server of it."""

import asyncio
import json
import socket
import threading

import pytest
import uvicorn

from agents.operations.agents import create_token, known_scopes
from project.asgi import application
from tests.factories import EVERY_SCOPE
from tests.own_sessions import sessions_closed
from tests.patience import LONG


class Api:
    """What a program does over HTTP."""

    def __init__(self, client, token):
        self.client = client
        self.token = token

    def headers(self, **headers):
        bearer = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        return {**bearer, **{name.replace("_", "-"): value for name, value in headers.items()}}

    def call(self, name, arguments=None, **headers):
        body = arguments if isinstance(arguments, str | bytes) else json.dumps(arguments or {})
        content_type = headers.pop("content_type", "application/json")
        return self.client.post(
            f"/api/tools/{name}", body, content_type=content_type, headers=self.headers(**headers)
        )

    def get(self, path, **headers):
        return self.client.get(f"/api/{path}", headers=self.headers(**headers))


@pytest.fixture
def token(agent):
    """The text of a token of Clerk's with every scope that there is a tool for."""
    return create_token(agent=agent, scopes=set(known_scopes()) & EVERY_SCOPE)[1]


@pytest.fixture
def api(client, token) -> Api:
    return Api(client, token)


@pytest.fixture(scope="module")
def port():
    """A real server on a free port of loopback."""
    # By the number of its protocol asyncio knows that it may send at once what is small.
    listening = socket.socket(proto=socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    config = uvicorn.Config(application, lifespan="off", log_config=None, ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(
        target=lambda: asyncio.run(server.serve(sockets=[listening])), daemon=True
    )
    with sessions_closed():
        thread.start()
        yield listening.getsockname()[1]
        server.should_exit = True
        thread.join(timeout=LONG)
