"""A stand-in for a server of language models: it answers by a script, on loopback.

It speaks OpenAI's chat completions and Anthropic's messages, and does what is ordered: no model is
behind it. What it was asked it keeps.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from django.test import override_settings

# What is said to a question: a text, an object that becomes JSON, or bytes of a whole HTTP answer.
Line = str | dict[str, Any] | bytes | Callable[["Asked"], str | dict[str, Any]]


@dataclass(frozen=True)
class Asked:
    """A question as it came."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def system(self) -> str:
        """The instructions."""
        if "anthropic-version" in self.headers:
            system = self.body["system"]
            return system if isinstance(system, str) else "".join(it["text"] for it in system)
        return "".join(it["content"] for it in self.body["messages"] if it["role"] == "system")

    @property
    def document(self) -> dict[str, Any]:
        """The data that it was asked about."""
        content = self.body["messages"][-1]["content"]
        text = content if isinstance(content, str) else "".join(it["text"] for it in content)
        found: dict[str, Any] = json.loads(text)
        return found

    @property
    def texts(self) -> dict[str, dict[str, str]]:
        """The texts of it, by their names."""
        return {it["name"]: it for it in self.document["texts"]}


@dataclass
class ModelMachine:
    """The server; `lines` are said one after the other, the last one again and again."""

    port: int
    lines: list[Line] = field(default_factory=lambda: ["{}"])
    asked: list[Asked] = field(default_factory=list)
    status: int = 200
    pause: float = 0.0
    usage: bool = True
    finish: str = "stop"
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def openai(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def anthropic(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def reset(self) -> None:
        """Be as new."""
        vars(self).update(vars(ModelMachine(self.port)))

    def says(self, *lines: Line) -> None:
        """Have it say these from now on."""
        self.lines = list(lines)

    def next_line(self, asked: Asked) -> str | bytes:
        """Return what is said now."""
        line = self.lines.pop(0) if len(self.lines) > 1 else self.lines[0]
        said = line(asked) if callable(line) else line
        return json.dumps(said) if isinstance(said, dict) else said


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    machine: ModelMachine

    def log_message(self, *args: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        """Answer a question."""
        machine = self.machine
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        asked = Asked(self.path, {k.lower(): v for k, v in self.headers.items()}, body)
        machine.asked.append(asked)
        said = machine.next_line(asked)
        self.close_connection = True
        with suppress(OSError):
            if isinstance(said, bytes):
                self._slowly(said, machine.pause)
                return
            time.sleep(machine.pause)
            shape = _anthropic if asked.path.endswith("/messages") else _openai
            answer = shape(said, machine) if machine.status == 200 else {"error": {"message": said}}
            content = json.dumps(answer).encode()
            self.send_response(machine.status)
            fields = {"Content-Type": "application/json", "Connection": "close", **machine.headers}
            for name, value in {**fields, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

    def _slowly(self, said: bytes, pause: float) -> None:
        for start in range(0, len(said), 64 if pause else len(said) or 1):
            self.wfile.write(said[start : start + 64] if pause else said)
            self.wfile.flush()
            time.sleep(pause)


def _openai(said: str, machine: ModelMachine) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "scripted",
        "choices": [{
            "index": 0, "finish_reason": machine.finish,
            "message": {"role": "assistant", "content": said},
        }],
    }  # fmt: skip
    if machine.usage:
        answer["usage"] = {"prompt_tokens": 700, "completion_tokens": 30, "total_tokens": 730}
    return answer


def _anthropic(said: str, machine: ModelMachine) -> dict[str, Any]:
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "scripted",
        "stop_reason": "max_tokens" if machine.finish == "length" else "end_turn",
        "stop_sequence": None, "content": [{"type": "text", "text": said}],
        "usage": {"input_tokens": 700, "output_tokens": 30},
    }  # fmt: skip


@contextmanager
def model_machine() -> Iterator[ModelMachine]:
    """Run one for as long as the block lasts."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    machine = ModelMachine(server.server_port)
    server.RequestHandlerClass = type("Handler", (_Handler,), {"machine": machine})
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield machine
    finally:
        server.shutdown()
        server.server_close()


def named_by_settings(machine: ModelMachine, kind: str = "openai", **settings: Any) -> Any:
    """Return settings that name the server and allow it, as an operator's would."""
    given = {
        "MODEL": f"{kind}:scripted", "MODEL_URL": getattr(machine, kind), "MODEL_KEY": "sk-secret",
        "MODEL_ALLOW": frozenset({"127.0.0.1"}), "MODEL_SECONDS": 30,
    }  # fmt: skip
    return override_settings(**{**given, **settings})
