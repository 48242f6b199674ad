"""Every page that links lead to: a few of each kind, each looked at in the browser."""

import json
import os
import subprocess
import sys
import urllib.request
from collections import Counter, deque
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urlsplit

from axe_playwright_python.sync_playwright import Axe
from django.urls import Resolver404, resolve

from tests.browser.conftest import Desk

ROOT = Path(__file__).resolve().parent.parent.parent
# So many pages of a kind are looked at, and so many of one with a query of its own.
OF_A_KIND = 2
WITH_A_QUERY = 3
# Style sheets are not fetched by a script, which our own policy would refuse.
_AXE_SCRIPT = Axe().axe_script
_AXE = {"resultTypes": ["violations"], "preload": False}
_LINKS = "links => links.filter(one => !one.hasAttribute('download')).map(one => one.href)"


def let_agent_work(url: str, token: str) -> None:
    """Have the scripted agent read the mail and propose its replies."""
    subprocess.run(
        [sys.executable, "examples/demo_agent.py", "--url", url], cwd=ROOT, check=True,
        stdout=subprocess.DEVNULL, env={**os.environ, "CHANCERY_TOKEN": token},
    )  # fmt: skip


def let_agent_note(url: str, token: str, agent: str) -> None:
    """Have an agent save a memory, share a value, and plan something."""
    later = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    for tool, arguments in (
        ("internal_memory_service", {"action": "save", "content": "Ada asks for lamps in May."}),
        ("push_context", {"agent_name": agent, "key": "lamps", "value": {"in_stock": 3}}),
        ("internal_scheduler_service", {
            "action": "create", "command": "Look for an answer of Ada", "trigger_at": later,
        }),
    ):  # fmt: skip
        asked = urllib.request.Request(
            f"{url}/api/tools/{tool}", json.dumps(arguments).encode(),
            {"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
        )  # fmt: skip
        with urllib.request.urlopen(asked) as answer:
            assert answer.status == 200


def crawl(desk: Desk, *starts: str) -> Iterator[str]:
    """Open these pages and those that links lead to; yield each address while it is open."""
    waiting = deque(desk.url + start for start in starts)
    known = set(waiting)
    seen: Counter[str] = Counter()
    while waiting:
        url = waiting.popleft()
        kind = kind_of(url)
        if kind is None or seen[kind] >= (WITH_A_QUERY if "?" in kind else OF_A_KIND):
            continue
        seen[kind] += 1
        desk.page.goto(url)
        yield url.removeprefix(desk.url)
        for link in desk.page.eval_on_selector_all("a[href]", _LINKS):
            place = urldefrag(link).url
            if place.startswith(desk.url) and place not in known:
                known.add(place)
                waiting.append(place)


def kind_of(url: str) -> str | None:
    """Return what answers at an address, marked where it has a query; None for no page of ours."""
    parts = urlsplit(url)
    if not parts.path.startswith("/admin/"):
        return None
    try:
        found = resolve(parts.path)
    except Resolver404:
        return None
    return f"{found.view_name}{'?' if parts.query else ''}"


def find_barriers(page: Any, *, rules: tuple[str, ...] = ()) -> list[str]:
    """Return all that axe-core finds, by these rules alone if some are named: each at its first place."""
    only = {"runOnly": {"type": "rule", "values": list(rules)}} if rules else {}
    page.evaluate(f"window.axe || (() => {{ {_AXE_SCRIPT} }})()")
    found = page.evaluate("options => axe.run(document, options)", _AXE | only)
    return [
        f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:300]}"
        for one in found["violations"]
    ]
