"""Who takes a submission to send it, what it may record, and what nobody knows afterwards."""

from datetime import timedelta
from typing import ClassVar

import pytest
from django.db import connections
from django.utils import timezone

from agents.models import Agent
from inbox.background.jobs import URGENT, RetryLater, run_due
from inbox.models import (
    Account,
    Draft,
    Job,
    Submission,
)
from inbox.models.jobs import Pace
from inbox.operations.drafts.writing import draft_reply
from inbox.operations.sending import delivery, pauses
from inbox.operations.sending.submissions import (
    enqueue_send,
    propose_submission,
    tell_found,
)
from inbox.providers import PROVIDERS
from inbox.providers.base import Capabilities
from inbox.providers.declaration import Declaration
from tests import sending_tools
from tests.factories import agent_actor, make_inbox, make_message
from tests.sending_tools import fate, hurry, propose
from tests.servers import Peer, drop, say


@pytest.fixture
def submission(actor, inbox) -> Submission:
    return propose(actor, inbox)


@pytest.fixture
def reply(actor, inbox) -> Submission:
    """A proposed answer to a message that came at noon."""
    return propose_submission(
        actor=actor, draft=draft_reply(actor=actor, thread=make_message(inbox).thread, body="Yes.")
    )


# -- what a worker claims --------------------------------------------------------------------------
@pytest.mark.django_db(transaction=True)
def test_what_is_claimed_has_a_fence_a_lease_and_one_attempt_more(actor, inbox, reviewer):
    seen = {}

    def look(talk):
        seen.update(Submission.objects.values().get())
        connections.close_all()
        say("250 ok")(talk)

    with Peer(MAIL=look) as peer:
        submission = sending_tools.release(propose(actor, inbox, peer.port), reviewer)
        Submission.objects.update(handed_over_at=timezone.now() - timedelta(days=1))
        before = timezone.now()
        delivery.send({"submission_id": submission.pk})
    assert (seen["state"], seen["attempts"], seen["handed_over_at"]) == ("sending", 1, None)
    assert len(seen["fence"]) == 32
    assert seen["leased_until"] >= before + delivery.LEASE


def test_after_a_refusal_for_now_nobody_owns_it(actor, inbox, reviewer):
    with Peer(dot="451 busy") as peer:
        submission = sending_tools.release(propose(actor, inbox, peer.port), reviewer)
        run_due()
    assert (fate(submission), submission.fence) == ("pending", "")
    assert (submission.leased_until, submission.handed_over_at) == (None, None)


@pytest.mark.parametrize(
    ("attempts", "seconds"), [(1, 30), (2, 60), (5, 480), (8, 3600), (11, 3600)]
)
def test_the_pauses_grow_up_to_an_hour(actor, inbox, reviewer, attempts, seconds):
    with Peer(MAIL="451 busy") as peer:
        submission = sending_tools.release(propose(actor, inbox, peer.port), reviewer)
        Submission.objects.update(attempts=attempts - 1)
        run_due()
    submission.refresh_from_db()
    pause = submission.send_at - timezone.now()
    assert timedelta(seconds=seconds - 10) < pause <= timedelta(seconds=seconds)


def test_a_lease_that_is_over_keeps_no_other_mail_of_its_account_back(actor, inbox, reviewer):
    dead = [
        sending_tools.release(propose(actor, inbox), reviewer) for _ in range(delivery.MOST_AT_ONCE)
    ]
    Submission.objects.filter(pk__in=[it.pk for it in dead]).update(
        state="sending", fence="f" * 32, leased_until=timezone.now() - timedelta(seconds=1)
    )
    submission = sending_tools.release(propose(actor, inbox), reviewer)
    delivery.send({"submission_id": submission.pk})
    assert fate(submission) == "sent"


def test_after_a_refused_login_one_is_tried_at_a_time(actor, inbox, reviewer):
    other = sending_tools.release(propose(actor, inbox), reviewer)
    Submission.objects.update(
        state="sending", fence="f" * 32, leased_until=timezone.now() + timedelta(minutes=1)
    )
    submission = sending_tools.release(propose(actor, inbox), reviewer)
    Account.objects.update(sending_failures=1)
    with pytest.raises(RetryLater):
        delivery.send({"submission_id": submission.pk})
    assert (fate(submission), fate(other)) == ("pending", "sending")


