"""How long nothing is sent from an account whose login was refused, and what ends that."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from inbox.background.jobs import URGENT
from inbox.models import Account, Job, Submission
from inbox.operations.sending.pauses import (
    enqueue_going_on,
    pause_sending,
    resumes_at,
    send_again,
    waiting_of,
)
from inbox.providers.base import ProviderError
from tests import factories, sending_tools

pytestmark = pytest.mark.django_db


@pytest.fixture
def account(inbox):
    """An account without a password, beside another."""
    factories.make_inbox(inbox.workspace, "second@lantern.example")
    return inbox.account


def refused(account, kind="login", reply="") -> datetime:
    account.refresh_from_db()
    return pause_sending(account, ProviderError(kind, "The server refused the sign-in.", reply))


@pytest.mark.parametrize(
    ("kind", "minutes"), [("login", [30, 120, 480, 1440, 1440]), ("locked", [1, 4, 15, 15, 15])]
)
def test_each_refusal_makes_the_pause_four_times_as_long_up_to_a_day(account, kind, minutes):
    for span in minutes:
        now = timezone.now()
        until = refused(account, kind)
        assert timedelta(0) <= until - now - timedelta(minutes=span) < timedelta(minutes=1)
        assert Account.objects.get(pk=account.pk).sending_resumes_at == until
    assert Account.objects.get(pk=account.pk).sending_failures == len(minutes)


def test_a_pause_is_that_of_its_account_alone(account):
    refused(account, reply="535 \0" + "x" * 2000)
    paused, other = Account.objects.order_by("pk")
    assert paused.sending_problem[:39] == "The server refused the sign-in. 535 �xx"
    # Of what the server said so much is kept.
    assert len(paused.sending_problem.removeprefix("The server refused the sign-in. ")) == 1500
    assert (other.sending_resumes_at, other.sending_problem, other.sending_failures) == (
        None,
        "",
        0,
    )


def test_sending_goes_on_for_the_account_that_was_asked_for_alone(account):
    for one in Account.objects.all():
        refused(one)
    last = Account.objects.latest("pk")
    send_again({"account_id": last.pk})
    still, freed = Account.objects.order_by("pk")
    assert (freed.sending_resumes_at, freed.sending_problem, freed.sending_failures) == (
        None,
        "",
        0,
    )
    assert still.sending_resumes_at is not None
    send_again({"account_id": last.pk + 1})


def test_a_pause_counts_from_its_beginning_to_its_end_and_no_farther_than_a_day(account):
    now = timezone.now()
    for hours, counts in ((-1, False), (0, False), (1, True), (25, True), (26, False)):
        account.sending_resumes_at = now + timedelta(hours=hours)
        assert (resumes_at(account, now) is not None) is counts
    account.sending_resumes_at = None
    assert resumes_at(account, now) is None


def test_going_on_is_urgent_and_asked_for_that_account(account):
    enqueue_going_on(account)
    job = Job.objects.get(kind="account.send_again")
    assert (job.payload, job.account_id, job.workspace_id, job.priority) == (
        {"account_id": account.pk}, account.pk, account.workspace_id, URGENT,
    )  # fmt: skip


def test_what_is_only_about_to_leave_does_not_wait_for_a_login(actor, inbox, reviewer):
    waits, leaves = (
        sending_tools.release(sending_tools.propose(actor, inbox), reviewer) for _ in range(2)
    )
    Submission.objects.filter(pk=waits.pk).update(waits_since=timezone.now())
    assert list(waiting_of(inbox.account)) == [waits]
    assert leaves.state == "pending"
