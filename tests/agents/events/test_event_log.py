"""The log of events: what is in it, in which order, for whom, and for how long."""

import ast
import threading
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection, transaction
from django.utils import timezone

from agents.approval import expiring, lifecycle
from agents.contracts import REGISTRY, RESOURCES
from agents.dispatching.dispatch import call
from agents.events.payloads import FACTS, INTERNAL, NOUNS
from agents.models import FactNote, LoggedEvent, LogHead
from agents.operations.webhooks import event_log
from agents.operations.webhooks.event_log import (
    Reader,
    _a_few,
    events_after,
    place_id,
    read_place,
    write_log,
)
from inbox.background.jobs import publish, run_due
from inbox.models import Job
from inbox.operations.contacts.cards import CardChanges
from inbox.operations.contacts.contacts import create_contact
from tests import factories

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[3]


def logged(*facts):
    write_log()
    rows = LoggedEvent.objects.order_by("pk")
    return list(rows.filter(fact__in=facts) if facts else rows)


def receive(message):
    publish("message.received", {"message_ids": [message.pk]}, workspace_id=message.workspace_id)


def test_a_fact_is_in_the_log_with_public_ids_and_no_words(message):
    receive(message)
    (event,) = logged()
    assert event.fact == "message.received"
    assert event.data == {
        "message_id": message.public_id, "thread_id": message.thread.public_id,
        "inbox_id": message.inbox.public_id,
    }  # fmt: skip
    assert event.account_ids == [message.inbox.account_id]


@pytest.mark.django_db(transaction=True)
def test_what_is_rolled_back_never_happened(message):
    with transaction.atomic():
        receive(message)
        transaction.set_rollback(True)
    assert logged() == []


def test_a_fact_is_logged_once_however_often_the_log_is_written(message):
    receive(message)
    assert (write_log(), write_log()) == (1, 0)
    assert not FactNote.objects.exists()


def test_events_stand_in_the_order_of_their_causes(inbox):
    messages = [factories.make_message(inbox) for _ in range(120)]
    for message in messages:
        receive(message)
    events = logged()
    assert [event.data["message_id"] for event in events] == [each.public_id for each in messages]
    assert [event.pk for event in events] == list(range(1, 121))
    assert LogHead.objects.get().newest == 120


def test_a_batch_costs_the_same_number_of_queries_whatever_its_size(
    inbox, django_assert_max_num_queries
):
    messages = [factories.make_message(inbox).pk for _ in range(200)]
    publish("message.received", {"message_ids": messages}, workspace_id=inbox.workspace_id)
    with django_assert_max_num_queries(16):
        assert write_log() == 200


def test_so_many_publications_are_written_at_once_as_are_about_not_too_many_rows(inbox, workspace):
    messages = [factories.make_message(inbox).pk for _ in range(100)]
    for _ in range(3):
        publish("message.received", {"message_ids": messages}, workspace_id=workspace.pk)
    publish("message.received", {"message_ids": messages * 4}, workspace_id=workspace.pk)
    notes = list(FactNote.objects.order_by("pk"))
    assert _a_few(notes, 250) == notes[:2]
    assert _a_few(notes[2:], 250) == notes[2:3]
    assert _a_few(notes[3:], 250) == notes[3:]
    assert write_log() == 700


def test_rows_that_are_gone_or_of_another_workspace_are_left_out(message, workspace):
    foreign = factories.make_message(factories.make_inbox(factories.make_workspace()))
    publish(
        "message.received", {"message_ids": [foreign.pk, 10**9, message.pk]},
        workspace_id=workspace.pk,
    )  # fmt: skip
    (event,) = logged()
    assert event.data["message_id"] == message.public_id


def test_a_fact_that_is_only_ours_is_not_in_the_log(workspace):
    publish("activity.raised", {"activity_id": 1}, workspace_id=workspace.pk)
    publish("sync.finished", {}, workspace_id=workspace.pk)
    assert logged() == []


# -- what happens is told --------------------------------------------------------------------------


def test_a_message_that_comes_in_becomes_an_activity(inbox):
    message = factories.make_message(inbox, text="Could you answer by tomorrow noon? It is urgent.")
    receive(message)
    run_due()
    created, *surfaced = logged("activity.created", "activity.surfaced")
    assert created.data["message_id"] == message.public_id
    assert created.data["activity_id"].startswith("act_")
    assert (created.data["status"] == "surfaced") == bool(surfaced)


