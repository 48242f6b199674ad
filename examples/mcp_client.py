"""An MCP client that works through Chancery's tools with a scripted stand-in for the model.

    pip install mcp
    CHANCERY_TOKEN=chy_… python3 examples/mcp_client.py

It connects over HTTP; with --agent NAME it starts `manage.py mcp` instead and speaks over the
streams of that process. What is held waits for a person: the client is asked to open the page
where it is decided, and prints its address (--browser opens it). Whatever the client answers, only
that page decides.
"""

import asyncio
import json
import os
import sys
import webbrowser
from pathlib import Path
from typing import Any

import httpx2
from chancery_api import read_options, say, short
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitRequestFormParams, ElicitRequestURLParams, ElicitResult, TextContent
from stand_in import Script, answer_the_newest, next_turn

MOST_TURNS = 20
KEY = "chancery/idempotency-key"
ROOT = Path(__file__).resolve().parent.parent


class Person:
    """Who sits at the client: is shown the page of an approval, and may open it."""

    def __init__(self, *, opens: bool) -> None:
        self._opens = opens

    async def __call__(
        self, _: Any, asked: ElicitRequestURLParams | ElicitRequestFormParams
    ) -> ElicitResult:
        """Show the page; a form is none of what Chancery asks for."""
        if not isinstance(asked, ElicitRequestURLParams):
            return ElicitResult(action="decline")
        say(f"   a person is asked: {asked.message}")
        say(f"     {asked.url}")
        if self._opens:
            webbrowser.open(asked.url)
        return ElicitResult(action="accept")


async def run(client: Client, script: Script, run_id: str) -> str:
    """Let the script call tools until it has said its last word; return that."""
    listed = {tool.name for tool in (await client.list_tools()).tools}
    say(f"Speaking {client.protocol_version} with {', '.join(sorted(listed))}")
    results: list[Any] = []
    for turn in range(MOST_TURNS):
        wanted = next_turn(script, results)
        if isinstance(wanted, str):
            return wanted
        # The same key again has the effect once, so that a run that broke off can be repeated.
        meta: Any = {KEY: f"{run_id}-{turn}"}
        result = await client.call_tool(wanted.name, wanted.arguments, meta=meta)
        first = result.content[0]
        text = first.text if isinstance(first, TextContent) else "null"
        say(f"   {wanted.name} {short(json.dumps(wanted.arguments))}")
        say(f"     {'refused' if result.is_error else 'answered'}: {short(text)}")
        results.append(json.loads(text))
    return "It took too many turns."


async def talk(given: Any) -> str:
    """Connect as the options say, and run the script."""
    person = Person(opens=given.browser)
    if given.agent:
        process = StdioServerParameters(
            command=sys.executable,
            args=[str(ROOT / "manage.py"), "mcp", "--agent", given.agent],
            # Else it would know nothing of a data folder or database that is not the usual one.
            env=dict(os.environ),
        )
        async with Client(process, elicitation_callback=person) as client:
            return await run(client, answer_the_newest, given.run)
    headers = {"Authorization": f"Bearer {given.token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as carrier:
        transport = streamable_http_client(f"{given.url.rstrip('/')}/mcp", http_client=carrier)
        async with Client(transport, elicitation_callback=person) as client:
            return await run(client, answer_the_newest, given.run)


def main() -> int:
    """Run the client with the stand-in."""
    parser = read_options("An MCP client.")
    parser.add_argument("--agent", default="", help="over stdio, as this agent, without a token")
    parser.add_argument("--browser", action="store_true", help="open the page of an approval")
    parser.add_argument("--run", default="mcp-example", help="names this run in idempotency keys")
    given = parser.parse_args()
    if not given.token and not given.agent:
        parser.error("give the agent's token, as --token or in CHANCERY_TOKEN, or --agent NAME")
    say(asyncio.run(talk(given)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
