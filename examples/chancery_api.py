"""What the examples need of Chancery's API: its tools in a vendor's form, calls, and a person."""

import argparse
import json
import os
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from http.cookiejar import CookieJar
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


class Person:
    """Somebody signed in to Chancery, who may decide."""

    def __init__(self, url: str, username: str, password: str) -> None:
        self._url = url.rstrip("/")
        self._cookies = CookieJar()
        handler = urllib.request.HTTPCookieProcessor(self._cookies)
        self._opener = urllib.request.build_opener(handler)
        self._opener.open(f"{self._url}/admin/login/", timeout=30).close()
        form = {"username": username, "password": password, "csrfmiddlewaretoken": self._csrf}
        body = urllib.parse.urlencode({**form, "next": "/admin/"}).encode()
        self._opener.open(f"{self._url}/admin/login/", body, timeout=30).close()

    @property
    def _csrf(self) -> str:
        return next(one.value or "" for one in self._cookies if one.name == "csrftoken")

    def read_interrupt(self, approval_id: str) -> dict[str, Any]:
        """Return what is asked of a person, as a graph of LangGraph's would ask it."""
        address = f"{self._url}/api/v1/approvals/{approval_id}/interrupt"
        with self._opener.open(address, timeout=30) as shown:
            asked: dict[str, Any] = json.load(shown)
        return asked

    def answer(self, approval_id: str, answers: list[dict[str, Any]]) -> dict[str, Any]:
        """Answer the interrupt as it stands; returns the approval as it was decided."""
        address = f"{self._url}/api/v1/approvals/{approval_id}/interrupt"
        with self._opener.open(address, timeout=30) as shown:
            state = shown.headers["ETag"]
        headers = {
            "Content-Type": "application/json", "X-CSRFToken": self._csrf, "If-Match": state,
            "Referer": address,
        }  # fmt: skip
        body = json.dumps(answers).encode()
        request = urllib.request.Request(address, data=body, headers=headers)
        try:
            with self._opener.open(request, timeout=30) as response:
                decided: dict[str, Any] = json.load(response)
        except urllib.error.HTTPError as error:
            # It says what has changed meanwhile, or what the answer lacks.
            raise RuntimeError(error.read().decode()) from error
        return decided


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
