"""A scripted stand-in for a model: it speaks Chat Completions and Messages on a port of its own.

The script looks at the answers of the tools so far and says which tool to call next, as a model
would; the vendors' own clients cannot tell the difference.
"""

import json
import threading
import uuid
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Call:
    """A tool that the stand-in wants called."""

    name: str
    arguments: dict[str, Any]


Script: TypeAlias = Callable[[], Generator[Call, Any, str]]
REPLY = "Thank you for your mail. A colleague will answer by tomorrow noon."


def answer_the_newest() -> Generator[Call, Any, str]:
    """Look at the newest email of the first account and propose a reply to it."""
    accounts = yield Call("auth", {"resource": "list", "parameters": {}})
    account = accounts[0]["account_id"]
    emails = yield Call(
        "list",
        {"resource": "emails", "parameters": {"account_id": account, "limit": 3}},
    )
    if not emails:
        return "There is no mail."
    # A model forgets things, too: the answer names the field, and it tries again.
    refused = yield Call("get", {"resource": "email", "parameters": {"account_id": account}})
    named = refused["details"]["errors"][0]["pointer"].rpartition("/")[2]
    email = yield Call(
        "get",
        {"resource": "email", "parameters": {"account_id": account, named: emails[0]["id"]}},
    )
    sent = yield Call(
        "reply",
        {
            "resource": "email",
            "parameters": {
                "account_id": account, "email_id": email["id"], "body": REPLY, "confirm": True,
            },
        },
    )  # fmt: skip
    if "approval_id" not in sent:
        return f"The reply was refused: {sent['message']}"
    approval = yield Call("get_approval", {"approval_id": sent["approval_id"]})
    return (
        f"I proposed a reply to “{email['subject']}”. It is {approval['state']}: "
        f"a person decides at {sent['review_url']}"
    )


def next_turn(script: Script, results: list[Any]) -> Call | str:
    """Return what the script says after these answers of tools: a call, or its last words."""
    running = script()
    try:
        turn = next(running)
        for result in results:
            turn = running.send(result)
    except StopIteration as end:
        return str(end.value)
    return turn


@contextmanager
def serve(script: Script) -> Iterator[str]:
    """Serve the stand-in; yields its address."""
    handler = type("Handler", (_Handler,), {"script": staticmethod(script)})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    script: Script

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.endswith("/chat/completions"):
            self._answer(*_complete(self.script, asked))
        elif self.path.endswith("/messages"):
            self._answer(*_message(self.script, asked))
        else:
            self._answer(404, {"error": {"message": "no such address"}})

    def _answer(self, status: int, body: dict[str, Any]) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


def _complete(script: Script, asked: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Answer a request for Chat Completions."""
    results = [json.loads(one["content"]) for one in asked["messages"] if one["role"] == "tool"]
    turn = next_turn(script, results)
    known = {tool["function"]["name"] for tool in asked["tools"]}
    message: dict[str, Any] = {"role": "assistant", "content": None}
    if isinstance(turn, str):
        message["content"] = turn
    elif turn.name not in known:
        return 400, {"error": {"message": f"there is no tool {turn.name}"}}
    else:
        function = {"name": turn.name, "arguments": json.dumps(turn.arguments)}
        message["tool_calls"] = [{"id": _id("call"), "type": "function", "function": function}]
    reason = "stop" if isinstance(turn, str) else "tool_calls"
    return 200, {
        "id": _id("chatcmpl"), "object": "chat.completion", "created": 0, "model": asked["model"],
        "choices": [{"index": 0, "finish_reason": reason, "message": message}],
    }  # fmt: skip


def _message(script: Script, asked: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Answer a request for Messages."""
    blocks = [
        block
        for one in asked["messages"]
        if one["role"] == "user" and isinstance(one["content"], list)
        for block in one["content"]
    ]
    results = [json.loads(one["content"]) for one in blocks if one["type"] == "tool_result"]
    turn = next_turn(script, results)
    content: dict[str, Any]
    if isinstance(turn, str):
        content = {"type": "text", "text": turn}
    elif turn.name not in {tool["name"] for tool in asked["tools"]}:
        return 400, {"type": "error", "error": {"type": "invalid_request_error", "message": "tool"}}
    else:
        content = {
            "type": "tool_use", "id": _id("toolu"), "name": turn.name, "input": turn.arguments,
        }  # fmt: skip
    return 200, {
        "id": _id("msg"), "type": "message", "role": "assistant", "model": asked["model"],
        "content": [content], "stop_sequence": None,
        "stop_reason": "end_turn" if isinstance(turn, str) else "tool_use",
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }  # fmt: skip


def _id(prefix: str) -> str:
    return f"{prefix}_{uuid.uuid4().hex}"