def test_an_activity_that_is_put_before_a_person_is_told_once(inbox, actor):
    receive(factories.make_message(inbox, sender="shop@list.example", text="Our offers"))
    run_due()
    (created,) = logged("activity.created")
    for _ in range(2):
        call(
            "update_activities",
            {"activity_ids": [created.data["activity_id"]], "updates": {"status": "surfaced"}},
            actor,
        )
    events = logged("activity.surfaced")
    assert [event.data["activity_id"] for event in events] == [created.data["activity_id"]]


def test_an_approval_is_told_when_it_waits_and_when_it_is_decided(propose, approve, actor):
    approval = propose()
    approve(approval)
    created, decided = logged("approval.created", "approval.decided")
    assert created.data == {
        "approval_id": approval.public_id, "tool": "send_reply", "state": "waiting",
    }  # fmt: skip
    assert decided.data["state"] == "approved"
    assert created.agent_ids == decided.agent_ids == [actor.id]


def test_an_approval_that_expires_or_is_sent_back_says_so(propose, reviewer):
    first = propose()
    lifecycle.send_back(approval=first, by=reviewer, feedback="Shorter, please.")
    second = propose("Shorter.", "k2")
    type(second).objects.filter(pk=second.pk).update(expires_at=timezone.now())
    expiring.expire_due()
    states = [event.data["state"] for event in logged() if event.fact.startswith("approval.")]
    assert states == ["waiting", "returned", "waiting", "expired"]


def test_an_edit_voids_the_one_and_makes_another(propose, reviewer):
    approval = propose()
    lifecycle.edit_and_approve(
        approval=approval, by=reviewer, to=[{"email": "ada@customer.example"}], cc=[], bcc=[],
        subject="Re: A question", body="Shorter.",
    )  # fmt: skip
    facts = [event.fact for event in logged() if event.fact.startswith("approval.")]
    assert facts == ["approval.created", "approval.voided", "approval.created", "approval.decided"]


def test_mail_that_left_is_told(propose, approve):
    approval = propose()
    approve(approval)
    Job.objects.update(run_at=timezone.now())
    type(approval.submission).objects.update(send_at=timezone.now())
    run_due()
    (event,) = logged("submission.sent")
    assert event.data["submission_id"] == approval.submission.public_id
    assert event.account_ids == [approval.submission.account_id]


def test_every_fact_that_is_published_is_told_or_known_to_be_our_own():
    published = set()
    for app in ("inbox", "calendar_app", "agents"):
        for path in (ROOT / app).rglob("*.py"):
            code = path.read_text()
            if any(f"{name}(" in code for name in PUBLISHING):
                published |= {*facts_in(ast.parse(code))}
    unknown = {fact for fact in published if "." in fact} - set(FACTS) - INTERNAL
    assert unknown == set()


PUBLISHING = {"publish", "_tell", "tell"}


