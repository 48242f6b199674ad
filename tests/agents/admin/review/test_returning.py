"""What was sent back comes again at the same place, with what was asked and what changed."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from agents.dispatching import dispatch
from agents.models import Approval, ApprovalState
from inbox.operations.drafts.writing import revise_draft
from tests import factories
from tests.agents.admin.desk import BODY, propose

pytestmark = pytest.mark.django_db
SHORT = "Dear Ada,\n\nThe offer is attached.\n\nBest regards,\nLantern"


@pytest.fixture
def asked(inbox):
    return factories.make_message(inbox, at=factories.NOON)


@pytest.fixture
def browser(reviewer) -> Client:
    client = Client()
    client.force_login(reviewer)
    return client


def place(approval, action=""):
    return f"/admin/review/{approval.public_id}/" + (f"{action}/" if action else "")


def send_back(browser, approval, words="Make it shorter."):
    """Send it back, an hour after it came, so that its place is not that of anything new."""
    earlier = timezone.now() + timedelta(hours=50)
    Approval.objects.filter(pk=approval.pk).update(place_at=earlier)
    answer = browser.post(place(approval, "return"), {"sha256": approval.sha256, "words": words})
    assert answer.status_code == 302
    approval.refresh_from_db()
    assert approval.state == ApprovalState.RETURNED
    return earlier


def send_new(actor, account, body, key, **changes):
    """Have the agent propose a letter in no thread."""
    letter = {
        "account_id": account.public_id, "to": "ada@customer.example", "subject": "The offer",
        "body": body, "confirm": True, **changes,
    }  # fmt: skip
    answer = dispatch.call("email_send", letter, actor, idempotency_key=key)
    assert answer.approval is not None
    return answer.approval


def removed(asked):
    return "".join(piece.text for piece in asked.difference.pieces if piece.change == "removed")


def test_a_new_draft_in_the_thread_comes_back_to_its_place_with_what_was_asked(
    browser, actor, asked
):
    old = propose(actor, asked.thread)
    where = send_back(browser, old)
    new = propose(actor, asked.thread, SHORT)
    assert new.place_at == where
    response = browser.get(place(new))
    found = response.context["asked"]
    assert (found.words, found.url) == ("Make it shorter.", place(old))
    assert "to this letter. It holds until Friday" in removed(found)
    text = response.content.decode()
    assert "Your request" in text
    assert '<details open id="answered">' in text
    assert 'href="#asked" data-key="d"' in text


def test_the_revised_draft_itself_comes_back_to_its_place(browser, actor, asked):
    old = propose(actor, asked.thread)
    where = send_back(browser, old, "Name the day.")
    draft = revise_draft(
        draft=old.submission.draft, author_key=actor.key, author_name=actor.name, body=SHORT
    )
    new = propose(actor, asked.thread, draft.public_id)
    assert (new.submission.draft_id, new.place_at) == (old.submission.draft_id, where)
    assert browser.get(place(new)).context["asked"].words == "Name the day."


def test_a_letter_in_no_thread_comes_back_to_its_place(browser, actor, inbox):
    old = send_new(actor, inbox.account, BODY, "k1")
    where = send_back(browser, old)
    new = send_new(actor, inbox.account, SHORT, "k2")
    assert new.place_at == where
    assert browser.get(place(new)).context["asked"].words == "Make it shorter."
    again = send_new(actor, inbox.account, "Something else", "k3")
    assert again.place_at == again.expires_at


@pytest.mark.parametrize(
    "changes",
    [
        {"to": "bo@other.example", "subject": "A quite other thing"},
        {"to": "bo@other.example"},
        {"subject": "A quite other thing"},
    ],
)
def test_a_letter_to_others_or_about_something_else_answers_no_feedback(
    browser, actor, inbox, changes
):
    send_back(browser, send_new(actor, inbox.account, BODY, "k1"))
    other = send_new(actor, inbox.account, SHORT, "k2", **changes)
    assert other.place_at == other.expires_at
    assert browser.get(place(other)).context["asked"] is None


def test_what_was_sent_back_long_ago_is_answered_by_no_new_letter(browser, actor, inbox):
    old = send_new(actor, inbox.account, BODY, "k1")
    send_back(browser, old)
    Approval.objects.filter(pk=old.pk).update(decided_at=timezone.now() - timedelta(days=30))
    new = send_new(actor, inbox.account, SHORT, "k2")
    assert new.place_at == new.expires_at


def test_one_preset_and_own_words_make_one_feedback(browser, actor, asked):
    approval = propose(actor, asked.thread)
    browser.post(place(approval, "return"), {"preset": "shorter", "words": "And name the day."})
    approval.refresh_from_db()
    assert approval.note == "Make it shorter. And name the day."


@pytest.mark.parametrize("answer", [{}, {"words": "  "}, {"preset": "no such"}])
def test_feedback_without_words_is_asked_for(browser, actor, asked, answer):
    approval = propose(actor, asked.thread)
    response = browser.post(place(approval, "return"), answer)
    assert response.status_code == 400
    assert "This field is required." in response.content.decode()
    approval.refresh_from_db()
    assert approval.state == ApprovalState.WAITING
