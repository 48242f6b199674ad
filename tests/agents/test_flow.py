import pytest

from agents import approvals, receipts
from agents.dispatch import call
from agents.errors import ToolError
from agents.models import Approval
from inbox.models import Submission
from tests import factories

pytestmark = pytest.mark.django_db


def test_a_reply_waits_and_is_released(workspace, inbox, actor, reviewer):
    message = factories.make_message(inbox)
    thread = message.thread
    answer = call(
        "send_reply",
        {"thread_id": thread.public_id, "body_or_draft_id": "Here it is.", "idempotency_key": "k1"},
        actor,
    )
    assert answer.result["status"] == "queued"
    approval = Approval.objects.get()
    approvals.approve(approval=approval, by=reviewer, sha256=approval.sha256)
    assert Submission.objects.get().state == "pending"
    again = call(
        "send_reply",
        {"thread_id": thread.public_id, "body_or_draft_id": "Here it is.", "idempotency_key": "k1"},
        actor,
    )
    assert again.result == answer.result
    assert again.replayed
    assert receipts.verify(workspace) == []


def test_list(workspace, inbox, actor, django_assert_max_num_queries):
    for _ in range(3):
        factories.make_message(inbox)
    with django_assert_max_num_queries(12):
        page = call("list_threads", {"inbox_id": inbox.public_id, "limit": 2.0}, actor).result
    assert len(page["threads"]) == 2
    rest = call(
        "list_threads",
        {"inbox_id": inbox.public_id, "limit": 2, "cursor": page["next_cursor"]},
        actor,
    ).result
    assert "next_cursor" not in rest
    with pytest.raises(ToolError):
        call("list_threads", {"inbox_id": inbox.public_id, "limit": "2"}, actor)