def facts_in(tree):
    """The texts that are given to `publish` and to functions that end in `tell`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            first = node.args[0] if node.args else None
            is_fact = isinstance(first, ast.Constant) and isinstance(first.value, str)
            if is_fact and node.func.id in PUBLISHING:
                yield first.value


def test_every_fact_has_a_scope_that_some_tool_needs():
    scopes = {tool.scope for registry in (REGISTRY, RESOURCES) for tool in registry.tools}
    assert {NOUNS[fact.partition(".")[0]].scope for fact in FACTS} <= scopes


# -- who may see -----------------------------------------------------------------------------------


@pytest.fixture
def event(message):
    receive(message)
    return logged()[0]


def test_who_was_granted_the_account_sees_its_events(actor, event):
    assert Reader(actor).may_see(event)
    assert Reader(actor, frozenset({"message.received"})).may_see(event)


def test_without_the_grant_the_scope_or_the_workspace_nothing_is_seen(workspace, agent, event):
    stranger = factories.make_agent(workspace, "Stranger")
    elsewhere = factories.make_agent(factories.make_workspace())
    assert not Reader(factories.agent_actor(stranger)).may_see(event)
    assert not Reader(factories.agent_actor(elsewhere)).may_see(event)
    without = factories.agent_actor(agent, factories.EVERY_SCOPE - {"inbox:read"})
    assert not Reader(without).may_see(event)


def test_only_what_is_asked_for_is_seen(actor, event):
    assert not Reader(actor, frozenset({"approval.created"})).may_see(event)


def test_an_approval_is_told_to_its_proposer_alone(propose, workspace, inbox, actor):
    propose()
    other = factories.agent_actor(factories.make_agent(workspace, "Other", (inbox,)))
    (event,) = logged("approval.created")
    assert Reader(actor).may_see(event)
    assert not Reader(other).may_see(event)


def test_a_person_is_told_to_whom_the_accounts_are_granted_that_know_them(workspace, inbox, actor):
    second = factories.make_inbox(workspace)
    other = factories.agent_actor(factories.make_agent(workspace, "Other", (second,)))
    person = create_contact(
        actor=actor, account=inbox.account, changes=CardChanges(given_name="Ada")
    )
    (event,) = logged("person.changed")
    assert event.data == {"person_id": person.public_id}
    assert Reader(actor).may_see(event)
    assert not Reader(other).may_see(event)


# -- places and pruning ----------------------------------------------------------------------------


def test_a_place_is_read_back_from_its_id_and_nothing_else_is():
    assert read_place(place_id(0)) == 0
    assert read_place(place_id(12345)) == 12345
    for text in ("", "evl_", "12", "msg_8fXoQ2mKpL", "evl_ü", place_id(1) + "x"):
        assert read_place(text) is None


def test_old_events_are_pruned_from_the_beginning_only(inbox, settings):
    for _ in range(4):
        receive(factories.make_message(inbox))
    logged()
    long_ago = timezone.now() - timedelta(days=settings.EVENT_LOG_DAYS + 1)
    # The last was noted long ago and written late: what is before it is younger and stays.
    LoggedEvent.objects.filter(pk__in=[1, 2, 4]).update(at=long_ago)
    assert event_log.prune() == 2
    assert [event.pk for event in events_after(0)] == [3, 4]
    assert event_log.ends_of_log() == (4, 2)
    assert event_log.prune() == 0


def test_events_are_read_a_bounded_number_at_a_time(inbox, monkeypatch):
    monkeypatch.setattr(event_log, "READ_AT_ONCE", 2)
    publish(
        "message.received",
        {"message_ids": [factories.make_message(inbox).pk for _ in range(5)]},
        workspace_id=inbox.workspace_id,
    )
    write_log()
    assert [event.pk for event in events_after(1)] == [2, 3]
    assert [event.pk for event in events_after(3, upto=4)] == [4]


# -- several processes -----------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_many_who_publish_and_write_the_log_at_once_lose_and_repeat_nothing(inbox):
    messages = [factories.make_message(inbox) for _ in range(40)]
    seen = []

    def work(some):
        try:
            for message in some:
                receive(message)
                write_log()
        finally:
            connection.close()

    def read():
        try:
            place = 0
            while len(seen) < len(messages):
                for event in events_after(place):
                    seen.append(event.data["message_id"])
                    place = event.pk
                time.sleep(0.01)
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=(messages[start::4],)) for start in range(4)]
    threads.append(threading.Thread(target=read, daemon=True))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sorted(seen) == sorted(message.public_id for message in messages)
    places = list(LoggedEvent.objects.order_by("pk").values_list("pk", flat=True))
    assert places == list(range(1, 41))


@pytest.mark.django_db(transaction=True)
def test_what_is_noted_first_and_commits_last_comes_last_and_is_not_lost(inbox):
    if connection.vendor == "sqlite":
        pytest.skip("SQLite has one writer at a time, so that this cannot happen there")
    late, early = factories.make_message(inbox), factories.make_message(inbox)
    noted, may_commit = threading.Event(), threading.Event()

    def work():
        try:
            with transaction.atomic():
                receive(late)
                noted.set()
                may_commit.wait(30)
        finally:
            connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    noted.wait(30)
    receive(early)
    (first,) = logged()
    may_commit.set()
    thread.join(timeout=30)
    write_log()
    (last,) = events_after(first.pk)
    assert (first.data["message_id"], last.data["message_id"]) == (early.public_id, late.public_id)
