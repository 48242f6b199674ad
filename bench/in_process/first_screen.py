"""What of a decision is on the first screen: `first_screen OFFICE.yaml`, on an empty database.

The letters of an office of `bench.letters` are proposed and checked as they are in life, and each
page is opened in Chromium without a scroll, at three sizes. Of a letter with a mark of doubt or a
flag on its words, the decisive fact is there where the line that says what is wrong with the first
such words can be seen, and the words too: in their sentence in that line, or in their place in the
letter, which is counted besides. Of an answer, the message that it answers is there where its first
line can be seen.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, Page, sync_playwright

from agents.approval.due import check_due
from agents.models import Approval, ApprovalState
from bench.in_process.review_asking import sign_in
from bench.in_process.review_desk import REVIEWER
from bench.in_process.tool_calls import serving
from bench.letters.corpus import Letter, read_corpus
from bench.letters.office import clock_at, make_office, written_at
from bench.letters.trying import may_be_called, propose
from bench.results import Result, hand_over
from inbox.models import Membership, Role, Submission
from tests.services import CHROMIUM_FLAGS, find_chromium

SIZES = ((1440, 900), (1280, 720), (390, 844))
REPLIES = 20
# What is looked for; an element counts where its first line lies on the screen and nothing on it.
LOOK = """
() => {
  const seen = (element) => {
    const box = element && [...element.getClientRects()].find((one) => one.width && one.height);
    const line = box ? Math.min(box.height, 24) : 0;
    if (!box || box.top < 0 || box.top + line > innerHeight) { return false; }
    const left = box.left + Math.min(box.width, 12) / 2;
    const top = document.elementFromPoint(left, box.top + line / 2);
    return Boolean(top) && (element.contains(top) || top.contains(element));
  };
  const letter = document.querySelector("#sealed-message");
  const words = ({ claim, flag }) => letter.querySelector(claim
    ? `[data-marks~="${claim}"]` : `[data-marks*="${flag}."], [data-marks~="${flag}"]`);
  const doubts = [...document.querySelectorAll("[data-claim^=claim-], [data-flag]")]
    .map((line) => ({ line, words: words(line.dataset) })).filter((one) => one.words);
  const told = ({ line, words }) => seen(line)
    && (seen(words) || seen(line.querySelector(".claim-said strong, summary .flag-words")));
  const answered = document.querySelector("#thread .message .message-text");
  return {
    marked: doubts.length, first: doubts.length > 0 && told(doubts[0]), all: doubts.every(told),
    there: doubts.length > 0 && seen(doubts[0].line) && seen(doubts[0].words),
    answered: seen(answered) || seen(document.querySelector(".source-peek-text")),
  };
}
"""


def furnish(path: Path) -> list[tuple[Letter, Approval]]:
    """Make an office, and have its letters wait for a person who looks at them now."""
    corpus = read_corpus(path)
    with timezone.override(ZoneInfo(corpus.office["zone"])):
        office = make_office(corpus)
        with clock_at(written_at(corpus)):
            letters = [one for one in corpus.letters if may_be_called(one)]
            proposed = [(one, propose(office, one)) for one in letters]
            waiting = [(one, approval) for one, approval in proposed if approval is not None]
            check_due(approval for _, approval in waiting)
    later = timezone.now() + timedelta(days=2)
    Approval.objects.filter(state=ApprovalState.WAITING).update(expires_at=later)
    Submission.objects.update(expires_at=later)
    user = User.objects.create(username=REVIEWER, is_staff=True)
    workspace = office.account.workspace
    Membership.objects.create(workspace=workspace, user=user, role=Role.OWNER)
    return waiting


def measure(path: Path) -> list[Result]:
    """Look at each letter at each size."""
    waiting = furnish(path)
    client = sign_in()
    cookie = client.cookies["sessionid"].value
    results = []
    with serving() as server, browsing() as browser:
        url = f"http://127.0.0.1:{server.port}"
        for width, height in SIZES:
            page = open_page(browser, url, cookie, width, height)
            seen = [(one, look_at(page, url, approval)) for one, approval in waiting]
            results += _results(seen, f"{width}×{height}")
            page.context.close()
    return results


def look_at(page: Page, url: str, approval: Approval) -> dict[str, bool]:
    """Return what can be seen of an approval's page without a scroll."""
    page.goto(url + reverse("review", args=[approval.public_id]))
    page.wait_for_load_state("load")
    seen: dict[str, bool] = page.evaluate(LOOK)
    return seen


@contextmanager
def browsing() -> Iterator[Browser]:
    """Yield a Chromium."""
    with sync_playwright() as playwright:
        flags = ["--headless", *CHROMIUM_FLAGS]
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=flags)
        yield browser
        browser.close()


def open_page(browser: Browser, url: str, cookie: str, width: int, height: int) -> Page:
    """Return a page of a browser in which somebody is signed in."""
    is_phone = width < 500
    context = browser.new_context(
        viewport={"width": width, "height": height}, has_touch=is_phone, is_mobile=is_phone
    )
    context.add_cookies([{"name": "sessionid", "value": cookie, "url": url}])
    return context.new_page()


def _results(seen: list[tuple[Letter, dict[str, bool]]], size: str) -> Iterator[Result]:
    marked = [found for _, found in seen if found["marked"]]
    first = sum(found["first"] for found in marked)
    everything, there = (sum(found[name] for found in marked) for name in ("all", "there"))
    yield Result(
        f"marked letters whose first doubt is on the first screen, {size}",
        f"{first} of {len(marked)}", f"every doubt {everything}, in the letter itself {there}",
        f"{first / max(len(marked), 1):.0%}", "100%", first == len(marked) > 0,
    )  # fmt: skip
    answers = [found for one, found in seen if one.answers][:REPLIES]
    there = sum(found["answered"] for found in answers)
    yield Result(
        f"answers beside what they answer on the first screen, {size}",
        f"{there} of {len(answers)}", "–", f"{there / max(len(answers), 1):.0%}",
        "100%", there == len(answers) > 0,
    )  # fmt: skip


if __name__ == "__main__":
    hand_over(measure(Path(sys.argv[1])))
