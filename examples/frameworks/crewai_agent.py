"""CrewAI.

    pip install crewai "crewai-tools[mcp]"

Not by `mcps` of the agent, which on Python 3.11 ends each call with an error of its own.
"""

import sys

from crewai import LLM, Agent
from crewai_tools import MCPServerAdapter
from setting import MOST_TURNS, Setting, main


def run(given: Setting) -> str:
    """Let the agent work; return the model's last words."""
    model = LLM(
        model=f"openai/{given.model}", base_url=f"{given.model_url}/v1", api_key=given.model_key
    )
    where = {"url": given.mcp_url, "headers": given.headers, "transport": "streamable-http"}
    with MCPServerAdapter(where) as tools:
        agent = Agent(
            role="Clerk", goal="Answer the mail", backstory="You work in an office.",
            llm=model, tools=list(tools), max_iter=MOST_TURNS,
        )  # fmt: skip
        return str(agent.kickoff(given.task).raw)


if __name__ == "__main__":
    sys.exit(main(run))