def test_while_the_login_is_refused_nobody_takes_it(actor, inbox, reviewer):
    submission = sending_tools.release(propose(actor, inbox), reviewer)
    until = timezone.now() + timedelta(minutes=30)
    Account.objects.update(sending_failures=1, sending_resumes_at=until)
    delivery.send({"submission_id": submission.pk})
    assert (fate(submission), submission.attempts) == ("pending", 0)
    assert (submission.send_at, submission.awaits_login) == (until, True)


def test_a_worker_without_the_fence_records_nothing(actor, inbox, reviewer):
    submission = sending_tools.release(propose(actor, inbox), reviewer)
    Submission.objects.update(state="sending", fence="f" * 32, leased_until=timezone.now())
    late = delivery._Attempt(submission, "e" * 32)
    delivery._record_sent(late, delivery.ProviderReceipt("250 taken"))
    for kind in ("transient", "permanent", "unknown", "login"):
        delivery._record_error(late, delivery.ProviderError(kind, "No."))
    assert not delivery._renew(late)
    with pytest.raises(delivery.LeaseLost):
        delivery._hand_over(late)
    submission.refresh_from_db()
    assert (submission.state, submission.fence, submission.outcome) == ("sending", "f" * 32, "")
    assert submission.handed_over_at is None


class Brittle:
    """A provider whose own code fails, before or after it has handed a message over."""

    capabilities = Capabilities(idempotent=False, finds_sent=False)
    seen: ClassVar[dict] = {}

    def __init__(self, connection):
        self.fails_late = connection.settings["fails_late"]

    def submit(self, parcel, hand_over):
        if self.fails_late:
            Submission.objects.update(leased_until=timezone.now())
            hand_over()
            self.seen.update(Submission.objects.values().get())
        raise RuntimeError("this is none of what a provider may raise")

    def find_sent(self, message_id):
        return None


@pytest.mark.parametrize(("fails_late", "state"), [(False, "pending"), (True, "unknown")])
def test_a_provider_that_fails_unexpectedly_may_have_sent_what_it_handed_over(
    submission, reviewer, monkeypatch, fails_late, state
):
    declared = Declaration("brittle", "Brittle", frozenset({"mail_out"}), send=Brittle)
    monkeypatch.setitem(PROVIDERS, "brittle", declared)
    Account.objects.update(provider="brittle", settings={"fails_late": fails_late})
    sending_tools.release(submission, reviewer)
    before = timezone.now()
    delivery.send({"submission_id": submission.pk})
    assert fate(submission) == state
    assert submission.outcome == "Sending failed unexpectedly (RuntimeError)."
    if fails_late:
        assert Brittle.seen["handed_over_at"] >= before
        assert Brittle.seen["leased_until"] >= before + delivery.LEASE


def test_the_lease_is_renewed_for_who_holds_the_fence(submission, reviewer):
    sending_tools.release(submission, reviewer)
    Submission.objects.update(state="sending", fence="f" * 32, leased_until=timezone.now())
    before = timezone.now()
    assert delivery._renew(delivery._Attempt(submission, "f" * 32)) is True
    submission.refresh_from_db()
    assert submission.leased_until >= before + delivery.LEASE


def test_a_send_that_worked_ends_the_pause_of_its_account(actor, inbox, reviewer):
    waiting, tried = (sending_tools.release(propose(actor, inbox), reviewer) for _ in range(2))
    Submission.objects.filter(pk=waiting.pk).update(
        waits_since=timezone.now(), send_at=timezone.now() + timedelta(hours=5)
    )
    Account.objects.update(
        sending_failures=2, sending_problem="535", sending_resumes_at=timezone.now()
    )
    delivery.send({"submission_id": tried.pk})
    account = Account.objects.get()
    assert fate(tried) == "sent"
    assert (account.sending_failures, account.sending_problem) == (0, "")
    assert account.sending_resumes_at is None
    waiting.refresh_from_db()
    assert waiting.send_at <= timezone.now()


