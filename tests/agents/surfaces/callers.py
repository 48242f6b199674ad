"""Four ways to make the same call: REST, MCP over HTTP and stdio, and a model's function call."""

import itertools
import json
import os
import threading
import urllib.error
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from anthropic.types import ToolUseBlock
from django.db import connections
from openai.types.chat import ChatCompletionMessageFunctionToolCall

from agents.surfaces.mcp.profiles import PROFILES
from agents.surfaces.mcp.transports import stdio
from agents.surfaces.mcp.transports.lines import Opened

# In this revision a request stands by itself; the others are tested by their own.
REVISION = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientCapabilities": {},
}


@dataclass
class Said:
    """What a call came to: its JSON, and whether that is an error."""

    body: Any
    is_error: bool


class Rest:
    """`POST /api/tools/{name}` with the arguments as the body."""

    name = "REST"

    def __init__(self, port, world, token):
        self.port, self.world, self.token = port, world, token

    def call(self, name, arguments, profile):
        return self.post(name, json.dumps(arguments))

    def post(self, name, text):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/tools/{name}",
            data=text.encode(),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return Said(with_approval(json.load(answer), answer.headers), is_error=False)
        except urllib.error.HTTPError as error:
            return Said(json.load(error), is_error=True)

    def close(self):
        """Nothing is open."""


def with_approval(body, headers):
    """What stands in headers over REST stands in the answer over MCP."""
    if "Chancery-Approval" not in headers:
        return body
    page = headers["Link"].partition(">")[0].removeprefix("<")
    named = {"approval_id": headers["Chancery-Approval"], "review_url": page, **body}
    return {**named, "next": _next(named)}


def _next(named):
    ask = f'get_approval with {{"approval_id": "{named["approval_id"]}"}} tells what became of it.'
    return f"Do not send it again: a person decides at {named['review_url']}. {ask}"


class FunctionCall(Rest):
    """A model's call as OpenAI's and Anthropic's clients hand it over, in turn."""

    name = "function calling"

    def __init__(self, *args):
        super().__init__(*args)
        self.turns = itertools.cycle([as_openai, as_anthropic])

    def call(self, name, arguments, profile):
        return self.post(*next(self.turns)(name, arguments))


def as_openai(name, arguments):
    """A name, and the arguments in JSON."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    asked = ChatCompletionMessageFunctionToolCall.model_validate(
        {"id": "call_1", "type": "function", "function": function}
    )
    return f"{asked.function.name}?format=openai", asked.function.arguments


def as_anthropic(name, arguments):
    """A name, and the arguments as an object."""
    block = {"type": "tool_use", "id": "toolu_1", "name": name, "input": arguments}
    asked = ToolUseBlock.model_validate(block)
    return f"{asked.name}?format=anthropic", json.dumps(asked.input, ensure_ascii=False)


class McpHttp(Rest):
    """`tools/call` over streamable HTTP."""

    name = "MCP over HTTP"

    def call(self, name, arguments, profile):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/mcp/{profile}",
            data=json.dumps(tool_call(1, name, arguments)).encode(),
            headers={
                "Authorization": f"Bearer {self.token}", "Content-Type": "application/json",
                "Accept": "application/json, text/event-stream",
                "MCP-Protocol-Version": REVISION, "Mcp-Method": "tools/call", "Mcp-Name": name,
            },
        )  # fmt: skip
        with urllib.request.urlopen(request, timeout=60) as answer:
            return read_result(json.load(answer))


class McpStdio:
    """`tools/call` a line at a time, through pipes."""

    name = "MCP over stdio"

    def __init__(self, port, world, token):
        self.world = world
        self.open: dict[str, Any] = {}

    def call(self, name, arguments, profile):
        if profile not in self.open:
            opened = _pipes(self.world.agents[0], PROFILES[profile])
            self.open[profile] = (opened, opened.__enter__())
        ask = self.open[profile][1]
        return read_result(ask(tool_call(1, name, arguments)))

    def close(self):
        for opened, _ in self.open.values():
            opened.__exit__(None, None, None)


def tool_call(number, name, arguments):
    params = {"name": name, "arguments": arguments, "_meta": META}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def read_result(answer):
    """Read the text that a model would; what is structured has to say the same, of an answer."""
    assert "result" in answer, answer
    result = answer["result"]
    body = json.loads(result["content"][0]["text"])
    is_error = bool(result.get("isError"))
    structured = body
    if is_error:
        waits = result.get("_meta", {}).get("chancery/approval")
        structured = waits and body | {name: waits[name] for name in ("approval_id", "review_url")}
        structured = structured and {**structured, "next": _next(structured)}
    assert result.get("structuredContent") == structured
    return Said(body, is_error=is_error)


@contextmanager
def _pipes(agent, profile):
    """Serve the agent as `manage.py mcp` does, in a thread; yields what asks it."""
    (to_read, to_write), (from_read, from_write) = os.pipe(), os.pipe()
    source, wire = os.fdopen(to_read, "rb"), os.fdopen(from_write, "wb", buffering=0)

    def run():
        # Whatever ends it, whoever waits for an answer reads the end.
        with source, wire:
            stdio.serve(agent, profile.name, Opened(source, wire, lines=[], answered=[]))
        connections.close_all()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    with os.fdopen(to_write, "wb", buffering=0) as asking, os.fdopen(from_read, "rb") as answers:

        def ask(message):
            asking.write(json.dumps(message).encode() + b"\n")
            return json.loads(answers.readline())

        yield ask
        asking.close()
        thread.join(timeout=30)


EVERY = (Rest, FunctionCall, McpHttp, McpStdio)
