"""Google's Agent Development Kit.

pip install google-adk mcp

The model is Gemini, or the stand-in in its place.
"""

import sys

from google.adk.agents import LlmAgent
from google.adk.models import Gemini
from google.adk.runners import InMemoryRunner
from google.adk.tools.mcp_tool import McpToolset, StreamableHTTPConnectionParams
from google.genai import types
from setting import Setting, main


async def run(given: Setting) -> str:
    """Let the agent work; return the model's last words."""
    where = StreamableHTTPConnectionParams(url=given.mcp_url, headers=given.headers, timeout=60)
    model = Gemini(
        model=given.model, base_url=given.model_url, client_kwargs={"api_key": given.model_key}
    )
    agent = LlmAgent(name="clerk", model=model, tools=[McpToolset(connection_params=where)])
    said = ""
    async with InMemoryRunner(agent=agent, app_name="chancery") as runner:
        session = await runner.session_service.create_session(app_name="chancery", user_id="me")
        task = types.UserContent(parts=[types.Part(text=given.task)])
        events = runner.run_async(user_id="me", session_id=session.id, new_message=task)
        async for event in events:
            if event.is_final_response() and event.content and event.content.parts:
                said = event.content.parts[0].text or ""
    return said


if __name__ == "__main__":
    sys.exit(main(run))
