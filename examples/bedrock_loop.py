"""An agent in the form of Amazon Bedrock's Converse, with Chancery's tools.

    pip install boto3
    CHANCERY_TOKEN=chy_… python3 examples/bedrock_loop.py

Without more it talks to a scripted stand-in, so that it runs without a key. With a model, and
credentials as boto3 finds them:

    python3 examples/bedrock_loop.py --model amazon.nova-lite-v1:0 --region eu-central-1 --task "…"
"""

import json
import sys
from typing import Any

import boto3
from chancery_api import Chancery, read_options, say, short
from stand_in import answer_the_newest, serve

MOST_TURNS = 20
STAND_IN = "stand-in"


def run(client: Any, model: str, chancery: Chancery, task: str) -> str:
    """Let the model call tools until it has said its last word; return that."""
    tools = {"tools": chancery.tools("bedrock")}
    messages: list[Any] = [{"role": "user", "content": [{"text": task}]}]
    for _ in range(MOST_TURNS):
        response = client.converse(modelId=model, messages=messages, toolConfig=tools)
        message = response["output"]["message"]
        messages.append(message)
        uses = [block["toolUse"] for block in message["content"] if "toolUse" in block]
        if not uses:
            return "\n".join(block.get("text", "") for block in message["content"])
        messages.append({"role": "user", "content": [answer(chancery, use) for use in uses]})
    return "It took too many turns."


def answer(chancery: Chancery, use: dict[str, Any]) -> dict[str, Any]:
    """Return what a tool answers, or why it refuses, as a block for the model."""
    arguments = json.dumps(use["input"])
    answered = chancery.call(use["name"], arguments, key=use["toolUseId"], form="bedrock")
    say(f"   {use['name']} {short(arguments)}")
    say(f"     {'refused' if answered.is_error else 'answered'}: {short(answered.text)}")
    status = "error" if answered.is_error else "success"
    content = [{"text": answered.text}]
    return {"toolResult": {"toolUseId": use["toolUseId"], "content": content, "status": status}}


def main() -> int:
    """Run the loop with a model, or with the stand-in."""
    parser = read_options("An agent in the form of Bedrock's Converse.")
    parser.add_argument("--model", default=STAND_IN)
    parser.add_argument("--region", default="us-east-1")
    parser.add_argument("--task", default="Propose a reply to the newest mail.")
    given = parser.parse_args()
    if not given.token:
        parser.error("give the agent's token, as --token or in CHANCERY_TOKEN")
    chancery = Chancery(given.url, given.token)
    if given.model != STAND_IN:
        client = boto3.client("bedrock-runtime", region_name=given.region)
        say(run(client, given.model, chancery, given.task))
        return 0
    with serve(answer_the_newest) as url:
        client = boto3.client(
            "bedrock-runtime", region_name=given.region, endpoint_url=url,
            aws_access_key_id=STAND_IN, aws_secret_access_key=STAND_IN,
        )  # fmt: skip
        say(run(client, STAND_IN, chancery, given.task))
    return 0


if __name__ == "__main__":
    sys.exit(main())
