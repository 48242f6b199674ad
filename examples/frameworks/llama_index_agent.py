"""LlamaIndex.

pip install llama-index-core llama-index-tools-mcp llama-index-llms-openai-like

It makes classes of the schemas, and sends null for what the model left out.
"""

import sys

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai_like import OpenAILike
from llama_index.tools.mcp import BasicMCPClient, McpToolSpec
from setting import Setting, main


async def run(given: Setting) -> str:
    """Let the agent work; return the model's last words."""
    model = OpenAILike(
        model=given.model, api_base=f"{given.model_url}/v1", api_key=given.model_key,
        is_chat_model=True, is_function_calling_model=True,
    )  # fmt: skip
    chancery = McpToolSpec(BasicMCPClient(given.mcp_url, headers=given.headers, timeout=60))
    agent = FunctionAgent(llm=model, tools=await chancery.to_tool_list_async())
    return str(await agent.run(given.task))


if __name__ == "__main__":
    sys.exit(main(run))
