"""The way of a call: decided, run once, answered again, and always with a receipt."""

import pytest
from django.utils import timezone

from agents import receipts
from agents.approval import lifecycle
from agents.approval.lifecycle import ApprovalError
from agents.contracts import Effect, Registry, tool
from agents.contracts.fields import Closed
from agents.dispatching import dispatch
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import AgentStatus, Approval, Grant, Outcome, Receipt
from agents.receipts import ReceiptEntry
from inbox.models import Activity, Draft, Submission
from tests import factories
from tests.threads import at_once

pytestmark = pytest.mark.django_db


def refused(*args, **kwargs):
    with pytest.raises(ToolError) as caught:
        call(*args, **kwargs)
    return caught.value


def make_activity(message, **fields):
    return Activity.objects.create(
        **{
            "workspace": message.workspace, "source": "email", "source_id": message.public_id, "message": message,
            "title": message.subject, "created_at": message.received_at, "status": "processed", "autonomy_tier": 2,
            "urgency": "normal", "confidence": 0.9, "activity_type": "request", "reasoning": "a question", **fields,
        }
    )  # fmt: skip


def surface(activity, actor, key=None, status="surfaced"):
    arguments = {"activity_ids": [activity.public_id], "updates": {"status": status}}
    return call("update_activities", arguments, actor, key)


def test_a_call_without_the_scope_is_denied_and_says_so_in_a_receipt(agent, inbox):
    actor = factories.agent_actor(agent, frozenset({"storage:read"}))
    error = refused("list_threads", {"inbox_id": inbox.public_id}, actor)
    assert (error.code, error.status) == ("permission_denied", 403)
    receipt = Receipt.objects.get()
    assert (receipt.decision, receipt.outcome, receipt.error_code) == (
        "deny",
        "error",
        "permission_denied",
    )
    assert "inbox:read" in receipt.reason


def test_a_paused_agent_is_denied(agent, actor, inbox):
    agent.status = AgentStatus.PAUSED
    agent.save()
    assert refused("list_threads", {"inbox_id": inbox.public_id}, actor).code == "permission_denied"


def test_an_account_that_was_not_granted_does_not_exist(agent, inbox):
    Grant.objects.all().delete()
    actor = factories.agent_actor(agent)
    assert refused("list_threads", {"inbox_id": inbox.public_id}, actor).code == "not_found"


def test_an_invalid_call_leaves_a_receipt(actor):
    refused("get_thread", {"thread_id": 7, "text": "x" * 1000}, actor)
    receipt = Receipt.objects.get()
    assert (receipt.tool, receipt.decision, receipt.error_code) == (
        "get_thread",
        "deny",
        "invalid_input",
    )
    assert receipt.arguments["text"]["length"] == 1000


def test_an_unknown_tool_leaves_a_receipt(actor):
    assert refused("make_tea" * 50, {}, actor).status == 404
    assert Receipt.objects.get().tool == ("make_tea" * 50)[:100]


def test_a_read_leaves_one_receipt_and_a_long_answer_stands_in_it_by_hash(actor, inbox):
    for _ in range(20):
        factories.make_message(inbox)
    call("list_threads", {"inbox_id": inbox.public_id}, actor)
    receipt = Receipt.objects.get()
    assert (receipt.seq, receipt.outcome, receipt.decision) == (1, "ok", "allow")
    assert set(receipt.result) == {"sha256", "length"}


def test_a_read_costs_as_many_queries_for_fifty_threads_as_for_one(
    actor, inbox, django_assert_num_queries
):
    factories.make_message(inbox)
    call("list_threads", {"inbox_id": inbox.public_id}, actor)
    for number in (1, 50):
        for _ in range(number):
            factories.make_message(inbox)
        with django_assert_num_queries(7):  # two of them the savepoint of the test's transaction
            call("list_threads", {"inbox_id": inbox.public_id}, actor)


def test_what_raises_attention_is_done(actor, message):
    activity = make_activity(message)
    answer = surface(activity, actor)
    assert answer.result == {"updated_count": 1, "activity_ids": [activity.public_id]}
    activity.refresh_from_db()
    assert activity.status == "surfaced"


def test_what_lowers_attention_waits_and_is_done_once_approved(actor, message, approve):
    activity = make_activity(message, status="surfaced")
    with pytest.raises(ToolError) as caught:
        surface(activity, actor, "key", status="archived")
    assert (caught.value.code, caught.value.status) == ("approval_required", 403)
    approval = Approval.objects.get()
    assert caught.value.details["approval_id"] == approval.public_id
    assert list(approval.activities.all()) == [activity]
    activity.refresh_from_db()
    assert activity.status == "surfaced"
    approve(approval)
    activity.refresh_from_db()
    assert activity.status == "archived"
    replay = surface(activity, actor, "key", status="archived")
    assert replay.result == {"updated_count": 1, "activity_ids": [activity.public_id]}


