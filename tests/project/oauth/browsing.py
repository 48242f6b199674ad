"""A person with a browser: signs in by the real form, or did before, and decides on the real page."""

import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import httpx
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from tests.patience import LONG
from tests.trust import trust

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
_FIELD = re.compile(r"<(?:input|button)\b[^>]*>")
_PART = re.compile(r'([\w-]+)="([^"]*)"')


class Person:
    """Somebody at a browser; `loaded` counts the pages it asked for."""

    def __init__(self, url: str, name: str, password: str = "sealing-wax") -> None:
        self.browser = httpx.Client(
            base_url=url,
            timeout=LONG,
            verify=trust(),
            headers={"User-Agent": FIREFOX},
            follow_redirects=False,
        )
        self.name, self.password = name, password

    def has_signed_in(self, user: User) -> None:
        """Have the session of somebody who signed in before."""
        client = Client()
        client.force_login(user)
        host = urlsplit(str(self.browser.base_url)).hostname or ""
        name = settings.SESSION_COOKIE_NAME
        self.browser.cookies.set(name, client.cookies[name].value, domain=host)

    def open(self, address: str) -> httpx.Response:
        """Open an address; sign in where that is asked for, and end where it leads."""
        page = self._follow(self.browser.get(address))
        if page.url.path == "/admin/login/":
            given = {"username": self.name, "password": self.password, **fields(page.text)}
            page = self._follow(self.submit(page, given))
        return page

    def submit(self, page: httpx.Response, given: dict) -> httpx.Response:
        """Send a page's form with its token, to the page's own address."""
        given = {"csrfmiddlewaretoken": token_of(page.text), **given}
        return self.browser.post(page.url, data=given, headers={"Referer": str(page.url)})

    def decide(self, address: str, **given) -> httpx.Response:
        """Allow with what the page proposes, or as `given` says; return the answer to that."""
        page = self.open(address)
        assert page.status_code == 200, page.text
        return self.submit(page, {**proposed(page.text), "allow": "yes", **given})

    def deny(self, address: str) -> httpx.Response:
        return self.submit(self.open(address), {"deny": "yes"})

    def _follow(self, answer: httpx.Response) -> httpx.Response:
        for _ in range(5):
            if answer.status_code not in {301, 302, 303}:
                return answer
            answer = self.browser.get(answer.headers["location"])
        raise AssertionError("it leads round and round")


def fields(html: str) -> dict[str, str]:
    """Return the hidden fields of a page."""
    found = (dict(_PART.findall(tag)) for tag in _FIELD.findall(html))
    return {
        each["name"]: unescape(each.get("value", ""))
        for each in found
        if each.get("type") == "hidden" and "name" in each and each["name"] != "csrfmiddlewaretoken"
    }


def proposed(html: str) -> dict[str, list[str] | str]:
    """Return what a form holds as it is shown: what is ticked, chosen or filled in."""
    given: dict[str, list[str]] = {}
    for tag in _FIELD.findall(html):
        each = dict(_PART.findall(tag))
        kind, name = each.get("type"), each.get("name", "")
        is_chosen = kind in {"checkbox", "radio"} and re.search(r"\schecked\b", tag)
        if is_chosen or kind == "text":
            given.setdefault(name, []).append(unescape(each.get("value", "")))
    return given


def token_of(html: str) -> str:
    found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', html)
    assert found, html[:2000]
    return found[1]


def answer_in(location: str) -> dict[str, str]:
    """Return what a client is told in the address that it is sent."""
    return dict(parse_qsl(urlsplit(location).query, keep_blank_values=True))