def test_what_waited_too_long_for_a_login_is_failed_and_its_draft_open(submission, reviewer):
    sending_tools.release(submission, reviewer)
    past = timezone.now() - timedelta(days=30)
    Submission.objects.update(waits_since=past, expires_at=past)
    Account.objects.update(
        sending_failures=1, sending_problem="535 no",
        sending_resumes_at=timezone.now() + timedelta(minutes=30),
    )  # fmt: skip
    delivery.send({"submission_id": submission.pk})
    assert (fate(submission), submission.outcome) == ("failed", pauses.too_long("535 no"))
    assert Draft.objects.get().status == "open"


# -- what nobody knows -----------------------------------------------------------------------------
@pytest.fixture
def unknown(actor, inbox, reviewer) -> Submission:
    """A submission whose server never answered the final dot."""
    with Peer(dot=drop) as peer:
        made = sending_tools.release(propose(actor, inbox, peer.port), reviewer)
        run_due()
    made.refresh_from_db()
    return made


def test_what_nobody_knows_is_not_finished_and_is_looked_for_three_times(unknown):
    assert (unknown.state, unknown.finished_at) == ("unknown", None)
    looks = Job.objects.filter(kind="submission.look").order_by("run_at")
    pauses_until = [it.run_at - timezone.now() for it in looks]
    for pause, planned in zip(pauses_until, delivery.LOOKS, strict=True):
        assert planned - timedelta(seconds=20) < pause <= planned
    # A server may take its time to answer, and nothing that is quick is to wait for it.
    assert {it.pace for it in looks} == {Pace.SLOW}


def test_what_is_not_found_stays_unknown_and_what_turns_up_was_sent(unknown):
    hurry()
    run_due()
    assert fate(unknown) == "unknown"
    tell_found(unknown)
    run_due()
    assert (fate(unknown), unknown.outcome[:31]) == (
        "sent",
        "It was sent: Chancery found it ",
    )
    assert unknown.finished_at is not None


def test_of_what_is_known_nothing_is_looked_for(submission):
    tell_found(submission)
    assert not Job.objects.filter(kind="submission.look").exists()
    delivery.look_again({"submission_id": submission.pk, "found": True})
    assert fate(submission) == "held"


def test_the_sweep_leaves_alone_what_is_not_overdue(actor, inbox, reviewer):
    sending_tools.release(propose(actor, inbox), reviewer)
    Job.objects.all().delete()
    delivery.sweep_submissions()
    assert not Job.objects.exists()


def test_what_waits_for_a_login_counts_as_given_up_only_when_its_time_is_over(submission):
    now = timezone.now()
    assert not pauses.is_given_up(submission, now)
    submission.waits_since = now
    until = submission.waits_until(now)
    assert not pauses.is_given_up(submission, until - timedelta(seconds=1))
    assert pauses.is_given_up(submission, until)


def test_who_was_called_dead_hands_nothing_over_while_nobody_knows(submission, reviewer):
    sending_tools.release(submission, reviewer)
    Submission.objects.update(state="sending", fence="f" * 32, leased_until=timezone.now())
    Submission.objects.update(state="unknown")
    mine = delivery._Attempt(submission, "f" * 32)
    with pytest.raises(delivery.LeaseLost):
        delivery._hand_over(mine)
    assert not delivery._renew(mine)
    delivery._record_error(mine, delivery.ProviderError("unknown", "No answer."))
    assert (fate(submission), submission.outcome) == ("unknown", "")


def test_an_answer_to_a_worker_without_the_fence_ends_no_pause(submission, reviewer):
    sending_tools.release(submission, reviewer)
    Submission.objects.update(state="sending", fence="f" * 32, leased_until=timezone.now())
    Account.objects.update(sending_failures=2, sending_resumes_at=timezone.now())
    late = delivery._Attempt(submission, "e" * 32)
    delivery._record_sent(late, delivery.ProviderReceipt("250 taken"))
    assert Account.objects.get().sending_failures == 2


