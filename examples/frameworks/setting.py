"""What each of these examples is told: where Chancery is, as whom, and which model answers.

    export CHANCERY_TOKEN=chy_…
    python3 examples/frameworks/pydantic_ai_agent.py

Without more they talk to a scripted stand-in for a model, so that they run without a key; with
`--model-url` and `--model` to any model that speaks Chat Completions (Gemini's for `google_adk`).
"""

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parent.parent))

from chancery_api import read_options, say
from stand_in import answer_the_newest, serve

MOST_TURNS = 20


@dataclass(frozen=True)
class Setting:
    """Where Chancery is, as whom one comes, and the model."""

    url: str
    token: str
    profile: str
    model_url: str
    model_key: str
    model: str
    task: str

    @property
    def mcp_url(self) -> str:
        """The address of the profile's tools."""
        return f"{self.url.rstrip('/')}/mcp/{self.profile}"

    @property
    def headers(self) -> dict[str, str]:
        """What goes with each request to Chancery."""
        return {"Authorization": f"Bearer {self.token}"}


def main(run: Callable[[Setting], Coroutine[Any, Any, str] | str]) -> int:
    """Run an example once for each profile, and print the model's last words."""
    parser = read_options("An agent with Chancery's tools.")
    parser.add_argument("--profile", action="append", help="unified, mail, …; several: one by one")
    parser.add_argument("--model-url", default="")
    parser.add_argument("--model", default="stand-in")
    parser.add_argument("--task", default="Propose a reply to the newest mail.")
    given = parser.parse_args()
    if not given.token:
        parser.error("give the agent's token, as --token or in CHANCERY_TOKEN")
    key = os.environ.get("MODEL_KEY", "none")
    with nullcontext(given.model_url) if given.model_url else serve(answer_the_newest) as model_url:
        for profile in given.profile or ["unified"]:
            setting = Setting(
                given.url, given.token, profile, model_url, key, given.model, given.task
            )
            said = run(setting)
            say(said if isinstance(said, str) else asyncio.run(said))
    return 0
