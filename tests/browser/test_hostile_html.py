"""Hostile HTML through the pages: nothing runs, nothing is loaded, nothing around it moves."""

import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest

from agents.dispatching import dispatch
from agents.models import Approval
from inbox.models import Attachment, Message, Thread
from tests import factories, hostile
from tests.agents.admin.desk import make_activity

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

FRAMES_A_PAGE = 60
# As if the reader had scrolled to each of them.
LOAD_ALL = "() => { for (const one of document.querySelectorAll('iframe')) one.loading = 'eager'; }"
PADDING = "\n".join(f"Line {number} of a letter that fills the page." for number in range(80))
LEFT_OVER = """() => {
  const odd = "script, style, link:not([href^='/static/']), form, input, button, textarea, select, " +
    "iframe, frame, object, embed, svg, math, img, video, audio, base, template, dialog, " +
    "body [style], body [id], body [name], [srcdoc], [popover], [autofocus], [contenteditable]";
  const wrong = [...document.querySelectorAll(odd)].map((one) => one.outerHTML.slice(0, 200));
  for (const one of document.querySelectorAll("body *")) {
    for (const { name } of one.attributes) if (name.startsWith("on") || name.startsWith("data-")) wrong.push(name);
    const place = getComputedStyle(one).position;
    if (place !== "static") wrong.push(one.tagName + " is " + place);
  }
  return wrong;
}"""
BOXES = """(selectors) => selectors.map((selector) => {
  const one = document.querySelector(selector);
  if (!one) return selector + " is not there";
  const { x, y, width, height } = one.getBoundingClientRect();
  return selector === "h1" ? [selector, x, y] : [selector, x, y, width, height];
})"""
AROUND = ["header.top", "header.top .brand", "header.top .me", "h1"]


def groups(size: int, letters: int) -> Iterator[list[str]]:
    """Cases together, as many as fit on one line of so many letters."""
    group: list[str] = []
    for case in (one.replace("\x00", "") for one in hostile.cases()):
        if group and (len(group) == size or sum(map(len, group)) + len(case) > letters):
            yield group
            group = []
        group.append(case)
    yield group


def unharmed(desk) -> None:
    """Nothing ran in the page; what the browser complains of fails the test by itself."""
    assert desk.page.evaluate("[window.canary, document.title.includes('Chancery')]") == [
        None,
        True,
    ]
    assert desk.page.locator("header.top script, #content script").count() == 0
    assert desk.complaints == []


def boxes(desk, *more: str) -> Any:
    return desk.page.evaluate(BOXES, [*AROUND, *more])


def thread_of(inbox, cases: list[str], **fields: Any) -> Thread:
    """A thread with a message for each case, which is its HTML and all that its sender chose.

    Stored as no sanitiser would leave it: the edge must hold by itself.
    """
    thread = None
    for case in cases:
        message = factories.make_message(
            inbox, thread=thread, subject="A question", html=case, text="Words.",
            sender_name=case[:300], sender=case[:320], anomalies=["deceptive_name", case[:50]], **fields,
        )  # fmt: skip
        thread = message.thread
        Attachment.objects.create(
            workspace=inbox.workspace, message=message, blob=message.blob, position=0, size=1,
            filename=case[:300], content_type=case[:255], received_at=message.received_at,
        )  # fmt: skip
    assert thread is not None
    return thread


def test_no_case_does_anything_as_html_in_its_frame(inbox, desk):
    harmless = thread_of(inbox, ["Harmless."])
    desk.open(f"/admin/threads/{harmless.public_id}/?as=html")
    usual = boxes(desk)
    for cases in groups(FRAMES_A_PAGE, 1_000_000):
        thread = thread_of(inbox, cases)
        desk.open(f"/admin/threads/{thread.public_id}/?as=html&fold=none")
        assert boxes(desk) == usual
        frames = desk.page.locator("iframe.mail-frame")
        assert frames.count() == len(cases)
        wrong = [(frame.url, frame.evaluate(LEFT_OVER)) for frame in shown(desk, len(cases))]
        assert [one for one in wrong if one[1]] == []
        assert boxes(desk) == usual
        unharmed(desk)


