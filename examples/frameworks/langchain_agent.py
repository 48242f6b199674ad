"""LangChain's agent, which is a LangGraph graph.

pip install langchain langchain-mcp-adapters langchain-openai

Each call has a session of its own, which Chancery does not mind.
"""

import sys

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI
from setting import Setting, main


async def run(given: Setting) -> str:
    """Let the agent work; return the model's last words."""
    model = ChatOpenAI(model=given.model, base_url=f"{given.model_url}/v1", api_key=given.model_key)
    where = {"transport": "http", "url": given.mcp_url, "headers": given.headers}
    tools = await MultiServerMCPClient({"chancery": where}).get_tools()
    graph = create_agent(model, tools)
    state = await graph.ainvoke(
        {"messages": [{"role": "user", "content": given.task}]}, {"recursion_limit": 50}
    )
    return str(state["messages"][-1].content)


if __name__ == "__main__":
    sys.exit(main(run))
