"""Schedules: made and canceled by their agent; what comes due fires once, and says if it is late."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from agents.approval import lifecycle
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import (
    AgentMessage,
    AgentStatus,
    Approval,
    ContextEntry,
    FactNote,
    Receipt,
    Schedule,
    Token,
)
from agents.operations.firing import fail_lost, fire, settle_waiting
from agents.operations.schedules import MOST_PENDING
from inbox.background.jobs import RetryLater, run_due
from inbox.models import Activity, Job, JobState
from tests import factories

pytestmark = pytest.mark.django_db


def service(actor, action, **more):
    return call("internal_scheduler_service", {"action": action, **more}, actor).result


def create(actor, **more):
    at = timezone.now() + timedelta(hours=1)
    arguments = {"command": "Ask Ada about the offer", "trigger_at": at.isoformat(), **more}
    return service(actor, "create", **arguments)["data"]


def command(actor, tool, payload):
    return create(actor, type="command", command=tool, payload=payload)


def push(actor, key="k", value=1):
    return command(actor, "push_context", {"agent_name": actor.name, "key": key, "value": value})


def refused(function, *args, **more):
    with pytest.raises(ToolError) as caught:
        function(*args, **more)
    return caught.value


def let_come_due(seconds=0):
    """Let everything be due since so many seconds."""
    at = timezone.now() - timedelta(seconds=seconds)
    Schedule.objects.update(trigger_at=at)
    Job.objects.filter(state=JobState.QUEUED).update(run_at=at)


def fired():
    return Schedule.objects.order_by("id").last()


def test_create_answers_in_the_envelope_of_the_services(actor):
    answer = service(
        actor, "create", command="Call Ada", trigger_at="2099-03-02T13:00:00+01:00", payload={}
    )
    schedule = Schedule.objects.get()
    assert answer == {
        "status": "success",
        "data": {
            "schedule_id": schedule.public_id, "type": "notification", "command": "Call Ada",
            "trigger_at": "2099-03-02T12:00:00Z", "state": "pending",
        },
        "message": None,
    }  # fmt: skip
    assert schedule.trigger_at == datetime(2099, 3, 2, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "at", ["2020-01-01T00:00:00Z", "2099-03-02T12:00:00", "2099-03-02", "tomorrow", 4070952000]
)
def test_a_time_has_an_offset_and_is_still_to_come(actor, at):
    error = refused(create, actor, trigger_at=at)
    assert error.code == "invalid_input"
    assert error.details["errors"][0]["pointer"] == "/trigger_at"
    assert not Schedule.objects.exists()


def test_a_note_comes_before_the_reviewers_when_it_is_due(actor):
    made = create(actor, command="Ask Ada about the offer\nShe knows.")
    assert run_due() == 0
    let_come_due()
    assert run_due() >= 1
    note = Activity.objects.get()
    assert (note.source, note.source_id, note.status) == ("note", made["schedule_id"], "surfaced")
    assert (note.title, note.sender) == ("Ask Ada about the offer", "Clerk")
    assert note.content == "Ask Ada about the offer\nShe knows."
    assert (fired().state, fired().late_by) == ("fired", 0)


def test_whoever_hears_of_new_activities_takes_a_note_too(actor):
    create(actor)
    let_come_due()
    run_due()
    assert Activity.objects.get().source == "note"
    assert not Job.objects.exclude(error="").exists()


def test_what_is_late_says_so_in_the_note_and_in_the_receipt(actor):
    create(actor)
    let_come_due(seconds=3725)
    run_due()
    assert "It ran 1:02:0" in Activity.objects.get().reasoning
    receipt = Receipt.objects.get(tool="schedule.fired")
    assert receipt.result["late"]
    assert receipt.result["late_by_seconds"] == fired().late_by >= 3725
    assert "It ran 1:02:0" in receipt.reason


def test_a_job_that_runs_twice_fires_once(actor):
    create(actor)
    push(actor)
    let_come_due()
    run_due()
    for schedule in Schedule.objects.all():
        fire({"schedule_id": schedule.pk})
    assert Activity.objects.count() == ContextEntry.objects.count() == 1
    assert Receipt.objects.filter(tool="schedule.fired").count() == 2
    assert Receipt.objects.filter(tool="push_context").count() == 1


def test_a_command_calls_the_tool_as_the_agent(actor):
    push(actor, "k", {"a": [1, None]})
    let_come_due()
    run_due()
    entry = ContextEntry.objects.get()
    assert (entry.value, entry.author_id) == ({"a": [1, None]}, actor.id)
    receipt = Receipt.objects.get(tool="push_context")
    assert (receipt.actor, receipt.public_id) == (actor.key, fired().receipt)


def test_an_action_of_a_service_can_be_scheduled_too(actor):
    later = {"action": "create", "command": "Second", "trigger_at": "2099-01-01T00:00:00Z"}
    command(actor, "internal_scheduler_service", later)
    let_come_due()
    run_due()
    assert sorted(Schedule.objects.values_list("command", "state")) == [
        ("Second", "pending"), ("internal_scheduler_service", "fired"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("tool", "payload", "pointer"),
    [
        ("no_such_tool", {}, "/command"),
        ("internal_scheduler_service.create", {}, "/command"),
        ("push_context", {"agent_name": "Clerk", "key": "k"}, "/payload/value"),
        ("push_context", {"agent_name": "Clerk", "key": 7, "value": 1}, "/payload/key"),
        ("internal_scheduler_service", {"action": "fly"}, "/payload/action"),
        ("get_thread", {"thread_id": "thr_x", "more": 1}, "/payload/more"),
    ],
)
def test_a_command_is_checked_by_the_contract_of_its_tool(actor, tool, payload, pointer):
    error = refused(command, actor, tool, payload)
    assert error.code == "invalid_input"
    assert error.details["errors"][0]["pointer"] == pointer


def test_what_the_agent_may_not_call_it_may_not_schedule(agent):
    actor = factories.agent_actor(agent, frozenset({"time:write"}))
    assert refused(push, actor).code == "permission_denied"
    assert not Schedule.objects.exists()


def test_the_scope_counts_as_it_is_when_it_fires(actor):
    push(actor)
    Token.objects.update(scopes=["time:write"])
    let_come_due()
    run_due()
    assert (fired().state, ContextEntry.objects.count()) == ("failed", 0)
    assert "memory:write" in fired().error
    receipt = Receipt.objects.get(tool="schedule.failed")
    assert (receipt.outcome, receipt.error_code) == ("error", "permission_denied")


def test_a_paused_agent_s_command_fails(actor, agent):
    push(actor)
    agent.status = AgentStatus.PAUSED
    agent.save()
    let_come_due()
    run_due()
    assert (fired().state, ContextEntry.objects.count()) == ("failed", 0)


def test_a_command_that_fails_is_tried_again_and_then_failed_for_good(actor, monkeypatch):
    push(actor)
    monkeypatch.setattr("agents.operations.sharing.contexts.MOST_ENTRIES", 0)
    states = []
    for _ in range(6):
        let_come_due()
        run_due()
        states.append(fired().state)
    assert states == ["running"] * 4 + ["failed"] * 2
    assert fired().error.startswith("conflict: ")
    assert (fired().attempts, ContextEntry.objects.count()) == (5, 0)
    assert Receipt.objects.filter(tool="schedule.failed").count() == 1


def test_a_command_that_failed_once_fires_when_it_can(actor, monkeypatch):
    push(actor)
    let_come_due()
    with monkeypatch.context() as full:
        full.setattr("agents.operations.sharing.contexts.MOST_ENTRIES", 0)
        with pytest.raises(RetryLater) as caught:
            fire({"schedule_id": fired().pk})
    assert caught.value.at > timezone.now()
    fire({"schedule_id": fired().pk})
    assert (fired().state, fired().error, ContextEntry.objects.count()) == ("fired", "", 1)


@pytest.fixture
def reply(actor, inbox):
    message = factories.make_message(inbox)
    arguments = {
        "thread_id": message.thread.public_id, "body_or_draft_id": "Here it is.",
        "idempotency_key": "k1",
    }  # fmt: skip
    command(actor, "send_reply", arguments)
    let_come_due()
    run_due()
    return Approval.objects.get()


def test_what_waits_for_a_person_is_not_shown_as_done(reply):
    settle_waiting()
    assert (fired().state, fired().approval) == ("waiting", reply.public_id)
    assert "needs approval" in Receipt.objects.get(tool="schedule.waiting").reason


def test_what_a_person_approved_has_fired_and_what_was_rejected_has_failed(reply, reviewer):
    lifecycle.approve(approval=reply, by=reviewer, sha256=reply.sha256)
    assert settle_waiting() == 1
    assert fired().state == "fired"
    assert settle_waiting() == 0


def test_what_a_person_rejected_has_failed(reply, reviewer):
    lifecycle.reject(approval=reply, by=reviewer, reason="Not now")
    assert settle_waiting() == 1
    assert fired().state == "failed"
    assert "Not now" in fired().error


def test_a_held_call_without_an_answer_of_its_own_waits_too(actor, inbox):
    message = factories.make_message(inbox)
    activity = Activity.objects.create(
        workspace=message.workspace, source="email", source_id="x", message=message,
        title="x", created_at=message.received_at, status="surfaced", autonomy_tier=4,
    )  # fmt: skip
    updates = {"status": "archived", "classification": None}
    command(actor, "update_activities", {"activity_ids": [activity.public_id], "updates": updates})
    let_come_due()
    run_due()
    assert (fired().state, fired().approval) == ("waiting", Approval.objects.get().public_id)


def test_canceled_it_never_fires(actor):
    made = create(actor)
    answer = service(actor, "cancel", schedule_id=made["schedule_id"])
    assert answer["data"]["state"] == "canceled"
    let_come_due()
    run_due()
    assert (fired().state, Activity.objects.count()) == ("canceled", 0)


def test_only_what_is_pending_is_canceled(actor):
    made = create(actor)
    let_come_due()
    run_due()
    error = refused(service, actor, "cancel", schedule_id=made["schedule_id"])
    assert (error.code, fired().state) == ("conflict", "fired")


def test_only_its_own_agent_cancels_a_schedule(actor, workspace):
    made = create(actor)
    scout = factories.agent_actor(factories.make_agent(workspace, "Scout"))
    foreign = refused(service, scout, "cancel", schedule_id=made["schedule_id"])
    absent = refused(service, scout, "cancel", schedule_id="sdl_none")
    assert foreign.as_json() == absent.as_json()
    assert foreign.code == "not_found"
    assert fired().state == "pending"


def test_what_has_no_job_any_more_is_marked_as_failed(actor):
    create(actor)
    let_come_due(seconds=600)
    assert fail_lost() == 0
    Job.objects.update(state=JobState.FAILED)
    assert fail_lost() == 1
    assert fired().state == "failed"


def test_people_cannot_be_reminded_through_the_agents_tool(reviewer):
    person = factories.person_actor(reviewer)
    assert refused(create, person).code == "permission_denied"


def test_a_scheduled_message_reaches_its_agent_once(actor, workspace):
    factories.make_agent(workspace, "Scout")
    payload = {"from_agent": "Clerk", "to_agent": "Scout", "message": "It is time."}
    command(actor, "send_message_to_agent", payload)
    let_come_due()
    run_due()
    run_due()
    assert AgentMessage.objects.get().text == "It is time."


def test_clients_are_told_of_the_note_and_that_it_fired(actor):
    create(actor)
    let_come_due()
    fire({"schedule_id": fired().pk})
    notes = {note.fact: note.payload for note in FactNote.objects.all()}
    activity = Activity.objects.get()
    assert notes["activity.surfaced"] == {"activity_ids": [activity.pk]}
    assert notes["schedule.fired"]["schedule_ids"] == [fired().pk]


def test_an_agent_may_have_so_many_pending_and_no_more(actor, workspace, inbox):
    other = factories.agent_actor(factories.make_agent(workspace, "Other", (inbox,)))
    at = timezone.now() + timedelta(days=1)
    Schedule.objects.bulk_create(
        Schedule(workspace=workspace, agent_id=actor.id, command="note", trigger_at=at)
        for _ in range(MOST_PENDING - 1)
    )
    last = create(actor)
    assert refused(create, actor).code == "conflict"
    assert create(other)["state"] == "pending"
    service(actor, "cancel", schedule_id=last["schedule_id"])
    assert create(actor)["state"] == "pending"
