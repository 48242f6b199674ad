"""`thread_update`: what agents and people may do to a thread, and what they may not put away."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents import receipts
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Approval, Receipt
from inbox.models import Activity, Submission, Thread
from tests import factories
from tests.agents.admin.desk import make_activity

pytestmark = pytest.mark.django_db


@pytest.fixture
def thread(message):
    there = message.inbox.mailboxes.get(role="inbox")
    message.mailboxes.add(there)
    message.thread.mailboxes.add(there)
    return message.thread


@pytest.fixture
def update(actor, thread):
    def update(who=actor, **changes):
        arguments = {"thread_id": thread.public_id, **changes}
        return call("thread_update", arguments, who).result

    return update


@pytest.fixture
def refused(update):
    def refused(**changes):
        with pytest.raises(ToolError) as caught:
            update(**changes)
        return caught.value

    return refused


def listed(actor, thread, **filters):
    arguments = {"inbox_id": thread.inbox.public_id, **filters}
    return [one["id"] for one in call("list_threads", arguments, actor).result["threads"]]


def later(**span):
    return (timezone.now() + timedelta(**span)).isoformat()


def test_a_closed_thread_is_listed_as_closed(update, actor, thread):
    answer = update(status="closed")
    assert (answer["status"], answer["labels"]) == ("closed", [])
    assert "snoozed_until" not in answer
    assert listed(actor, thread, status="closed") == [thread.public_id]
    assert listed(actor, thread, status="open") == []
    assert update(status="open")["status"] == "open"
    assert listed(actor, thread, status="closed") == []


def test_labels_are_put_on_listed_by_and_taken_off(update, actor, thread):
    assert update(add_labels=["Offers", "Käthe"])["labels"] == ["Käthe", "Offers"]
    assert listed(actor, thread, label="offers") == [thread.public_id]
    assert update(remove_labels=["OFFERS"])["labels"] == ["Käthe"]
    assert listed(actor, thread, label="offers") == []
    shown = call("get_thread", {"thread_id": thread.public_id}, actor).result["thread"]
    assert shown["labels"] == ["Inbox", "Käthe"]


def test_a_snoozed_thread_says_until_when(update, actor, thread):
    until = later(days=2)
    answer = update(status="snoozed", snoozed_until=until, add_labels=["Later"])
    assert answer["status"] == "snoozed"
    assert answer["snoozed_until"][:16] == until[:16]
    assert listed(actor, thread, status="snoozed", label="later") == [thread.public_id]


def test_every_change_has_its_receipt(update, workspace, thread):
    update(status="closed")
    receipt = Receipt.objects.get(tool="thread_update")
    assert receipt.arguments["status"] == "closed"
    assert receipt.arguments["thread_id"] == thread.public_id
    assert receipts.verify(workspace) == []


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({}, ""),
        ({"status": "gone"}, "/status"),
        ({"status": "snoozed"}, "/snoozed_until"),
        ({"status": "snoozed", "snoozed_until": "2020-01-01T00:00:00Z"}, "/snoozed_until"),
        ({"status": "snoozed", "snoozed_until": "2026-01-01T00:00:00"}, "/snoozed_until"),
        ({"status": "closed", "snoozed_until": "2999-01-01T00:00:00Z"}, "/snoozed_until"),
        ({"snoozed_until": "2999-01-01T00:00:00Z"}, ""),
        ({"add_labels": []}, "/add_labels"),
        ({"add_labels": ["Inbox"]}, "/add_labels"),
        ({"remove_labels": ["inbox"]}, "/remove_labels"),
        ({"add_labels": ["a\u202eb"]}, "/add_labels"),
        ({"add_labels": ["x" * 201]}, "/add_labels/0"),
        ({"add_labels": [f"l{n}" for n in range(51)]}, "/add_labels"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_by_its_field(refused, thread, changes, pointer):
    error = refused(**changes)
    assert error.code == "invalid_input"
    assert error.details["errors"][0]["pointer"] == pointer
    thread.refresh_from_db()
    assert (thread.status, thread.mailboxes.count()) == ("open", 1)


def test_a_refused_label_leaves_the_status_as_it_was(refused, thread):
    refused(status="closed", add_labels=["Fine", "Inbox"])
    thread.refresh_from_db()
    assert (thread.status, thread.mailboxes.count()) == ("open", 1)


# -- what waits for a person -----------------------------------------------------------------------
@pytest.mark.parametrize("status", ["surfaced", "needs_review", "quarantined"])
@pytest.mark.parametrize("away", [{"status": "closed"}, {"status": "snoozed"}])
def test_an_agent_may_not_put_away_an_item_that_waits_for_a_person(
    refused, message, thread, status, away
):
    activity = make_activity(message, status=status)
    if away["status"] == "snoozed":
        away = {**away, "snoozed_until": later(days=1)}
    error = refused(**away)
    assert (error.code, error.details["activity_ids"]) == ("conflict", [activity.public_id])
    assert error.details["errors"][0]["pointer"] == "/status"
    thread.refresh_from_db()
    assert thread.status == "open"


def test_an_agent_may_not_put_away_its_own_proposal(refused, propose):
    propose()
    assert refused(status="closed").code == "conflict"


def test_an_agent_may_not_put_away_what_nobody_knows_the_fate_of(refused, update, propose, approve):
    approve(propose())
    assert update(status="closed")["status"] == "closed"
    for state in ("sending", "unknown"):
        Submission.objects.update(state=state)
    assert refused(status="closed").code == "conflict"


def test_what_waits_in_another_workspace_keeps_no_thread_open(update, message, propose, approve):
    approve(propose())
    make_activity(message, status="surfaced")
    for state in ("sending", "unknown"):
        Submission.objects.update(state=state)
    elsewhere = factories.make_workspace()
    Approval.objects.update(workspace=elsewhere, state="waiting")
    for model in (Activity, Submission):
        model.objects.update(workspace=elsewhere)
    assert update(status="closed")["status"] == "closed"


def test_once_it_was_decided_an_agent_may_close_it(update, message):
    make_activity(message, status="processed")
    assert update(status="closed")["status"] == "closed"


def test_a_person_may_put_anything_away(update, message, reviewer):
    make_activity(message, status="surfaced")
    person = factories.person_actor(reviewer)
    assert update(person, status="closed")["status"] == "closed"


def test_an_agent_may_label_and_open_what_waits_for_a_person(update, message):
    make_activity(message, status="surfaced")
    assert update(status="open", add_labels=["Offers"])["labels"] == ["Offers"]


def test_a_thread_of_another_account_does_not_exist(refused, workspace, actor):
    other = factories.make_message(factories.make_inbox(workspace, "else@lantern.example"))
    with pytest.raises(ToolError) as caught:
        call("thread_update", {"thread_id": other.thread.public_id, "status": "closed"}, actor)
    assert caught.value.code == "not_found"
    assert Thread.objects.get(pk=other.thread_id).status == "open"