def test_the_same_held_call_again_finds_the_approval_that_waits(actor, message, approve):
    activity = make_activity(message, status="surfaced", autonomy_tier=4)
    for key in (None, None, "k1", "k2", "k2"):
        with pytest.raises(ToolError, match="waits for a person") as caught:
            surface(activity, actor, key, status="archived")
        assert caught.value.details["approval_id"] == Approval.objects.get().public_id
    with pytest.raises(ToolError, match="waits for a person"):
        surface(activity, actor, status="processed")
    assert Approval.objects.count() == 2
    approve(Approval.objects.earliest("id"))
    again = surface(activity, actor, "k2", status="archived")
    assert again.result == {"updated_count": 1, "activity_ids": [activity.public_id]}


def test_what_can_no_longer_be_done_is_void_once_approved(actor, message, reviewer):
    activity = make_activity(message, status="surfaced")
    with pytest.raises(ToolError):
        surface(activity, actor, status="archived")
    approval = Approval.objects.get()
    approval.activities.clear()
    activity.delete()
    with pytest.raises(ApprovalError) as caught:
        lifecycle.approve(approval=approval, by=reviewer, sha256=approval.sha256)
    assert caught.value.code == "voided"
    assert caught.value.message == f"No longer valid: {caught.value.details['changes'][0]}"
    assert (approval.state, approval.note) == ("voided", caught.value.details["changes"][0])
    assert receipts.verify(message.workspace) == []


def test_a_person_may_move_anything_anywhere(message, reviewer):
    activity = make_activity(message, status="surfaced")
    person = factories.person_actor(reviewer)
    surface(activity, person, status="archived")
    activity.refresh_from_db()
    assert activity.status == "archived"
    assert Receipt.objects.get().actor == f"person:{reviewer.pk}"


def test_a_person_cannot_propose(message, reviewer):
    person = factories.person_actor(reviewer)
    arguments = {
        "thread_id": message.thread.public_id,
        "body_or_draft_id": "x",
        "idempotency_key": "k",
    }
    assert refused("send_reply", arguments, person).code == "permission_denied"


def test_one_unknown_activity_changes_none(actor, message):
    activity = make_activity(message)
    arguments = {
        "activity_ids": [activity.public_id, "act_none"],
        "updates": {"status": "surfaced"},
    }
    error = refused("update_activities", arguments, actor)
    assert (error.code, error.details["pointer"]) == ("not_found", "/activity_ids/1")
    activity.refresh_from_db()
    assert activity.status == "processed"


@pytest.mark.parametrize(
    ("part", "value", "pointer"),
    [
        ("option_framing", "You should answer Ada.", "option_framing"),
        ("option_framing", "Don’t for\u200bget Ada.", "option_framing"),
        ("option_framing", "You could answer, or leave it.", "option_framing"),
        ("suggested_actions", ["Answer", "You haven't paid"], "suggested_actions/1"),
        ("suggested_actions", ["a", "b", "c", "d"], "suggested_actions"),
        ("suggested_actions", [], "suggested_actions"),
    ],
)
def test_an_agent_cannot_order_a_person_about(actor, message, part, value, pointer):
    activity = make_activity(message, autonomy_tier=2, urgency="high", option_framing=None)
    # It would lower attention too: what cannot run is refused, and does not wait for a person.
    parts = {part: value, "urgency": "low"}
    arguments = {
        "activity_ids": [activity.public_id],
        "updates": {"classification": parts},
    }
    error = refused("update_activities", arguments, actor)
    assert error.code == "invalid_input"
    assert error.details["errors"][0]["pointer"] == f"/updates/classification/{pointer}"
    assert error.details["errors"][0]["accepted"]
    assert not Approval.objects.exists()


def test_an_approved_lower_tier_takes_the_options_away(actor, message, reviewer):
    activity = make_activity(message, autonomy_tier=3, option_framing="You could go, or stay.")
    arguments = {
        "activity_ids": [activity.public_id],
        "updates": {"classification": {"autonomy_tier": 2}},
    }
    assert refused("update_activities", arguments, actor).code == "approval_required"
    approval = Approval.objects.get()
    lifecycle.approve(approval=approval, by=reviewer, sha256=approval.sha256)
    activity.refresh_from_db()
    assert (activity.autonomy_tier, activity.option_framing) == (2, None)


def test_the_same_key_and_content_get_the_same_answer_and_one_effect(propose, actor, message):
    propose()
    again = propose()
    assert Approval.objects.get() == again
    assert Draft.objects.count() == Submission.objects.count() == 1


def test_the_same_key_with_other_content_is_a_conflict(propose):
    propose()
    with pytest.raises(ToolError) as caught:
        propose("Something else.")
    assert (caught.value.code, caught.value.status) == ("idempotency_conflict", 422)


def test_the_same_key_of_another_tool_is_a_conflict(propose, actor, message):
    propose(key="k")
    activity = make_activity(message)
    with pytest.raises(ToolError) as caught:
        surface(activity, actor, "k")
    assert caught.value.code == "idempotency_conflict"


def test_the_same_key_of_another_agent_is_another_call(propose, workspace, inbox):
    first = propose(key="k")
    other = factories.agent_actor(factories.make_agent(workspace, "Other", (inbox,)))
    assert propose(key="k", who=other) != first


