"""Calls over MCP against an echo of the SDK, each on a server of its own of the same kind."""

import http.client
import json
import time

from agents.operations.agents import create_agent, known_scopes
from bench.in_process.tool_calls import CALLS, WARM_UP, serving
from bench.results import Result, hand_over, milliseconds, percentile
from inbox.models import Inbox

GOAL = 1.5
_ECHO = "bench.echo:app"
_REVISION = "2025-11-25"


def measure() -> list[Result]:
    """Call our tools and the echo in turn, over one kept connection each."""
    inbox = Inbox.objects.select_related("workspace").get()
    _, token = create_agent(
        workspace=inbox.workspace, name=f"Caller {time.time_ns()}", scopes=known_scopes(),
        inboxes=[inbox],
    )  # fmt: skip
    calls = {
        "get_current_time": ("/mcp/house", {"timezone": "Europe/Rome"}),
        "cache_get_stats": ("/mcp/individual", {}),
    }
    times: dict[str, list[float]] = {name: [] for name in calls}
    echoed: list[float] = []
    with serving() as ours, serving(_ECHO) as theirs:
        for turn in range(CALLS + WARM_UP):
            spent = {
                name: call(ours, path, name, arguments, token)
                for name, (path, arguments) in calls.items()
            }
            anchor = call(theirs, "/mcp", "echo", {"text": "hello"}, "")
            if turn >= WARM_UP:
                echoed.append(anchor)
                for name, seconds in spent.items():
                    times[name].append(seconds)
    return [compare(name, seconds, echoed) for name, seconds in times.items()]


def compare(name: str, ours: list[float], echoed: list[float]) -> Result:
    """Return the line of a tool: its median against that of the echo."""
    one, other = percentile(ours, 50), percentile(echoed, 50)
    return Result(
        name=f"MCP: {name}, p50",
        ours=milliseconds(one),
        anchor=f"echo of the SDK {milliseconds(other)}",
        ratio=f"{one / other:.2f}",
        goal=f"≤ {GOAL}",
        met=one / other <= GOAL,
    )


def call(
    connection: http.client.HTTPConnection,
    path: str,
    name: str,
    arguments: dict[str, object],
    token: str,
) -> float:
    """Call a tool and read the whole answer; return the seconds."""
    params = {"name": name, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {
        "Authorization": f"Bearer {token}", "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": _REVISION,
    }  # fmt: skip
    body = json.dumps(message).encode()
    start = time.perf_counter()
    connection.request("POST", path, body, headers)
    answer = connection.getresponse()
    content = answer.read()
    seconds = time.perf_counter() - start
    if answer.status != 200 or json.loads(content)["result"].get("isError"):
        raise SystemExit(f"{name} answered {answer.status}: {content[:300]!r}")
    return seconds


if __name__ == "__main__":
    hand_over(measure())
