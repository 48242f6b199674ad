"""Pydantic AI.

pip install "pydantic-ai-slim[mcp,openai]"

What is refused goes to the model as a retry.
"""

import sys

from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from setting import Setting, main


async def run(given: Setting) -> str:
    """Let the agent work; return the model's last words."""
    provider = OpenAIProvider(base_url=f"{given.model_url}/v1", api_key=given.model_key)
    chancery = MCPToolset(given.mcp_url, headers=given.headers)
    agent = Agent(OpenAIChatModel(given.model, provider=provider), toolsets=[chancery])
    async with agent:
        result = await agent.run(given.task)
    return result.output


if __name__ == "__main__":
    sys.exit(main(run))
