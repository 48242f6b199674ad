"""AutoGen.

pip install autogen-agentchat "autogen-ext[openai,mcp]" "mcp<2"

It is of the SDK's first version.
"""

import sys

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient
from autogen_ext.tools.mcp import McpWorkbench, StreamableHttpServerParams
from setting import MOST_TURNS, Setting, main

ABLE = {
    "function_calling": True, "json_output": False, "structured_output": False, "vision": False,
    "family": "unknown",
}  # fmt: skip


async def run(given: Setting) -> str:
    """Let the agent work; return the model's last words."""
    model = OpenAIChatCompletionClient(
        model=given.model, base_url=f"{given.model_url}/v1", api_key=given.model_key,
        model_info=ABLE,
    )  # fmt: skip
    where = StreamableHttpServerParams(url=given.mcp_url, headers=given.headers, timeout=60)
    async with McpWorkbench(where) as chancery:
        agent = AssistantAgent("clerk", model, workbench=chancery, max_tool_iterations=MOST_TURNS)
        result = await agent.run(task=given.task)
    return str(result.messages[-1].content)


if __name__ == "__main__":
    sys.exit(main(run))