def test_a_refused_call_does_not_use_up_its_key(actor, propose):
    with pytest.raises(ToolError):
        call("send_reply", {"idempotency_key": "k1"}, actor)
    assert propose(key="k1")


def test_a_call_that_failed_gives_its_key_back(actor, message):
    activity = make_activity(message)
    wrong = {"activity_ids": ["act_none"], "updates": {"status": "surfaced"}}
    assert refused("update_activities", wrong, actor, "k").code == "not_found"
    assert refused("update_activities", wrong, actor, "k").code == "not_found"
    assert surface(activity, actor, "k").result["updated_count"] == 1
    assert surface(activity, actor, "k").replayed
    assert receipts.verify(message.workspace) == []


def test_the_header_and_the_argument_are_one_key(actor, message):
    arguments = {
        "thread_id": message.thread.public_id,
        "body_or_draft_id": "x",
        "idempotency_key": "a",
    }
    assert refused("send_reply", arguments, actor, "b").code == "invalid_input"
    assert call("send_reply", arguments, actor, "a").result["status"] == "queued"


@pytest.mark.parametrize("key", ["", "x" * 256, "a\nb", "\u202e"])
def test_a_key_that_is_none_is_refused(actor, message, key):
    arguments = {
        "thread_id": message.thread.public_id,
        "body_or_draft_id": "x",
        "idempotency_key": key,
    }
    assert (
        refused("send_reply", arguments, actor).details["errors"][0]["pointer"]
        == "/idempotency_key"
    )


def open_call(actor, activity, key):
    arguments = {
        "activity_ids": [activity.public_id],
        "updates": {"status": "surfaced", "classification": None},
    }
    return receipts.open_receipt(
        actor, ReceiptEntry("update_activities", arguments, idempotency_key=key)
    )


def test_a_call_that_runs_still_is_in_progress(actor, message):
    activity = make_activity(message)
    open_call(actor, activity, "k")
    with pytest.raises(ToolError) as caught:
        surface(activity, actor, "k")
    assert (caught.value.code, caught.value.status) == ("idempotency_in_progress", 409)


def test_a_call_that_crashed_is_done_by_the_next_with_its_key(actor, message, monkeypatch):
    activity = make_activity(message)
    receipt = open_call(actor, activity, "k")
    later = timezone.now() + dispatch.ABANDONED_AFTER
    monkeypatch.setattr(timezone, "now", lambda: later)
    assert surface(activity, actor, "k").result["updated_count"] == 1
    receipt.refresh_from_db()
    assert receipt.outcome == Outcome.OK


def test_a_crash_is_logged_answered_without_its_words_and_undone(actor, inbox, caplog):
    registry = Registry()

    class Nothing(Closed):
        pass

    @tool(family="house", domain="inbox", effect=Effect.WRITE, registry=registry)
    def close_and_crash(actor, args: Nothing) -> Nothing:
        """Change something, then fail as nobody foresaw."""
        inbox.status = "paused"
        inbox.save()
        raise RuntimeError("the password is swordfish")

    registry.freeze()
    error = refused("close_and_crash", {}, actor, None, registry)
    assert (error.code, error.status) == ("internal", 500)
    assert "swordfish" not in str(error.as_json())
    assert "swordfish" in caplog.text
    inbox.refresh_from_db()
    assert inbox.status == "active"
    assert Receipt.objects.get().error_code == "internal"


@pytest.mark.django_db(transaction=True)
def test_a_hundred_threads_with_one_key_have_one_effect(inbox, agent):
    message = factories.make_message(inbox)
    actor = factories.agent_actor(agent)
    arguments = {
        "thread_id": message.thread.public_id, "body_or_draft_id": "Once.", "idempotency_key": "k",
    }  # fmt: skip
    answers = []

    def run(_):
        for _each in range(5):
            try:
                answers.append(call("send_reply", arguments, actor).json)
            except ToolError as error:
                answers.append(error.code)

    assert at_once(run) == []
    assert len(answers) == 100
    assert Submission.objects.count() == Draft.objects.count() == Approval.objects.count() == 1
    assert len(set(answers) - {"idempotency_in_progress"}) == 1
    assert receipts.verify(inbox.workspace) == []


def test_a_repeated_deletion_answers_again_although_its_row_is_gone(actor, inbox):
    account = inbox.account.public_id
    times = {"start": "2027-03-01T09:00:00Z", "end": "2027-03-01T10:00:00Z"}
    made = call("calendar_create_event", {"account_id": account, "subject": "x", **times}, actor)
    wanted = {"account_id": account, "event_id": made.result["id"], "confirm": True}
    first = call("calendar_delete_event", wanted, actor, "once")
    again = call("calendar_delete_event", wanted, actor, "once")
    assert (again.replayed, again.result) == (True, first.result)
    assert refused("calendar_delete_event", wanted, actor, "other").code == "not_found"
    with pytest.raises(ToolError, match="another call"):
        call("calendar_delete_event", {**wanted, "send_cancellation": False}, actor, "once")
