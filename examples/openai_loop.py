"""An agent in OpenAI's Chat Completions form, with Chancery's tools.

    pip install openai
    CHANCERY_TOKEN=chy_… python3 examples/openai_loop.py

Without more it talks to a scripted stand-in, so that it runs without a key. With a model:

    export OPENAI_API_KEY=…
    python3 examples/openai_loop.py --model-url https://api.openai.com/v1 --task "…"
"""

import os
import sys
from typing import Any

from chancery_api import Chancery, read_options, say, short
from openai import OpenAI
from stand_in import answer_the_newest, serve

MOST_TURNS = 20


def run(client: OpenAI, model: str, chancery: Chancery, task: str) -> str:
    """Let the model call tools until it has said its last word; return that."""
    tools: Any = chancery.tools("openai")
    messages: list[Any] = [{"role": "user", "content": task}]
    for _ in range(MOST_TURNS):
        response = client.chat.completions.create(model=model, messages=messages, tools=tools)
        message = response.choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        if not message.tool_calls:
            return message.content or ""
        for call in message.tool_calls:
            if call.type != "function":
                continue
            # The arguments go as the model wrote them: what is wrong with them it is told.
            answer = chancery.call(call.function.name, call.function.arguments, key=call.id)
            say(f"   {call.function.name} {short(call.function.arguments)}")
            say(f"     {'refused' if answer.is_error else 'answered'}: {short(answer.text)}")
            messages.append({"role": "tool", "tool_call_id": call.id, "content": answer.text})
    return "It took too many turns."


def main() -> int:
    """Run the loop with a model, or with the stand-in."""
    parser = read_options("An agent in OpenAI's form.")
    parser.add_argument("--model-url", default=os.environ.get("OPENAI_BASE_URL", ""))
    parser.add_argument("--model", default="gpt-5-mini")
    parser.add_argument("--task", default="Propose a reply to the newest mail.")
    given = parser.parse_args()
    if not given.token:
        parser.error("give the agent's token, as --token or in CHANCERY_TOKEN")
    chancery = Chancery(given.url, given.token)
    if given.model_url:
        client = OpenAI(base_url=given.model_url)
        say(run(client, given.model, chancery, given.task))
        return 0
    with serve(answer_the_newest) as url:
        client = OpenAI(base_url=f"{url}/v1", api_key="stand-in")
        say(run(client, "stand-in", chancery, given.task))
    return 0


if __name__ == "__main__":
    sys.exit(main())
