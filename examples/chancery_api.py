"""What the examples need of Chancery's API: its tools in a vendor's form, and calls of them."""

import argparse
import json
import os
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Answer:
    """What a call answered, as JSON text for the model, and whether it was an error."""

    text: str
    is_error: bool

    @property
    def value(self) -> Any:
        """The answer, read."""
        return json.loads(self.text)


class Chancery:
    """The API, over HTTP, with an agent's token."""

    def __init__(self, url: str, token: str) -> None:
        self._url = url.rstrip("/")
        self._token = token

    def tools(self, form: str, profile: str = "unified") -> list[dict[str, Any]]:
        """Return the tools that the token may call, as `openai`, `anthropic` … take them."""
        query = urllib.parse.urlencode({"format": form, "profile": profile})
        listed: list[dict[str, Any]] = self.get(f"tools?{query}").value["tools"]
        return listed

    def call(self, tool: str, arguments: str, key: str, form: str = "openai") -> Answer:
        """Call a tool as the model asked, in its own words: what is wrong with them is told.

        `form` is that of the list which the model was given: so null says nothing.
        The same key again has the effect once, so that a loop that broke off can be run again.
        """
        headers = {"Content-Type": "application/json"}
        if key and '"idempotency_key"' not in arguments:
            headers["Idempotency-Key"] = key
        url = f"{self._url}/api/tools/{urllib.parse.quote(tool, safe='')}?format={form}"
        return self._ask(urllib.request.Request(url, data=arguments.encode(), headers=headers))

    def get(self, path: str) -> Answer:
        """Read an address below `/api/`."""
        return self._ask(urllib.request.Request(f"{self._url}/api/{path}"))

    def _ask(self, request: urllib.request.Request) -> Answer:
        request.add_header("Authorization", f"Bearer {self._token}")
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return Answer(response.read().decode(), is_error=False)
        except urllib.error.HTTPError as error:
            return Answer(error.read().decode(), is_error=True)


def read_options(description: str) -> argparse.ArgumentParser:
    """Return a parser with the options that every example has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--url", default=os.environ.get("CHANCERY_URL", "http://127.0.0.1:8000"))
    parser.add_argument("--token", default=os.environ.get("CHANCERY_TOKEN", ""))
    return parser


def say(text: str = "") -> None:
    """Print a line of the log."""
    print(text, flush=True)


def short(text: str, size: int = 100) -> str:
    """Return a text as one line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= size else f"{line[: size - 1]}…"
