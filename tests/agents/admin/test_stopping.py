"""Stopping an agent: all that it has under way ends, whatever is being sent meanwhile."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from agents.approval import lifecycle
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Approval, Receipt, Schedule
from agents.operations import stopping
from agents.operations.stopping import Stopped, finish_stop, stop_agent
from agents.receipts import verify
from inbox.background.jobs import RetryLater
from inbox.models import Account, Draft, Job, Role, Submission
from tests import factories
from tests.agents.admin.desk import propose

pytestmark = pytest.mark.django_db


def approve(approval, by):
    lifecycle.approve(approval=approval, by=by, sha256=approval.sha256)
    approval.refresh_from_db()
    return approval


def plan(actor, **more):
    at = (timezone.now() + timedelta(days=1)).isoformat()
    arguments = {"action": "create", "command": "Call Ada", "trigger_at": at, **more}
    call("internal_scheduler_service", arguments, actor)


def keep_busy():
    """Make two proposals that wait, one message in its undo window, one schedule."""
    lantern = factories.make_lantern()
    reviewer = factories.make_person_user(lantern["workspace"], name="rhea")
    Account.objects.update(undo_seconds=60)
    made = [
        propose(
            lantern["actor"],
            factories.make_message(lantern["inbox"], subject=f"Matter {number}").thread,
        )
        for number in range(3)
    ]
    approve(made[2], reviewer)
    plan(lantern["actor"])
    return {**lantern, "reviewer": reviewer, "busy": made}


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(keep_busy)


@pytest.fixture
def busy(own_rows, db):
    return own_rows["busy"]


def test_all_that_is_under_way_ends_with_receipts(busy, agent, reviewer, workspace):
    stopped = stop_agent(agent=agent, by=reviewer)
    assert stopped == Stopped(proposals=2, mails=1, schedules=1)
    for approval in busy:
        approval.refresh_from_db()
        assert approval.note == "stopped by rhea"
    assert [approval.state for approval in busy] == ["rejected", "rejected", "canceled"]
    assert set(Submission.objects.values_list("state", flat=True)) == {"rejected", "canceled"}
    assert set(Draft.objects.values_list("status", flat=True)) == {"open"}
    assert Schedule.objects.get().state == "canceled"
    receipts = Receipt.objects.filter(actor=f"person:{reviewer.pk}").order_by("seq")
    assert list(receipts.values_list("tool", flat=True))[1:] == [
        "pause_agent", "reject", "reject", "undo", "cancel_schedule", "stop_agent",
    ]  # fmt: skip
    assert receipts.last().result["mails"] == 1
    assert verify(workspace) == []


def test_an_agent_that_was_stopped_cannot_act_and_keeps_its_tokens(busy, agent, actor, reviewer):
    stop_agent(agent=agent, by=reviewer)
    agent.refresh_from_db()
    assert agent.status == "paused"
    assert agent.tokens.get().revoked_at is None
    with pytest.raises(ToolError, match="is paused"):
        call("list_approvals", {}, actor)


def test_its_tokens_end_where_that_is_asked(busy, agent, reviewer):
    assert stop_agent(agent=agent, by=reviewer, revoke=True).tokens == 1
    assert agent.tokens.get().revoked_at is not None


def test_stopping_twice_finds_nothing_more(busy, agent, reviewer):
    stop_agent(agent=agent, by=reviewer)
    before = Receipt.objects.count()
    assert stop_agent(agent=agent, by=reviewer) == Stopped()
    assert Receipt.objects.count() == before


def test_what_others_proposed_goes_on(busy, agent, inbox, reviewer, workspace):
    other = factories.make_agent(workspace, "Scout", (inbox,))
    kept = propose(factories.agent_actor(other), factories.make_message(inbox).thread)
    stop_agent(agent=agent, by=reviewer)
    kept.refresh_from_db()
    assert kept.state == "waiting"


def test_more_than_one_transaction_s_worth_is_stopped(busy, agent, inbox, reviewer, monkeypatch):
    actor = factories.agent_actor(agent)
    monkeypatch.setattr(stopping, "AT_ONCE", 3)
    for number in range(5):
        propose(actor, factories.make_message(inbox, subject=f"Matter {number}").thread)
    assert stop_agent(agent=agent, by=reviewer).proposals == 5 + 2


# -- while mail is being sent ------------------------------------------------------------------


def test_mail_that_is_being_sent_is_told_as_such_and_not_tried_again(busy, agent, reviewer):
    leaving = busy[2].submission
    # As the worker's claim leaves it.
    Submission.objects.filter(pk=leaving.pk).update(state="sending", fence="worker")
    stopped = stop_agent(agent=agent, by=reviewer)
    assert (stopped.mails, stopped.leaving) == (0, 1)
    again = Job.objects.get(kind=stopping.GO_OVER)
    with pytest.raises(RetryLater):
        finish_stop(again.payload)
    # The server did not take it, and the worker put it back to try once more.
    Submission.objects.filter(pk=leaving.pk).update(state="pending")
    finish_stop(again.payload)
    leaving.refresh_from_db()
    assert (leaving.state, leaving.outcome) == ("canceled", "stopped by rhea")


def test_what_leaves_while_it_is_counted_is_counted_once(busy, agent, reviewer, monkeypatch):
    leaving = Submission.objects.filter(pk=busy[2].submission.pk)
    schedules, fates = stopping._cancel_schedules, stopping._count_fates

    def claimed_before(*given):
        leaving.update(state="sending", fence="worker")
        return schedules(*given)

    def sent_before(approvals):
        leaving.update(state="sent")
        return fates(approvals)

    monkeypatch.setattr(stopping, "_take_back", lambda _current, _by: False)
    monkeypatch.setattr(stopping, "_cancel_schedules", claimed_before)
    monkeypatch.setattr(stopping, "_count_fates", sent_before)
    stopped = stop_agent(agent=agent, by=reviewer)
    assert (stopped.mails, stopped.leaving, stopped.gone) == (0, 1, 0)


def test_what_had_left_before_is_counted_as_gone(busy, agent, reviewer, monkeypatch):
    refuse = stopping._refuse

    def sent_meanwhile(current, by):
        Submission.objects.filter(state="pending").update(state="sending")
        Submission.objects.filter(state="sending").update(state="sent")
        return refuse(current, by)

    monkeypatch.setattr(stopping, "_refuse", sent_meanwhile)
    stopped = stop_agent(agent=agent, by=reviewer)
    assert (stopped.proposals, stopped.mails, stopped.gone) == (2, 0, 1)
    busy[2].refresh_from_db()
    assert busy[2].state == "approved"


def test_going_over_it_again_leaves_what_an_agent_proposed_that_acts_again(
    busy, agent, actor, inbox, reviewer
):
    stop_agent(agent=agent, by=reviewer)
    stopping.resume_agent(agent=agent, by=reviewer)
    fresh = propose(actor, factories.make_message(inbox, subject="Anew").thread)
    finish_stop(Job.objects.get(kind=stopping.GO_OVER).payload)
    fresh.refresh_from_db()
    assert fresh.state == "waiting"


# -- the pages ---------------------------------------------------------------------------------


def sign_in(workspace, role, name=""):
    client = Client()
    client.force_login(factories.make_person_user(workspace, role, name))
    return client


def place(agent):
    return f"/admin/agents/agent/{agent.pk}/stop/"


def test_the_page_before_lists_everything_in_full_and_does_nothing(busy, agent, workspace):
    client = sign_in(workspace, Role.REVIEWER)
    text = client.get(place(agent)).content.decode()
    for number in range(3):
        assert f"Re: Matter {number}" in text
    assert "ada@customer.example" in text
    assert "Call Ada" in text
    assert Approval.objects.filter(state="waiting").count() == 2
    agent.refresh_from_db()
    assert agent.status == "active"


def test_a_reviewer_stops_it_by_post_and_reads_the_counts(busy, agent, workspace):
    client = sign_in(workspace, Role.REVIEWER)
    text = client.post(place(agent), follow=True).content.decode()
    assert "2 proposals rejected" in text
    assert "1 message undone" in text
    assert "1 schedule canceled" in text
    assert not Approval.objects.filter(state="waiting").exists()


def test_mail_that_could_not_be_stopped_is_named(busy, agent, workspace):
    Submission.objects.filter(pk=busy[2].submission_id).update(state="sending")
    client = sign_in(workspace, Role.REVIEWER)
    assert "is being sent" in client.get(place(agent)).content.decode()
    text = client.post(place(agent), follow=True).content.decode()
    assert "1 message is being sent and can no longer be stopped" in text


def test_only_an_owner_revokes_tokens_with_it(busy, agent, workspace):
    reviewer = sign_in(workspace, Role.REVIEWER)
    assert "revoke" not in reviewer.get(place(agent)).content.decode().lower()
    reviewer.post(place(agent), {"revoke": "on"})
    assert agent.tokens.get().revoked_at is None
    sign_in(workspace, Role.OWNER).post(place(agent), {"revoke": "on"})
    assert agent.tokens.get().revoked_at is not None


def test_a_viewer_may_not_and_a_stranger_finds_nothing(busy, agent, workspace):
    viewer, stranger = sign_in(workspace, Role.VIEWER), sign_in(factories.make_workspace(), "owner")
    for ask in (viewer.get, viewer.post):
        assert ask(place(agent)).status_code == 403
    for ask in (stranger.get, stranger.post):
        assert ask(place(agent)).status_code == 404
    assert Approval.objects.filter(state="waiting").count() == 2
