"""The published client at our server, and one that may say anything."""

import http.client
import json
import uuid

import anyio
import httpx
import pytest
from a2a.client import ClientConfig, create_client
from a2a.types import a2a_pb2 as pb
from google.protobuf.json_format import MessageToDict, ParseDict

from tests.agents.surfaces.mcp.conftest import NO_TLS
from tests.patience import LONG


class A2A:
    """The SDK's client, which finds out from the card where and how to speak to us."""

    def __init__(self, port, token):
        self.base = f"http://127.0.0.1:{port}"
        self.token = token

    def run(self, work):
        """Return what `await work(client)` returns."""

        async def main():
            headers = {"Authorization": f"Bearer {self.token}"}
            async with httpx.AsyncClient(headers=headers, timeout=LONG, verify=NO_TLS) as carrier:
                config = ClientConfig(httpx_client=carrier, streaming=False)
                client = await create_client(self.base, config)
                return await work(client)

        return anyio.run(main)

    def send(self, *parts, message_id=None, configuration=None, **fields):
        """Send a message; return the one answer, as JSON."""
        said = message(*parts, message_id=message_id, **fields)
        asked = {"message": said, "configuration": configuration or {}}

        async def work(client):
            request = ParseDict(asked, pb.SendMessageRequest())
            return [MessageToDict(one) async for one in client.send_message(request)]

        (answer,) = self.run(work)
        return answer

    def ask(self, name, request):
        """Call a method of the client; return its answer as JSON."""

        async def work(client):
            return MessageToDict(await getattr(client, name)(request))

        return self.run(work)

    def task(self, task_id, **fields):
        return self.ask("get_task", pb.GetTaskRequest(id=task_id, **fields))


def message(*parts, message_id=None, **fields):
    """A message as it is written: a dict with a skill is data, a text is text."""
    written = [{"text": one} if isinstance(one, str) else {"data": one} for one in parts]
    return {
        "messageId": message_id or str(uuid.uuid4()), "role": "ROLE_USER", "parts": written, **fields
    }  # fmt: skip


class RawA2A:
    """A client that may say anything."""

    def __init__(self, port, token):
        self.port = port
        self.token = token

    def post(self, body, *, path="/a2a", method="POST", **headers):
        """Return the status, the headers and the JSON of an answer."""
        given = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json",
                 "A2A-Version": "1.0"}  # fmt: skip
        given |= {name.replace("_", "-"): one for name, one in headers.items()}
        given = {name: one for name, one in given.items() if one is not None}
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONG)
        connection.request(method, path, content, given)
        answer = connection.getresponse()
        read = answer.read()
        connection.close()
        return answer.status, answer.headers, json.loads(read) if read else None

    def ask(self, method, params=None, **headers):
        """Return the answer to a request: its result, or its error."""
        request = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params or {}}
        status, _, body = self.post(request, **headers)
        assert (status, body["id"], body["jsonrpc"]) == (200, 7, "2.0")
        return body.get("result", body.get("error"))


@pytest.fixture
def a2a(port, token, settings):
    settings.BASE_URL = f"http://127.0.0.1:{port}"
    return A2A(port, token)


@pytest.fixture
def raw(port, token):
    return RawA2A(port, token)
