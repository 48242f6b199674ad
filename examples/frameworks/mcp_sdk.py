"""The MCP SDK for Python with OpenAI's client.

pip install mcp openai

An agent of one's own needs no more than this.
"""

import json
import sys
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from openai import AsyncOpenAI
from setting import MOST_TURNS, Setting, main


async def run(given: Setting) -> str:
    """Let the model call tools until it has said its last word; return that."""
    model = AsyncOpenAI(base_url=f"{given.model_url}/v1", api_key=given.model_key)
    messages: list[Any] = [{"role": "user", "content": given.task}]
    async with httpx2.AsyncClient(headers=given.headers, timeout=60) as carrier:
        transport = streamable_http_client(given.mcp_url, http_client=carrier)
        async with Client(transport) as chancery:
            tools: Any = [as_function(tool) for tool in (await chancery.list_tools()).tools]
            for _ in range(MOST_TURNS):
                response = await model.chat.completions.create(
                    model=given.model, messages=messages, tools=tools
                )
                message = response.choices[0].message
                messages.append(message.model_dump(exclude_none=True))
                if not message.tool_calls:
                    return message.content or ""
                messages += [await answer(chancery, call) for call in message.tool_calls]
    return "It took too many turns."


def as_function(tool: Any) -> dict[str, Any]:
    """Return a tool as Chat Completions takes it."""
    function = {
        "name": tool.name, "description": tool.description, "parameters": tool.input_schema,
    }  # fmt: skip
    return {"type": "function", "function": function}


async def answer(chancery: Client, call: Any) -> dict[str, Any]:
    """Return what a tool answers or why it refuses, as a message for the model."""
    # The model's id of the call as the key: a loop that broke off does nothing twice.
    result = await chancery.call_tool(
        call.function.name,
        json.loads(call.function.arguments),
        meta={"chancery/idempotency-key": call.id},
    )
    text = "\n".join(part.text for part in result.content if part.type == "text")
    return {"role": "tool", "tool_call_id": call.id, "content": text}


if __name__ == "__main__":
    sys.exit(main(run))
