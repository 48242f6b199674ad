"""Serve the demo from an empty folder, let its agent work, and take the pictures with Chromium."""

import json
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from os import environ
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent.parent
IMAGES = ROOT / "docs" / "images"
CHROMIUM = "/usr/bin/chromium"
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-sync", "--disable-background-networking", "--disable-component-update",
)  # fmt: skip
PATIENCE = 120
LARGEST = 300_000
# A message that reads well in a picture: one whose flags have something to show.
SUBJECT = "Invoice HH-20931"
MEETING = "Wheelhouse: the first two workshops"
# A name, the page, and words of the row on it that is opened; the first are those of deciding.
PAGES = (
    ("queue", "", ""),
    ("review", "?tab=waiting", SUBJECT),
    ("meeting", "?tab=waiting", MEETING),
    ("activity", "?tab=surfaced", "Refund"),
    ("thread", "inbox/thread/", "Moving to the new till"),
    ("agent", "agents/agent/", "Clerk"),
    ("oversight", "oversight/", ""),
    ("policy", "inbox/replypolicy/", " "),
    ("week", "calendar/?view=week", ""),
    ("todos", "todos/", ""),
    ("sessions", "me/sessions/", ""),
)
DECIDING = 4


@dataclass(frozen=True)
class View:
    """How the pages are looked at."""

    name: str
    scheme: Literal["light", "dark"]
    width: int = 1280
    height: int = 800


VIEWS = (View("light", "light"), View("dark", "dark"), View("phone", "light", 390, 844))


@dataclass(frozen=True)
class Served:
    """Where the demo is, and the keys that it showed."""

    url: str
    password: str
    token: str


def main() -> None:
    """Take every picture, light and dark, wide and narrow."""
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as var, serve_demo(Path(var)) as served:
        let_agent_work(served)
        propose_meeting(served)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
            for view in VIEWS:
                take(browser, served, view)
            browser.close()
    for picture in sorted(IMAGES.glob("*.png")):
        size = picture.stat().st_size
        print(f"{picture.relative_to(ROOT)}  {size // 1024} KB")  # noqa: T201
        if size > LARGEST:
            sys.exit(f"{picture.name} is larger than {LARGEST} bytes")


@contextmanager
def serve_demo(var: Path) -> Iterator[Served]:
    """Run `manage.py up --demo` with its data in `var`, and stop it in the end."""
    port = free_port()
    log = var / "up.log"
    command = [sys.executable, "manage.py", "up", "--demo", "--port", str(port)]
    with log.open("wb") as out:
        process = subprocess.Popen(  # noqa: S603
            command, cwd=ROOT, stdout=out, stderr=out, env={**environ, "CHANCERY_VAR": str(var)}
        )
    try:
        yield wait_for(log, port)
    finally:
        process.terminate()
        process.wait(30)


def wait_for(log: Path, port: int) -> Served:
    """Return what it shows once it serves; raises TimeoutError with its log."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        text = log.read_text()
        password, token = re.search(r"password\s+(\S+)", text), re.search(r"token\s+(\S+)", text)
        if password and token and "Chancery is at" in text:
            return Served(f"http://127.0.0.1:{port}", password[1], token[1])
        time.sleep(0.3)
    raise TimeoutError(log.read_text())


def let_agent_work(served: Served) -> None:
    """Have the scripted agent read the mail and propose its replies."""
    command = [sys.executable, "examples/demo_agent.py", "--url", served.url]
    subprocess.run(  # noqa: S603
        command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL,
        env={**environ, "CHANCERY_TOKEN": served.token},
    )  # fmt: skip


def propose_meeting(served: Served) -> None:
    """Have the agent invite to a meeting on the day of the demo's, half an hour into it."""
    [account] = call(served, "account_list", {})
    account_id = account["account_id"]
    # The other one may be over for today.
    since = f"{datetime.now(UTC):%Y-%m-%d}T00:00:00Z"
    listed = {"account_id": account_id, "days_ahead": 14, "start": since}
    events = call(served, "calendar_list_events", listed)
    other = next(one for one in events if one["subject"].startswith("Wheelhouse"))
    begins = datetime.fromisoformat(other["start"]["dateTime"])
    start = begins.replace(tzinfo=ZoneInfo(other["start"]["timeZone"])) + timedelta(minutes=30)
    call(served, "calendar_create_event", {
        "account_id": account_id, "subject": MEETING, "start": start.isoformat(),
        "end": (start + timedelta(minutes=45)).isoformat(), "timezone": "Europe/London",
        "location": "Video call", "attendees": ["priya@wheelhouse.example"],
        "body": "Which day each of the two moves, and who holds the phone.",
    })  # fmt: skip


def call(served: Served, tool: str, arguments: dict[str, Any]) -> Any:
    """Call a tool as the demo's agent and return its answer."""
    asked = urllib.request.Request(  # noqa: S310
        f"{served.url}/api/tools/{tool}", json.dumps(arguments).encode(),
        {"Authorization": f"Bearer {served.token}", "Content-Type": "application/json"},
    )  # fmt: skip
    with urllib.request.urlopen(asked) as answer:  # noqa: S310
        return json.load(answer)


def take(browser: Browser, served: Served, view: View) -> None:
    """Sign in and take the main pages; on a phone those on which people decide."""
    context = browser.new_context(
        color_scheme=view.scheme, locale="en-GB", timezone_id="Europe/London",
        viewport={"width": view.width, "height": view.height},
    )  # fmt: skip
    page = context.new_page()
    page.goto(f"{served.url}/admin/")
    page.get_by_label("User name").fill("reviewer")
    page.get_by_label("Password").fill(served.password)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{served.url}/admin/")
    if view is VIEWS[0]:
        decide_some(page, served)
    for name, place, row in PAGES if view.name != "phone" else PAGES[:DECIDING]:
        page.goto(f"{served.url}/admin/{place}")
        if row:
            open_row(page, row)
        picture(page, f"{name}-{view.name}")
    if view.name != "phone":
        write(page, served)
        picture(page, f"write-{view.name}")
        page.goto(f"{served.url}/admin/")
        page.keyboard.press("Control+k")
        page.keyboard.type("over")
        picture(page, f"palette-{view.name}")
    context.close()


def write(page: Page, served: Served) -> None:
    """Begin an answer beside the message that it answers."""
    page.goto(f"{served.url}/admin/inbox/thread/")
    open_row(page, "Moving to the new till")
    page.keyboard.press("a")
    page.wait_for_url("**/write/**")
    page.locator("textarea").first.fill(
        "Dear Gwen,\n\nSunday the 29th it is. We will call you about the card.\n\nKind regards"
    )


def decide_some(page: Page, served: Served) -> None:
    """Approve the first message without a flag, so that there is something to look back on."""
    page.goto(f"{served.url}/admin/?tab=waiting")
    page.locator("[data-item]:not(:has(.chip-flag)) [data-item-link]").first.click()
    page.wait_for_url("**/review/**")
    here = page.url
    page.keyboard.press("Shift+A")
    page.wait_for_url(lambda url: url != here)


def open_row(page: Page, words: str) -> None:
    """Open the row that holds these words, or the first."""
    rows = page.locator(
        "main a[data-item-link], #result_list tbody th a, #content a[data-item-link]"
    )
    wanted = rows.filter(has_text=words)
    (wanted if wanted.count() else rows).first.click()
    page.wait_for_load_state()


def picture(page: Page, name: str) -> None:
    """Write what is on the screen."""
    page.mouse.move(0, 0)
    page.screenshot(path=IMAGES / f"{name}.png")


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    main()