def test_words_that_no_database_takes_are_stored_nonetheless(submission, reviewer):
    sending_tools.release(submission, reviewer)
    Submission.objects.update(state="sending", fence="f" * 32, leased_until=timezone.now())
    mine = delivery._Attempt(submission, "f" * 32)
    words = "no\0\ud800" + "x" * 5000
    delivery._record_error(mine, delivery.ProviderError("permanent", words))
    assert (fate(submission), submission.outcome[:5]) == ("failed", "no�?x")
    assert len(submission.outcome) == delivery.LONGEST_OUTCOME


# -- several of an account -------------------------------------------------------------------------
@pytest.fixture
def two(actor, inbox, reviewer) -> list[Submission]:
    """Two released submissions."""
    return [sending_tools.release(propose(actor, inbox), reviewer) for _ in range(2)]


def lose_both(**fields) -> None:
    for number, pk in enumerate(Submission.objects.values_list("pk", flat=True)):
        rows = Submission.objects.filter(pk=pk)
        past = timezone.now() - timedelta(seconds=1)
        rows.update(state="sending", fence=f"{number}" * 32, leased_until=past, **fields)


def test_each_that_a_dead_worker_left_is_looked_at_soon(two):
    lose_both()
    Job.objects.all().delete()
    delivery.sweep_submissions()
    jobs = Job.objects.filter(kind="submission.recover")
    assert {it.payload["submission_id"] for it in jobs} == {it.pk for it in two}
    assert {(it.account_id, it.priority) for it in jobs} == {(two[0].account_id, URGENT)}


def test_what_ended_is_not_looked_at_for_its_old_lease(two):
    run_due()
    assert {fate(it) for it in two} == {"sent"}
    Submission.objects.update(leased_until=timezone.now() - timedelta(days=1))
    Job.objects.all().delete()
    delivery.sweep_submissions()
    assert not Job.objects.filter(kind="submission.recover").exists()


def test_what_a_living_worker_still_holds_is_left_to_it(two):
    lose_both()
    Submission.objects.update(leased_until=timezone.now() + timedelta(seconds=30))
    delivery.recover({"submission_id": two[0].pk, "fence": "0" * 32})
    assert [fate(it) for it in two] == ["sending", "sending"]


def test_an_attempt_is_due_once_however_often_it_is_asked_for(two):
    Job.objects.all().delete()
    for _ in range(2):
        enqueue_send(two[0], timezone.now())
    assert Job.objects.filter(kind="submission.send").count() == 1


def test_with_the_mark_and_no_provider_to_ask_nobody_knows(two):
    lose_both(handed_over_at=timezone.now())
    Account.objects.update(provider="pigeon")
    delivery.recover({"submission_id": two[0].pk, "fence": "0" * 32})
    assert [fate(it) for it in two] == ["unknown", "sending"]


def test_settling_one_says_nothing_of_another(two, reviewer):
    lose_both()
    Submission.objects.update(state="unknown")
    delivery.settle_submission(submission=two[0], sent=False, by=reviewer)
    assert [fate(it) for it in two] == ["failed", "unknown"]
    delivery.look_again({"submission_id": two[1].pk, "found": True})
    assert [fate(it) for it in two] == ["failed", "sent"]


def test_what_was_just_sent_keeps_no_other_mail_of_its_account_back(two, actor, inbox, reviewer):
    run_due()
    assert {fate(it) for it in two} == {"sent"}
    Submission.objects.update(leased_until=timezone.now() + timedelta(minutes=1))
    third = sending_tools.release(propose(actor, inbox), reviewer)
    delivery.send({"submission_id": third.pk})
    assert fate(third) == "sent"


def test_what_other_accounts_send_keeps_nobody_waiting(two, actor, inbox, reviewer):
    lose_both()
    Submission.objects.update(leased_until=timezone.now() + timedelta(minutes=1))
    agent = Agent.objects.get(pk=actor.id)
    other = make_inbox(inbox.workspace, "second@lantern.example")
    agent.grants.create(account=other.account)
    third = sending_tools.release(propose(agent_actor(agent), other), reviewer)
    delivery.send({"submission_id": third.pk})
    assert fate(third) == "sent"
