"""What was replied to is marked as answered once the reply has left."""

import pytest

from inbox.background.jobs import run_due
from inbox.models import Message
from inbox.operations.mail.message_changes import delete_message
from inbox.operations.sending.marking_answered import mark_answered
from tests import factories
from tests.sending_tools import fate, propose, release
from tests.servers import Peer


@pytest.fixture
def question(inbox) -> Message:
    return factories.make_message(inbox, subject="When do you open?")


def reply(actor, inbox, question, port=0):
    return propose(actor, inbox, port, thread=question.thread, in_reply_to=question)


def keywords(message) -> list[str]:
    message.refresh_from_db()
    return message.keywords


def test_it_is_marked_once_the_reply_was_sent_and_not_before(actor, inbox, reviewer, question):
    submission = reply(actor, inbox, question)
    run_due()
    assert "$answered" not in keywords(question)
    release(submission, reviewer)
    run_due()
    assert fate(submission) == "sent"
    assert "$answered" in keywords(question)


def test_a_reply_that_was_refused_marks_nothing(actor, inbox, reviewer, question):
    with Peer(DATA="554 no") as peer:
        submission = release(reply(actor, inbox, question, peer.port), reviewer)
        run_due()
    assert fate(submission) == "failed"
    assert "$answered" not in keywords(question)


def test_again_or_where_it_was_deleted_meanwhile_nothing_happens(actor, inbox, reviewer, question):
    submission = release(reply(actor, inbox, question), reviewer)
    run_due()
    before = Message.objects.get(pk=question.pk).thread.updated_at
    mark_answered({"submission_id": submission.pk})
    assert Message.objects.get(pk=question.pk).thread.updated_at == before
    Message.objects.filter(pk=question.pk).update(keywords=[])
    delete_message(actor=actor, message=question)
    mark_answered({"submission_id": submission.pk})
    assert keywords(question) == []
