"""OpenAI's Agents SDK.

pip install openai-agents

It is `mcp_servers` of the agent.
"""

import sys

from agents.mcp import MCPServerStreamableHttp
from openai import AsyncOpenAI
from setting import MOST_TURNS, Setting, main

from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled


async def run(given: Setting) -> str:
    """Let the agent work; return the model's last words."""
    set_tracing_disabled(disabled=True)
    client = AsyncOpenAI(base_url=f"{given.model_url}/v1", api_key=given.model_key)
    where = {"url": given.mcp_url, "headers": given.headers}
    # Five seconds, if nothing is said, is short for a call that reads a provider first.
    async with MCPServerStreamableHttp(where, client_session_timeout_seconds=60) as chancery:
        agent = Agent(
            name="Clerk",
            model=OpenAIChatCompletionsModel(given.model, client),
            mcp_servers=[chancery],
        )
        result = await Runner.run(agent, given.task, max_turns=MOST_TURNS)
    return str(result.final_output)


if __name__ == "__main__":
    sys.exit(main(run))
