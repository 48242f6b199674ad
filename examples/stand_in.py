"""A scripted stand-in for a model: it speaks as four vendors' models do, on a port of its own.

The script looks at the answers of the tools so far and says which tool to call next, as a model
would. The vendors' own clients cannot tell the difference: OpenAI's (Chat Completions), Anthropic's
(Messages), Google's (Gemini) and Amazon's (Converse). Frameworks wrap the answers of tools each in
their own way: like a model, the stand-in looks for what it can read.
"""

import ast
import json
import re
import threading
import uuid
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Call:
    """A tool that the stand-in wants called."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """What a model was handed: each tool's schema by its name, and the answers of tools so far."""

    tools: dict[str, dict[str, Any]]
    results: list[str]


Script: TypeAlias = Callable[[], Generator[Call, Any, str]]
Watch: TypeAlias = Callable[[Asked], None]
Form: TypeAlias = Callable[[Call | str, dict[str, Any]], dict[str, Any]]
_WRAPPERS = frozenset({"result", "error", "output", "content"})
_GEMINI_SCHEMAS = ("parametersJsonSchema", "parameters_json_schema", "parameters")
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
def serve(script: Script, watch: Watch = lambda _: None) -> Iterator[str]:
    """Serve the stand-in; yields its address. `watch` is shown whatever a model would be."""
    members = {"script": staticmethod(script), "watch": staticmethod(watch)}
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), members))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def find_name(name: str, tools: Iterable[str]) -> str:
    """Return the name by which a model was told of a tool: some frameworks put a prefix before."""
    named = (each for each in tools if each == name or each.endswith(f"_{name}"))
    return min(named, key=len, default=name)


def read_result(text: str) -> Any:
    """Return what an answer says, however it is wrapped; the text itself where that is no JSON.

    Wrapped: words before it, a list of content blocks, an object with one such field, or all of it
    as Python prints it.
    """
    printed = re.search(r"TextContent\(.*?text=('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")", text)
    if printed:
        return read_result(ast.literal_eval(printed[1]))
    start = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
    if start < 0:
        return text
    try:
        value = json.JSONDecoder().raw_decode(text[start:])[0]
    except ValueError:
        return _read_literal(text, start)
    return _unwrapped(value)


def _read_literal(text: str, start: int) -> Any:
    """Read what Python's `str` makes of an answer; else look further on in the text."""
    try:
        return _unwrapped(ast.literal_eval(text[start:].strip()))
    except (ValueError, SyntaxError):
        further = text[start + 1 :]
        return read_result(further) if "{" in further or "[" in further else text


def _unwrapped(value: Any) -> Any:
    if isinstance(value, list) and value and isinstance(value[0], dict) and "text" in value[0]:
        return read_result(value[0]["text"])
    if isinstance(value, list) and value and isinstance(value[0], str) and value[0][:1] in "{[":
        return read_result(value[0])
    if isinstance(value, dict) and len(value) == 1 and _WRAPPERS & value.keys():
        (inner,) = value.values()
        return read_result(inner) if isinstance(inner, str) else _unwrapped(inner)
    blocks = value.get("content") if isinstance(value, dict) else None
    if isinstance(blocks, list) and blocks and isinstance(blocks[0], dict) and "text" in blocks[0]:
        # All that MCP answers, as it came.
        return read_result(blocks[0]["text"])
    if isinstance(value, dict) and value.get("type") == "text" and "text" in value:
        return read_result(value["text"])
    return value


