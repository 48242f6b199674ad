"""Putting off what waits: when it is out of sight, what is refused, what is written down."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.admin.queue.criteria import QueueCriteria
from agents.admin.queue.queries import read_queue
from agents.approval.expiring import expire_due
from agents.approval.lifecycle import approve
from agents.approval.status import ApprovalError
from agents.models import Approval, Receipt
from agents.operations.snoozing import (
    snooze_activity,
    snooze_approval,
    wake_activity,
    wake_approval,
)
from agents.receipts import verify
from inbox.errors import DomainError
from inbox.models import Role, Submission
from inbox.viewer import viewer_of_user
from tests import factories
from tests.agents.admin.desk import make_activity, make_desk

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


@pytest.fixture
def desk(inbox, actor):
    return make_desk(inbox, actor)


def listed(user, **wanted):
    return {row.public_id for row in read_queue(viewer_of_user(user), QueueCriteria(**wanted)).rows}


def test_a_snoozed_approval_is_out_of_the_open_tabs_until_then(desk, reviewer):
    approval = desk["approval"]
    snooze_approval(approval=approval, by=reviewer, until=timezone.now() + HOUR)
    assert approval.public_id not in listed(reviewer) | listed(reviewer, tab="waiting")
    assert listed(reviewer, tab="waiting", snoozed="yes") == {approval.public_id}
    Approval.objects.update(snoozed_until=timezone.now() - HOUR)
    assert approval.public_id in listed(reviewer)


@pytest.mark.parametrize(
    ("status", "tab"),
    [("surfaced", "needs-you"), ("needs_review", "surfaced"), ("quarantined", "quarantine")],
)
def test_a_snoozed_activity_is_out_of_the_open_tabs_until_it_is_woken(desk, reviewer, status, tab):
    activity = desk[status]
    snooze_activity(activity=activity, by=reviewer, until=timezone.now() + HOUR)
    assert activity.public_id not in listed(reviewer, tab=tab)
    wake_activity(activity=activity, by=reviewer)
    assert activity.public_id in listed(reviewer, tab=tab)


def test_each_leaves_a_receipt_and_the_chain_holds(desk, reviewer, workspace):
    until = timezone.now() + HOUR
    snooze_approval(approval=desk["approval"], by=reviewer, until=until)
    wake_approval(approval=desk["approval"], by=reviewer)
    snooze_activity(activity=desk["surfaced"], by=reviewer, until=until)
    wake_activity(activity=desk["surfaced"], by=reviewer)
    mine = Receipt.objects.filter(actor=f"person:{reviewer.pk}").order_by("seq")
    assert list(mine.values_list("tool", flat=True)) == ["snooze", "wake"] * 2
    assert mine[0].arguments["until"] == until.isoformat()
    assert mine[0].approval == desk["approval"].public_id
    assert verify(workspace) == []


def test_a_snoozed_approval_still_expires(desk, reviewer):
    approval = desk["approval"]
    snooze_approval(approval=approval, by=reviewer, until=timezone.now() + HOUR)
    expire_due(approval.expires_at)
    approval.refresh_from_db()
    assert approval.state == "expired"


@pytest.mark.parametrize(
    ("wait", "words"),
    [(-HOUR, "passed"), (timedelta(days=20), "expires before"), (timedelta(days=900), "expires")],
)
def test_an_approval_is_not_put_off_to_the_past_or_beyond_its_end(desk, reviewer, wait, words):
    with pytest.raises(ApprovalError, match=words) as refused:
        snooze_approval(approval=desk["approval"], by=reviewer, until=timezone.now() + wait)
    assert (refused.value.code, refused.value.details) == ("invalid", {"field": "until"})
    assert Approval.objects.get().snoozed_until is None


@pytest.mark.parametrize(
    ("wait", "words"), [(-HOUR, "passed"), (timedelta(days=900), "more than a year")]
)
def test_an_activity_is_not_put_off_to_the_past_or_for_years(desk, reviewer, wait, words):
    with pytest.raises(DomainError, match=words) as refused:
        snooze_activity(activity=desk["surfaced"], by=reviewer, until=timezone.now() + wait)
    assert (refused.value.code, refused.value.field) == ("invalid_input", "until")


def test_what_is_over_cannot_be_put_off(desk, reviewer, inbox):
    Approval.objects.update(state="rejected")
    until = timezone.now() + HOUR
    with pytest.raises(ApprovalError, match="already rejected"):
        snooze_approval(approval=desk["approval"], by=reviewer, until=until)
    done = make_activity(factories.make_message(inbox), status="archived")
    with pytest.raises(DomainError, match="archived"):
        snooze_activity(activity=done, by=reviewer, until=until)


def test_who_may_only_look_puts_nothing_off(desk, workspace):
    reader = factories.make_person_user(workspace, role=Role.VIEWER, name="vera")
    stranger = factories.make_person_user(factories.make_workspace(), name="sam")
    until = timezone.now() + HOUR
    for user in (reader, stranger):
        with pytest.raises(ApprovalError):
            snooze_approval(approval=desk["approval"], by=user, until=until)
        with pytest.raises(ApprovalError):
            wake_approval(approval=desk["approval"], by=user)
        with pytest.raises(DomainError, match="wners and reviewers"):
            snooze_activity(activity=desk["surfaced"], by=user, until=until)
        with pytest.raises(DomainError, match="wners and reviewers"):
            wake_activity(activity=desk["surfaced"], by=user)


def test_what_was_put_off_and_then_sent_who_knows_whither_is_in_the_queue_at_once(desk, reviewer):
    approval = desk["approval"]
    snooze_approval(approval=approval, by=reviewer, until=timezone.now() + HOUR)
    approve(approval=approval, by=reviewer, sha256=approval.sha256)
    Submission.objects.update(state="sending")
    Submission.objects.update(state="unknown")
    assert approval.public_id in listed(reviewer) & listed(reviewer, tab="waiting")
