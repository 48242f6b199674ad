"""An agent in Anthropic's Messages form, with Chancery's tools.

    pip install anthropic
    CHANCERY_TOKEN=chy_… python3 examples/anthropic_loop.py

Without more it talks to a scripted stand-in, so that it runs without a key. With a model:

    export ANTHROPIC_API_KEY=…
    python3 examples/anthropic_loop.py --model-url https://api.anthropic.com --task "…"
"""

import json
import os
import sys
from typing import Any

from anthropic import Anthropic
from chancery_api import Chancery, read_options, say, short
from stand_in import answer_the_newest, serve

MOST_TURNS = 20


def run(client: Anthropic, model: str, chancery: Chancery, task: str) -> str:
    """Let the model call tools until it has said its last word; return that."""
    tools: Any = chancery.tools("anthropic")
    messages: list[Any] = [{"role": "user", "content": task}]
    for _ in range(MOST_TURNS):
        response = client.messages.create(
            model=model, max_tokens=4096, messages=messages, tools=tools
        )
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return "".join(block.text for block in response.content if block.type == "text")
        results = [call(chancery, block) for block in response.content if block.type == "tool_use"]
        messages.append({"role": "user", "content": results})
    return "It took too many turns."


def call(chancery: Chancery, block: Any) -> dict[str, Any]:
    """Call the tool that the model asked for; return the block that tells it the answer."""
    arguments = json.dumps(block.input, ensure_ascii=False)
    answer = chancery.call(block.name, arguments, key=block.id, form="anthropic")
    say(f"   {block.name} {short(arguments)}")
    say(f"     {'refused' if answer.is_error else 'answered'}: {short(answer.text)}")
    return {
        "type": "tool_result", "tool_use_id": block.id, "content": answer.text,
        "is_error": answer.is_error,
    }  # fmt: skip


def main() -> int:
    """Run the loop with a model, or with the stand-in."""
    parser = read_options("An agent in Anthropic's form.")
    parser.add_argument("--model-url", default=os.environ.get("ANTHROPIC_BASE_URL", ""))
    parser.add_argument("--model", default="claude-sonnet-4-5")
    parser.add_argument("--task", default="Propose a reply to the newest mail.")
    given = parser.parse_args()
    if not given.token:
        parser.error("give the agent's token, as --token or in CHANCERY_TOKEN")
    chancery = Chancery(given.url, given.token)
    if given.model_url:
        client = Anthropic(base_url=given.model_url)
        say(run(client, given.model, chancery, given.task))
        return 0
    with serve(answer_the_newest) as url:
        client = Anthropic(base_url=url, api_key="stand-in")
        say(run(client, "stand-in", chancery, given.task))
    return 0


if __name__ == "__main__":
    sys.exit(main())