class _Handler(BaseHTTPRequestHandler):
    script: Script
    watch: Watch

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        path = self.path.partition("?")[0]
        if path.endswith("/chat/completions"):
            self._take_turn(_asked_for_completion(asked), _completion, asked)
        elif path.endswith("/messages"):
            self._take_turn(_asked_for_message(asked), _message, asked)
        elif path.endswith("/converse"):
            self._take_turn(_asked_for_converse(asked), _converse, asked)
        elif path.endswith(":generateContent"):
            self._take_turn(_asked_for_content(asked), _content, asked)
        else:
            self._answer(404, {"error": {"message": "no such address"}})

    def _take_turn(self, seen: Asked, form: Form, asked: dict[str, Any]) -> None:
        self.watch(seen)
        turn = next_turn(self.script, [read_result(one) for one in seen.results])
        if isinstance(turn, str) and "final_answer" in seen.tools:
            # Of smolagents: its models end by a call.
            turn = Call("final_answer", {"answer": turn})
        if isinstance(turn, Call):
            turn = Call(find_name(turn.name, seen.tools), turn.arguments)
        if isinstance(turn, Call) and turn.name not in seen.tools:
            message = f"there is no tool {turn.name}"
            self._answer(400, {"type": "error", "error": {"type": "invalid", "message": message}})
        elif asked.get("stream"):
            self._stream(form(turn, asked))
        else:
            self._answer(200, form(turn, asked))

    def _answer(self, status: int, body: dict[str, Any]) -> None:
        self._send(status, "application/json", json.dumps(body).encode())

    def _stream(self, whole: dict[str, Any]) -> None:
        """Send a completion as a stream of one piece (server-sent events)."""
        (choice,) = whole["choices"]
        calls = choice["message"].pop("tool_calls", [])
        numbered = [{"index": index, **call} for index, call in enumerate(calls)]
        delta = {**choice["message"], **({"tool_calls": numbered} if numbered else {})}
        piece = {
            **whole, "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": delta, "finish_reason": choice["finish_reason"]}],
        }  # fmt: skip
        lines = f"data: {json.dumps(piece)}\n\ndata: [DONE]\n\n"
        self._send(200, "text/event-stream", lines.encode())

    def _send(self, status: int, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


def _asked_for_completion(asked: dict[str, Any]) -> Asked:
    functions = [tool["function"] for tool in asked.get("tools", [])]
    results = []
    for one in asked["messages"]:
        text = _text(one.get("content"))
        if one["role"] == "tool" or text.startswith("Observation:"):
            results.append(text)
    return Asked({each["name"]: each.get("parameters", {}) for each in functions}, results)


def _asked_for_message(asked: dict[str, Any]) -> Asked:
    blocks = [
        block
        for one in asked["messages"]
        if one["role"] == "user" and isinstance(one["content"], list)
        for block in one["content"]
    ]
    results = [_text(one["content"]) for one in blocks if one["type"] == "tool_result"]
    return Asked({tool["name"]: tool["input_schema"] for tool in asked["tools"]}, results)


def _asked_for_content(asked: dict[str, Any]) -> Asked:
    declared = [
        each for tool in asked.get("tools", []) for each in tool.get("functionDeclarations", [])
    ]
    parts = [part for one in asked["contents"] for part in one["parts"]]
    results = [
        json.dumps(part["functionResponse"]["response"], ensure_ascii=False)
        for part in parts
        if "functionResponse" in part
    ]
    schemas = {
        each["name"]: next((each[key] for key in _GEMINI_SCHEMAS if key in each), {})
        for each in declared
    }
    return Asked(schemas, results)


def _asked_for_converse(asked: dict[str, Any]) -> Asked:
    specs = [tool["toolSpec"] for tool in asked["toolConfig"]["tools"]]
    blocks = [block for one in asked["messages"] for block in one["content"]]
    results = [_text(one["toolResult"]["content"]) for one in blocks if "toolResult" in one]
    return Asked({spec["name"]: spec["inputSchema"]["json"] for spec in specs}, results)


def _text(content: Any) -> str:
    """Return the content of a message as the text that a model reads."""
    if isinstance(content, list):
        return "\n".join(str(one.get("text", "")) for one in content)
    return content or ""


def _completion(turn: Call | str, asked: dict[str, Any]) -> dict[str, Any]:
    """Return a turn as an answer of Chat Completions."""
    message: dict[str, Any] = {"role": "assistant", "content": None}
    if isinstance(turn, str):
        message["content"] = turn
    else:
        function = {"name": turn.name, "arguments": json.dumps(turn.arguments)}
        message["tool_calls"] = [{"id": _id("call"), "type": "function", "function": function}]
    reason = "stop" if isinstance(turn, str) else "tool_calls"
    return {
        "id": _id("chatcmpl"), "object": "chat.completion", "created": 0, "model": asked["model"],
        "choices": [{"index": 0, "finish_reason": reason, "message": message}],
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    }  # fmt: skip


def _message(turn: Call | str, asked: dict[str, Any]) -> dict[str, Any]:
    """Return a turn as an answer of Messages."""
    content: dict[str, Any]
    if isinstance(turn, str):
        content = {"type": "text", "text": turn}
    else:
        content = {
            "type": "tool_use", "id": _id("toolu"), "name": turn.name, "input": turn.arguments,
        }  # fmt: skip
    return {
        "id": _id("msg"), "type": "message", "role": "assistant", "model": asked["model"],
        "content": [content], "stop_sequence": None,
        "stop_reason": "end_turn" if isinstance(turn, str) else "tool_use",
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }  # fmt: skip


def _content(turn: Call | str, _: dict[str, Any]) -> dict[str, Any]:
    """Return a turn as an answer of Gemini's generateContent."""
    part: dict[str, Any]
    if isinstance(turn, str):
        part = {"text": turn}
    else:
        part = {"functionCall": {"name": turn.name, "args": turn.arguments}}
    return {
        "candidates": [
            {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        ],
        "usageMetadata": {"promptTokenCount": 0, "totalTokenCount": 0},
    }


def _converse(turn: Call | str, _: dict[str, Any]) -> dict[str, Any]:
    """Return a turn as an answer of Bedrock's Converse."""
    block: dict[str, Any]
    if isinstance(turn, str):
        block = {"text": turn}
    else:
        use = {"toolUseId": _id("tooluse"), "name": turn.name, "input": turn.arguments}
        block = {"toolUse": use}
    return {
        "output": {"message": {"role": "assistant", "content": [block]}},
        "stopReason": "end_turn" if isinstance(turn, str) else "tool_use",
        "usage": {"inputTokens": 0, "outputTokens": 0, "totalTokens": 0},
        "metrics": {"latencyMs": 0},
    }


def _id(prefix: str) -> str:
    return f"{prefix}_{uuid.uuid4().hex}"
