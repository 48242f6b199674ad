"""An agent in the form of Google's Gemini, with Chancery's tools.

    pip install google-genai
    CHANCERY_TOKEN=chy_… python3 examples/gemini_loop.py

Without more it talks to a scripted stand-in, so that it runs without a key. With a model:

    export GEMINI_API_KEY=…
    python3 examples/gemini_loop.py --model gemini-2.5-flash --task "…"
"""

import json
import sys
import uuid
from typing import Any

from chancery_api import Chancery, read_options, say, short
from google import genai
from google.genai import types
from stand_in import answer_the_newest, serve

MOST_TURNS = 20
STAND_IN = "stand-in"


def run(client: genai.Client, model: str, chancery: Chancery, task: str) -> str:
    """Let the model call tools until it has said its last word; return that."""
    config = types.GenerateContentConfig(tools=chancery.tools("gemini"))
    contents: list[Any] = [types.UserContent(parts=[types.Part(text=task)])]
    for _ in range(MOST_TURNS):
        response = client.models.generate_content(model=model, contents=contents, config=config)
        contents.append(response.candidates[0].content)
        if not response.function_calls:
            return response.text or ""
        parts = [answer(chancery, call) for call in response.function_calls]
        contents.append(types.UserContent(parts=parts))
    return "It took too many turns."


def answer(chancery: Chancery, call: types.FunctionCall) -> types.Part:
    """Return what a tool answers, or why it refuses, as a part for the model."""
    arguments = json.dumps(call.args)
    answered = chancery.call(call.name, arguments, call.id or uuid.uuid4().hex, form="gemini")
    say(f"   {call.name} {short(arguments)}")
    say(f"     {'refused' if answered.is_error else 'answered'}: {short(answered.text)}")
    told = {"error" if answered.is_error else "output": answered.value}
    return types.Part.from_function_response(name=call.name, response=told)


def main() -> int:
    """Run the loop with a model, or with the stand-in."""
    parser = read_options("An agent in Gemini's form.")
    parser.add_argument("--model", default=STAND_IN)
    parser.add_argument("--task", default="Propose a reply to the newest mail.")
    given = parser.parse_args()
    if not given.token:
        parser.error("give the agent's token, as --token or in CHANCERY_TOKEN")
    chancery = Chancery(given.url, given.token)
    if given.model != STAND_IN:
        say(run(genai.Client(), given.model, chancery, given.task))
        return 0
    with serve(answer_the_newest) as url:
        client = genai.Client(api_key=STAND_IN, http_options=types.HttpOptions(base_url=url))
        say(run(client, STAND_IN, chancery, given.task))
    return 0


if __name__ == "__main__":
    sys.exit(main())
