"""Lines to copy for the usual clients, with this server's address and an agent's token in them."""

import json
import os
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from agents.models import Agent

# What stands in the place of a token that is not shown any more.
NO_TOKEN = "chy_…"  # noqa: S105
# What a process of its own needs to find the same data, where it was given to this one.
_ENVIRONMENT = ("CHANCERY_VAR", "CHANCERY_BASE_URL")


@dataclass(frozen=True, slots=True)
class Client:
    """A client: what it is called, where its lines go, and the lines."""

    key: str
    name: Any
    place: Any
    lines: str


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is reached, and as whom."""

    base: str
    token: str
    agent: Agent

    @property
    def mcp(self) -> str:
        """The address of MCP."""
        return f"{self.base}/mcp"

    @property
    def headers(self) -> dict[str, str]:
        """The header that says who calls."""
        return {"Authorization": f"Bearer {self.token}"}


def address_of(request: HttpRequest, agent: Agent, token: str = "") -> Address:
    """Return the address by which this request came, as proxies that are believed say it."""
    return Address(request.build_absolute_uri("/").rstrip("/"), token or NO_TOKEN, agent)


def ready_lines(address: Address) -> list[Client]:
    """Return the lines for each client, those with the least to do first."""
    terminal, python = _("Enter it in a terminal."), _("A Python program.")
    return [
        Client("claude-code", "Claude Code", terminal, _claude_code(address)),
        *_configured(address),
        Client("openai-agents", "OpenAI Agents SDK", python, _fill(_OPENAI_AGENTS, address)),
        Client("openai", _("OpenAI, by function calling"), python, _fill(_OPENAI, address)),
        Client(
            "anthropic", _("Anthropic, by function calling"), python, _fill(_ANTHROPIC, address)
        ),
        Client("langgraph", "LangGraph", python, _fill(_LANGGRAPH, address)),
        Client("curl", "curl", terminal, _curl(address)),
    ]


def _configured(address: Address) -> list[Client]:
    """Return those that are told by a file, or start a process of ours."""
    served: dict[str, Any] = {"url": address.mcp, "headers": address.headers}
    process = _process(address.agent)
    return [
        Client(
            "claude-desktop", "Claude Desktop",
            _("In claude_desktop_config.json on the machine of this server; it needs no token."),
            _json({"mcpServers": {"chancery": process}}),
        ),
        Client(
            "cursor", "Cursor", _("In ~/.cursor/mcp.json."),
            _json({"mcpServers": {"chancery": served}}),
        ),
        Client(
            "vscode", "VS Code", _("In .vscode/mcp.json of a folder."),
            _json({"servers": {"chancery": {"type": "http", **served}}}),
        ),
        Client(
            "stdio", _("Any client, as a process"),
            _("On the machine of this server; it needs no token."), _stdio(address.agent),
        ),
    ]  # fmt: skip


def _claude_code(address: Address) -> str:
    header = f"Authorization: Bearer {address.token}"
    return f'claude mcp add --transport http chancery {address.mcp} --header "{header}"'


def _curl(address: Address) -> str:
    return (
        f"curl {address.base}/api/tools/look_around \\\n"
        f'  -H "Authorization: Bearer {address.token}" \\\n'
        "  -H \"Content-Type: application/json\" -d '{}'"
    )


def _command(agent: Agent) -> list[str]:
    """Return the command that serves an agent over its streams, as this server is installed."""
    program = [sys.executable, str(settings.BASE_DIR / "manage.py")]
    if settings.IS_INSTALLED:
        program = [str(Path(sys.executable).with_name("chancery"))]
    return [*program, "mcp", "--agent", agent.name, "--workspace", agent.workspace.slug]


def _environment() -> dict[str, str]:
    given = {name: os.environ[name] for name in _ENVIRONMENT if os.environ.get(name)}
    # It may hold a password, which no page shows.
    return given | ({"DATABASE_URL": "…"} if os.environ.get("DATABASE_URL") else {})


def _process(agent: Agent) -> dict[str, Any]:
    first, *others = _command(agent)
    made: dict[str, Any] = {"command": first, "args": others}
    return made | ({"env": environment} if (environment := _environment()) else {})


def _stdio(agent: Agent) -> str:
    given = [f"{name}={shlex.quote(value)}" for name, value in _environment().items()]
    return " ".join([*given, shlex.join(_command(agent))])


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _fill(program: str, address: Address) -> str:
    """Return a program with the address, the token and the agent's name in it."""
    filled = program.strip()
    words = {"URL": address.base, "TOKEN": address.token, "NAME": address.agent.name}
    for word, value in words.items():
        filled = filled.replace(f"<{word}>", json.dumps(value, ensure_ascii=False)[1:-1])
    return filled


_OPENAI_AGENTS = """
import asyncio
from agents import Agent, Runner
from agents.mcp import MCPServerStreamableHttp

async def main():
    where = {"url": "<URL>/mcp", "headers": {"Authorization": "Bearer <TOKEN>"}}
    async with MCPServerStreamableHttp(name="chancery", params=where) as chancery:
        agent = Agent(name="<NAME>", instructions="Look around first.", mcp_servers=[chancery])
        print((await Runner.run(agent, "What came in today?")).final_output)

asyncio.run(main())
"""
_OPENAI = """
import requests
from openai import OpenAI

chancery = requests.Session()
chancery.headers["Authorization"] = "Bearer <TOKEN>"
tools = chancery.get("<URL>/api/tools?format=openai").json()["tools"]
model, messages = OpenAI(), [{"role": "user", "content": "What came in today?"}]
while True:
    said = model.chat.completions.create(model="gpt-5-mini", messages=messages, tools=tools)
    message = said.choices[0].message
    messages.append(message.model_dump(exclude_none=True))
    if not message.tool_calls:
        break
    for call in message.tool_calls:
        answer = chancery.post(
            f"<URL>/api/tools/{call.function.name}?format=openai",
            data=call.function.arguments.encode(),
            headers={"Content-Type": "application/json", "Idempotency-Key": call.id},
        )
        messages.append({"role": "tool", "tool_call_id": call.id, "content": answer.text})
print(message.content)
"""
_ANTHROPIC = """
import requests
from anthropic import Anthropic

chancery = requests.Session()
chancery.headers["Authorization"] = "Bearer <TOKEN>"
tools = chancery.get("<URL>/api/tools?format=anthropic").json()["tools"]
model, messages = Anthropic(), [{"role": "user", "content": "What came in today?"}]
while True:
    said = model.messages.create(
        model="claude-sonnet-4-5", max_tokens=4096, messages=messages, tools=tools
    )
    messages.append({"role": "assistant", "content": said.content})
    if said.stop_reason != "tool_use":
        break
    results = []
    for block in (block for block in said.content if block.type == "tool_use"):
        answer = chancery.post(
            f"<URL>/api/tools/{block.name}?format=anthropic",
            json=block.input, headers={"Idempotency-Key": block.id},
        )
        results.append({
            "type": "tool_result", "tool_use_id": block.id,
            "content": answer.text, "is_error": not answer.ok,
        })
    messages.append({"role": "user", "content": results})
print(said.content[0].text)
"""
_LANGGRAPH = """
import asyncio
from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient

async def main():
    chancery = {
        "transport": "streamable_http", "url": "<URL>/mcp",
        "headers": {"Authorization": "Bearer <TOKEN>"},
    }
    tools = await MultiServerMCPClient({"chancery": chancery}).get_tools()
    agent = create_agent("openai:gpt-5-mini", tools)
    print(await agent.ainvoke({"messages": "What came in today?"}))

asyncio.run(main())
"""
