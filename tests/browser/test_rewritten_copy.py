"""A message that its provider keeps otherwise than it was sealed says so, on the page of its approval."""

import os

import pytest
from playwright.sync_api import expect

from agents.approval.lifecycle import approve
from inbox.background.jobs import run_due
from inbox.models import Submission
from inbox.models.blobs import store_blob
from inbox.operations.sending.comparing_copies import note_copy
from tests import factories
from tests.agents.admin.desk import propose
from tests.browser.crawling import find_barriers
from tests.sending_tools import hurry

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def sent(inbox, actor, reviewer):
    approval = propose(actor, factories.make_message(inbox, subject="Lamps").thread)
    approve(approval=approval, by=reviewer, sha256=approval.sha256)
    hurry()
    run_due()
    [submission] = Submission.objects.all()
    return approval, submission


def _added_header(mime: bytes) -> bytes:
    return b"X-Provider: yes\r\n" + mime


def _other_words(mime: bytes) -> bytes:
    head, end, body = mime.partition(b"\r\n\r\n")
    return head + end + b"Please pay to another account.\r\n" + body


@pytest.mark.parametrize(
    "desk",
    [{}, {"color_scheme": "dark"}, {"viewport": {"width": 390, "height": 844}}],
    ids=["desktop", "dark", "phone"],
    indirect=True,
)
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_added_header, "Fields added to the header: x-provider."),
        (_other_words, "The provider's copy says something else than what was approved."),
    ],
    ids=["header", "words"],
)
def test_the_page_says_which_parts_differ(sent, desk, change, words, request):
    approval, submission = sent
    copy = store_blob(submission.workspace_id, change(submission.mime_bytes))
    note_copy(submission, copy.sha256)
    desk.open(f"/admin/review/{approval.public_id}/")
    expect(desk.page.get_by_text(words)).to_be_visible()
    assert find_barriers(desk.page) == []
    assert not desk.overflows()
    if folder := os.environ.get("PICTURES"):
        name = request.node.callspec.id
        desk.page.screenshot(path=f"{folder}/rewritten-{name}.png", full_page=True)