def shown(desk, count: int) -> list[Any]:
    """The frames of a page, once all have been read."""
    desk.page.evaluate(LOAD_ALL)
    desk.page.wait_for_function("(n) => window.frames.length === n", arg=count)
    frames = desk.page.frames[1:]
    for frame in frames:
        frame.wait_for_url("**/html/")
        frame.wait_for_load_state("load")
    return frames


@pytest.mark.parametrize("case", hostile.HEAVY, ids=lambda case: case[:12])
def test_what_is_very_large_or_deep_is_read_like_any_other(inbox, desk, case):
    message = factories.make_message(inbox, html=case, text=case[:20_000])
    place = f"/admin/threads/{message.thread.public_id}/?of={message.public_id}"
    desk.open(place)
    usual = boxes(desk)
    for view in ("html", "raw"):
        desk.open(f"{place}&as={view}")
        assert boxes(desk) == usual
        unharmed(desk)
    assert not desk.overflows()


def test_no_case_does_anything_as_text_or_source(inbox, desk):
    harmless = factories.make_message(inbox, text="Harmless.")
    desk.open(f"/admin/threads/{harmless.thread.public_id}/")
    usual = boxes(desk)
    for group in groups(60, 30_000):
        message = factories.make_message(inbox, text="\n".join(group))
        place = f"/admin/threads/{message.thread.public_id}/?of={message.public_id}"
        for view in ("plain", "raw"):
            desk.open(f"{place}&as={view}")
            assert boxes(desk) == usual
            unharmed(desk)
            assert not desk.overflows()


def test_no_case_does_anything_on_the_review_page(inbox, actor, desk):
    usual = None
    for group in [["Harmless."], *groups(12, 700)]:
        approval = proposed(inbox, actor, group)
        desk.open(f"/admin/review/{approval.public_id}/")
        around = boxes(desk, ".decide")
        usual = usual or around
        assert around == usual
        unharmed(desk)
        assert not desk.overflows()


def proposed(inbox, actor, group: list[str]) -> Approval:
    """A reply that is made of the cases, in a thread whose every word is made of them."""
    words = " ".join(" ".join(group).split())
    # A draft takes no character that cannot be seen, and no heaps of marks; what comes in has them.
    words = "".join(one for one in words if one.isprintable() and not unicodedata.combining(one))
    asked = factories.make_message(
        inbox, subject=words, sender_name=words, text="\n".join(group), html=words,
        anomalies=["hidden_text", "deceptive_name"],
    )  # fmt: skip
    factories.make_message(
        inbox, thread=asked.thread, at=factories.NOON, sender_name="\n".join(group),
        sender=group[0][:320], text="\n".join(group),
    )  # fmt: skip
    answer = dispatch.call(
        "send_reply",
        {"thread_id": asked.thread.public_id, "body_or_draft_id": f"{words}\n{PADDING}", "idempotency_key": f"k-{asked.pk}"},
        actor,
    )  # fmt: skip
    assert answer.approval is not None
    return answer.approval


def test_no_case_does_anything_on_the_activity_page_and_in_the_queue(inbox, desk):
    usual, rows = None, []
    for group in [["Harmless."], *groups(12, 700)]:
        rows.append(made_of(inbox, group))
        desk.open(f"/admin/activities/{rows[-1].public_id}/")
        around = boxes(desk)
        usual = usual or around
        assert around == usual
        unharmed(desk)
        assert not desk.overflows()
    desk.open("/admin/?tab=surfaced")
    while True:
        unharmed(desk)
        assert not desk.overflows()
        onward = desk.page.locator(".onward a[rel=next]")
        if not onward.count():
            break
        onward.click()


def made_of(inbox, group: list[str]) -> Any:
    words = "\n".join(group)
    message = factories.make_message(
        inbox, subject=words, sender_name=words, text=words, html=words, sender=words[:320]
    )
    return make_activity(
        message, reasoning=words, option_framing=words, suggested_actions=group,
        personas=group,
    )  # fmt: skip


@pytest.mark.parametrize(
    "place", ["inbox/thread/", "inbox/message/", "inbox/person/", "inbox/activity/"]
)
def test_no_case_does_anything_in_a_list(inbox, desk, place):
    for group in groups(12, 700):
        message: Message = made_of(inbox, group).message
        factories.make_person(
            inbox.workspace, f"{message.pk}@x.example", fn=" ".join(group)[:300], org=group[0][:300]
        )
    desk.open(f"/admin/{place}")
    unharmed(desk)
    assert not desk.overflows()
