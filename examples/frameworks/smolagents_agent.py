"""smolagents.

pip install "smolagents[mcp,openai]" "mcp<2"

Its adapter is of the SDK's first version.
"""

import sys

from setting import MOST_TURNS, Setting, main
from smolagents import LogLevel, MCPClient, OpenAIModel, ToolCallingAgent


def run(given: Setting) -> str:
    """Let the agent work; return the model's last words."""
    model = OpenAIModel(given.model, api_base=f"{given.model_url}/v1", api_key=given.model_key)
    where = {"url": given.mcp_url, "headers": given.headers, "transport": "streamable-http"}
    with MCPClient(where, structured_output=True) as tools:
        # Else every field counts as required; Chancery takes null for one that is left out.
        for field in (field for tool in tools for field in tool.inputs.values()):
            field["nullable"] = True
        agent = ToolCallingAgent(tools, model, verbosity_level=LogLevel.OFF)
        return str(agent.run(given.task, max_steps=MOST_TURNS))


if __name__ == "__main__":
    sys.exit(main(run))
