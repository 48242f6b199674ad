"""Chromium, driven by Playwright, against the pages as they are served; anything odd fails a test."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect, sync_playwright

from tests.patience import LONG
from tests.services import CHROMIUM_FLAGS, need_chromium, need_whole_chromium

expect.set_options(timeout=1000 * LONG)
REPORT = """
document.addEventListener("securitypolicyviolation", (event) => {
  console.error("CSP violation: " + event.violatedDirective + " " + event.blockedURI);
});
"""


@dataclass
class Desk:
    """A page with what went wrong on it, and the way to its addresses."""

    page: Page
    url: str
    complaints: list[str] = field(default_factory=list)
    expected: tuple[str, ...] = ()

    def open(self, place: str) -> None:
        self.page.goto(self.url + place)

    def press(self, key: str) -> None:
        """Press a key once the page's scripts listen, as a person does who looks first."""
        self.page.wait_for_load_state("load")
        self.page.keyboard.press(key)

    def sign_in(self, username: str, password: str = "sealing-wax") -> None:
        self.open("/admin/login/?next=/admin/")
        self.page.locator("[autocomplete=username]").fill(username)
        self.page.locator("[type=password]").fill(password)
        self.press("Enter")
        self.page.wait_for_url(f"{self.url}/admin/")

    def overflows(self) -> bool:
        """Whether the page scrolls sideways."""
        return bool(self.page.evaluate("document.documentElement.scrollWidth > window.innerWidth"))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    # Playwright runs an event loop in this thread, under which Django would refuse the database.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=need_chromium(), args=["--headless", *CHROMIUM_FLAGS]
        )
        yield browser
        browser.close()


@contextmanager
def watch(chromium: Browser, url: str, how: dict[str, Any]) -> Iterator[Desk]:
    """Open a page of its own; fails in the end for any complaint or request elsewhere."""
    context = chromium.new_context(**{"viewport": {"width": 1280, "height": 800}, **how})
    page = context.new_page()
    desk = Desk(page, url)

    def on_console(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            desk.complaints.append(message.text)

    def on_request(asked: Request) -> None:
        if not asked.url.startswith((desk.url, "data:", "about:")):
            desk.complaints.append(f"a request to {asked.url}")

    page.add_init_script(REPORT)
    page.on("console", on_console)
    page.on("pageerror", lambda error: desk.complaints.append(str(error)))
    context.on("request", on_request)
    page.on("dialog", lambda dialog: desk.complaints.append(f"a dialog: {dialog.message}"))
    yield desk
    context.close()
    assert [words for words in desk.complaints if not any(e in words for e in desk.expected)] == []


@pytest.fixture
def whole_chromium(chromium) -> Iterator[Browser]:
    """The browser with all that its headless shell leaves out, such as notifications."""
    browser = chromium.browser_type.launch(
        executable_path=need_whole_chromium(), args=["--headless", *CHROMIUM_FLAGS]
    )
    yield browser
    browser.close()


@pytest.fixture(params=[{}], ids=["desktop"])
def desk(request, chromium, live_server, client, reviewer) -> Iterator[Desk]:
    """The reviewer rhea, signed in."""
    with signed_in(chromium, live_server.url, request.param, client, reviewer) as desk:
        yield desk


@contextmanager
def signed_in(
    chromium: Browser, url: str, how: dict[str, Any], client: Client, user: User
) -> Iterator[Desk]:
    """Open a page of somebody who is signed in."""
    with watch(chromium, url, how) as desk:
        # By the form somebody signs in in `test_sign_in.py` and `test_every_page.py`.
        client.force_login(user)
        session = client.cookies[settings.SESSION_COOKIE_NAME].value
        desk.page.context.add_cookies(
            [{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": url}]
        )
        yield desk
