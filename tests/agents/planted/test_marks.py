"""On the page of a planted item numbers are marked from their beginning to their end."""

import re
from html import unescape

import pytest
from django.urls import reverse
from django.utils.html import strip_tags

from agents.approval.due import check_due
from inbox.extract.readers.whole import cuts
from inbox.models import Message

pytestmark = pytest.mark.django_db
_TEXT = re.compile(r'<div class="message-text"[^>]*>(.*?)</div>', re.DOTALL)
_LINK = re.compile(r"<a class=\"ref.*?</a>", re.DOTALL)
_MARK = re.compile(r"<mark[^>]*>(.*?)</mark>", re.DOTALL)


def marked_places(html: str) -> tuple[str, list[tuple[int, int]]]:
    """Return a text and where its marks stand in it."""
    html, places = _LINK.sub("", html), []
    for found in _MARK.finditer(html):
        start = len(unescape(strip_tags(html[: found.start()])))
        places.append((start, start + len(unescape(strip_tags(found[1])))))
    return unescape(strip_tags(html)), places


@pytest.mark.parametrize("kind", ["amount_of_the_thread", "promise_without_limit"])
@pytest.mark.parametrize("begins", range(34, 52, 3))
def test_no_mark_of_what_is_answered_cuts_a_number(planted, client, reviewer, kind, begins):
    approval = planted(kind)
    message = approval.submission.draft.in_reply_to
    # What a claim cites of its source begins so many letters before it: within the number.
    filler = "x" * begins
    Message.objects.filter(pk=message.pk).update(
        text=f"{message.text}\nRE-2026-118 4.500,00 € {filler} 4.500,00 €",
        new_text=f"{message.text}\nRE-2026-118 4.500,00 € {filler} 4.500,00 €",
    )
    check_due([approval])
    client.force_login(reviewer)
    page = client.get(reverse("review", args=[approval.public_id])).content.decode()
    seen = 0
    for found in _TEXT.finditer(page):
        text, places = marked_places(found[1])
        for start, end in places:
            seen += 1
            assert not cuts(text, start, end), text[start:end]
    assert seen
