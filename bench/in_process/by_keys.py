"""Items decided by the keyboard in Chromium: `by_keys USER ITEMS WHERE`, with open items.

From the queue on, each item is decided by the fewest keys that its page has: a message is approved
and what came in is done, each going on to the next. A key that has to be held counts as one more.
The time is from pressing until the next item stands there, against the load of a bare page of the
same server in the same browser, by turns.
"""

import re
import sys
import time

from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Page

from agents.approval.due import check_due
from agents.models import Approval, ApprovalState
from bench.in_process.first_screen import browsing, open_page
from bench.in_process.tool_calls import serving
from bench.results import Result, hand_over, milliseconds, percentile

GOAL_KEYS, GOAL_SECONDS = 1.5, 0.15
WARM_UP = 3
# How long the person reads at least; a key again within 0.3 s is the second half of a double press.
PAUSE = 1.0
ITEM = re.compile(r"/(review|activities)/\w+/")
KEYS = {"review": ("y", 1), "activities": ("a", 1)}
# Asked before each frame: another item is in the address, its heading is there, and it is drawn.
IS_NEXT = "(before) => location.pathname !== before && document.querySelector('.decide') !== null"


def measure(username: str, items: int, where: str) -> list[Result]:
    """Decide so many items, or as many as there are; results say `where` that was."""
    # As a worker has done long before anybody looks.
    check_due(
        Approval.objects.filter(state=ApprovalState.WAITING).order_by("place_at")[: 2 * items]
    )
    client = Client(HTTP_HOST="127.0.0.1")
    client.force_login(User.objects.get(username=username))
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    with serving() as server, browsing() as browser:
        url = f"http://127.0.0.1:{server.port}"
        page = open_page(browser, url, cookie, 1280, 800)
        beside = open_page(browser, url, cookie, 1280, 800)
        page.goto(f"{url}/admin/")
        page.wait_for_load_state("load")
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_url(ITEM)
        keys, times, bare = 0, [], []
        while len(times) < items and (found := ITEM.search(page.url)):
            key, count = KEYS[found[1]]
            time.sleep(PAUSE)
            seconds = _press(page, key)
            if seconds is None:
                break
            keys += count
            times.append(seconds)
            bare.append(_load(beside, f"{url}/bare"))
    return _results(
        keys / max(len(times), 1), times[WARM_UP:], bare[WARM_UP:], f"{where}, {len(times)}"
    )


def _press(page: Page, key: str) -> float | None:
    """Return the seconds until the next item stands there; None where there is none any more."""
    before = page.evaluate("location.pathname")
    start = time.perf_counter()
    page.keyboard.press(key)
    page.wait_for_function("(before) => location.pathname !== before", arg=before)
    if not ITEM.search(page.url):
        return None
    page.wait_for_function(IS_NEXT, arg=before)
    return time.perf_counter() - start


def _load(page: Page, url: str) -> float:
    start = time.perf_counter()
    page.goto(url)
    return time.perf_counter() - start


def _results(each: float, times: list[float], bare: list[float], where: str) -> list[Result]:
    results = [
        Result(
            f"keys an item ({where})", f"{each:.2f}", "–", f"{each:.2f}",
            f"≤ {GOAL_KEYS}", each <= GOAL_KEYS,
        )
    ]  # fmt: skip
    for percent in (50, 95):
        ours, anchor = percentile(times, percent), percentile(bare, percent)
        results.append(
            Result(
                f"from the key to the next item, p{percent} ({where})", milliseconds(ours),
                f"bare page {milliseconds(anchor)}", f"{ours / anchor:.2f}",
                f"p95 ≤ {milliseconds(GOAL_SECONDS)}", percent != 95 or ours <= GOAL_SECONDS,
            )
        )  # fmt: skip
    return results


if __name__ == "__main__":
    hand_over(measure(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
