"""What becomes of a released submission, whatever its server does."""

import os
import threading
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection, connections
from django.utils import timezone

from inbox.background.jobs import run_due
from inbox.models import Account, Draft, Job, Message, Submission
from inbox.operations.sending import delivery
from inbox.operations.sending.keeping_copies import keep_copy
from inbox.operations.sending.submissions import SubmissionError
from tests import sending_tools
from tests.factories import NOON
from tests.sending_tools import fate, hurry, propose, recover
from tests.servers import USUAL, Pause, Peer, drop, reset, say, smtp_sink


@pytest.fixture
def release(actor, inbox, reviewer):
    """Release a submission that leaves at once, through the server at this port."""

    def make(port: int = 0, **fields) -> Submission:
        return sending_tools.release(propose(actor, inbox, port, **fields), reviewer)

    return make


# -- the answers of a server -----------------------------------------------------------------------
def test_exactly_the_sealed_bytes_reach_the_server_once(release):
    with smtp_sink() as (sink, port):
        submission = release(port, cc=["b@x.example"], bcc=["c@x.example"])
        run_due()
        recover()
    assert fate(submission) == "sent"
    [taken] = sink.taken
    assert taken.content == submission.mime_bytes
    assert taken.recipients == ["ada@customer.example", "b@x.example", "c@x.example"]
    assert Message.objects.get().submission_id == submission.pk


@pytest.mark.parametrize("verb", ["connect", "MAIL", "RCPT", "DATA", "dot"])
def test_what_is_refused_for_now_waits_visibly_and_leaves_later(release, verb):
    usual = {"connect": "220 peer", "DATA": "354 go on"}.get(verb, "250 ok")
    with Peer(**{verb: ["451 busy now", usual]}) as peer:
        submission = release(peer.port)
        run_due()
        assert (fate(submission), "451 busy now" in submission.outcome) == ("pending", True)
        assert submission.send_at > timezone.now()
        hurry()
        run_due()
        assert fate(submission) == "sent"
    assert len(peer.whole) == (2 if verb == "dot" else 1)


@pytest.mark.parametrize("verb", ["MAIL", "RCPT", "DATA", "dot"])
def test_what_is_refused_for_good_fails_with_the_servers_words(release, verb):
    with Peer(**{verb: "554 not from you"}) as peer:
        submission = release(peer.port)
        run_due()
        hurry()
        run_due()
    assert (fate(submission), "554 not from you" in submission.outcome) == ("failed", True)
    assert Draft.objects.get().status == "open"
    assert len([line for line in peer.log if line.startswith("MAIL")]) == 1


@pytest.mark.parametrize("answer", [drop, reset, say("nonsense")])
def test_no_answer_to_the_final_dot_is_unknown_and_never_tried_again(release, answer):
    with Peer(dot=answer) as peer:
        submission = release(peer.port)
        run_due()
        assert fate(submission) == "unknown"
        hurry()
        recover()
        delivery.sweep_submissions(timezone.now() + timedelta(days=1))
        run_due()
    assert fate(submission) == "unknown"
    assert len(peer.whole) == 1
    assert not Message.objects.exists()


def test_it_gives_up_visibly(release):
    with Peer(MAIL="451 busy") as peer:
        submission = release(peer.port)
        for _ in range(delivery.MOST_ATTEMPTS + 3):
            hurry()
            run_due()
    assert fate(submission) == "failed"
    assert submission.outcome.startswith(f"Gave up after {delivery.MOST_ATTEMPTS} attempts")
    assert len([line for line in peer.log if line.startswith("MAIL")]) == delivery.MOST_ATTEMPTS


def test_a_waiting_retry_can_be_voided_by_an_edit(release):
    with Peer(MAIL=["451 busy", "250 ok"]) as peer:
        submission = release(peer.port)
        run_due()
        Draft.objects.update(status="discarded")
        hurry()
        run_due()
    assert fate(submission) == "voided"
    assert peer.whole == []


def test_what_nobody_is_named_for_does_not_leave(release, settings):
    submission = release()
    Submission.objects.update(approved_by=None)
    run_due()
    assert (fate(submission), submission.outcome) == (
        "voided", "no approver is named",
    )  # fmt: skip


def test_a_provider_that_we_do_not_have_fails_at_once(release):
    submission = release()
    Account.objects.update(provider="pigeon")
    run_due()
    assert (fate(submission), "pigeon" in submission.outcome) == ("failed", True)


def test_of_one_account_only_a_few_are_sent_at_a_time(release):
    with smtp_sink() as (sink, port):
        waiting = release(port)
        others = [release(port) for _ in range(delivery.MOST_AT_ONCE)]
        for other in others:
            leave_behind(other)
        Submission.objects.filter(state="sending").update(
            leased_until=timezone.now() + timedelta(minutes=1)
        )
        run_due()
        assert fate(waiting) == "pending"
        recover()
        recover()
    assert {fate(it) for it in (waiting, *others)} == {"sent"}
    assert len(sink.taken) == 1 + len(others)


@pytest.mark.django_db(transaction=True)
def test_on_sqlite_approval_claim_mark_and_outcome_reach_the_disk_before_what_follows(
    release, monkeypatch
):
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL syncs every commit itself")
    events, name = [], "fdatasync" if hasattr(os, "fdatasync") else "fsync"
    sync = getattr(os, name)
    log = Path(f"{connection.settings_dict['NAME']}-wal")

    def seen_sync(descriptor):
        if os.path.samestat(os.fstat(descriptor), log.stat()):
            events.append("sync")
        sync(descriptor)

    def noted(word):
        def answer(talk):
            events.append(word)
            say(USUAL[word])(talk)

        return answer

    monkeypatch.setattr(os, name, seen_sync)
    with Peer(connect=noted("connect"), dot=noted("dot")) as peer:
        release(peer.port)
        events.append("released")
        run_due()
    assert events == ["sync", "released", "sync", "connect", "sync", "dot", "sync"]


# -- settling --------------------------------------------------------------------------------------
@pytest.mark.parametrize(("sent", "state", "copies"), [(True, "sent", 1), (False, "failed", 0)])
def test_a_person_settles_what_nobody_knows(release, reviewer, sent, state, copies):
    with Peer(dot=drop) as peer:
        submission = release(peer.port)
        run_due()
    delivery.settle_submission(submission=submission, sent=sent, by=reviewer)
    run_due()
    assert submission.state == state
    assert submission.outcome.startswith("rhea says it was")
    assert Message.objects.count() == copies


def test_what_is_known_cannot_be_settled(release, reviewer):
    submission = release()
    run_due()
    submission.refresh_from_db()
    with pytest.raises(SubmissionError) as caught:
        delivery.settle_submission(submission=submission, sent=False, by=reviewer)
    assert caught.value.problem == "not_unknown"
    assert fate(submission) == "sent"


# -- a worker that died, seen from the rows it left ------------------------------------------------
def leave_behind(submission: Submission, **fields) -> None:
    Submission.objects.filter(pk=submission.pk).update(
        state="sending", fence="f" * 32, attempts=1, leased_until=NOON, **fields
    )


def test_without_the_mark_it_is_tried_again(release):
    with Peer() as peer:
        submission = release(peer.port)
        leave_behind(submission)
        recover()
        assert (fate(submission), peer.log) == ("pending", [])
        hurry()
        run_due()
    assert (fate(submission), len(peer.whole)) == ("sent", 1)


def test_with_the_mark_nobody_knows(release):
    with Peer() as peer:
        submission = release(peer.port)
        leave_behind(submission, handed_over_at=NOON)
        recover()
    assert (fate(submission), peer.log) == ("unknown", [])


def test_with_the_mark_and_a_provider_that_finds_it_it_was_sent(release):
    submission = release()
    run_due()
    Message.objects.all().delete()
    Job.objects.all().delete()
    again = release()
    # As if the worker had delivered it and died before it wrote so.
    provider = delivery.provider_of(again.account)
    parcel = delivery.parcel_of(again)
    provider.submit(parcel, lambda: None)
    leave_behind(again, handed_over_at=NOON)
    recover()
    assert (fate(again), "found" in again.outcome) == ("sent", True)
    assert fate(submission) == "sent"


def test_with_the_mark_and_a_provider_that_delivers_once_it_is_tried_again(release):
    submission = release()
    leave_behind(submission, handed_over_at=NOON)
    recover()
    assert fate(submission) == "pending"
    hurry()
    run_due()
    assert fate(submission) == "sent"


def test_a_submission_that_ends_every_worker_is_failed(release):
    submission = release()
    leave_behind(submission)
    Submission.objects.update(attempts=delivery.MOST_ATTEMPTS)
    recover()
    assert (fate(submission), submission.outcome[:7]) == ("failed", "Gave up")


def test_a_lease_that_still_runs_is_left_alone(release):
    submission = release()
    leave_behind(submission)
    Submission.objects.update(leased_until=timezone.now() + timedelta(seconds=30))
    delivery.sweep_submissions()
    run_due()
    assert fate(submission) == "sending"


def test_a_released_submission_whose_job_is_lost_still_leaves(release):
    submission = release()
    Job.objects.all().delete()
    delivery.sweep_submissions(timezone.now() + delivery.OVERDUE + timedelta(seconds=1))
    hurry()
    run_due()
    assert fate(submission) == "sent"


def test_a_copy_that_is_missing_is_completed_once(release):
    submission = release()
    run_due()
    Message.objects.all().delete()
    Job.objects.all().delete()
    for _ in range(3):
        delivery.sweep_submissions(timezone.now() + delivery.OVERDUE + timedelta(seconds=1))
        hurry()
        run_due()
    assert Message.objects.get().submission_id == submission.pk


def test_sending_and_copying_twice_changes_nothing(release):
    submission = release()
    run_due()
    delivery.send({"submission_id": submission.pk})
    keep_copy({"submission_id": submission.pk})
    assert Message.objects.count() == 1
    assert fate(submission) == "sent"


# -- several workers at once -----------------------------------------------------------------------
def in_threads(count: int, work) -> list:
    """Run `work(number)` in so many threads at once; return what each returned or raised."""
    barrier, results = threading.Barrier(count), [None] * count

    def one(number: int) -> None:
        try:
            barrier.wait(30)
            results[number] = work(number)
        except Exception as error:  # noqa: BLE001
            results[number] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=one, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.mark.django_db(transaction=True)
def test_of_fifty_who_release_at_once_one_wins(actor, inbox, reviewer):
    pk = propose(actor, inbox).pk
    results = in_threads(
        50, lambda _: sending_tools.release(Submission.objects.get(pk=pk), reviewer)
    )
    assert len([it for it in results if isinstance(it, Submission)]) == 1
    assert {it.problem for it in results if isinstance(it, SubmissionError)} == {"not_held"}
    assert Job.objects.filter(kind="submission.send").count() == 1


@pytest.mark.django_db(transaction=True)
def test_ten_deliveries_of_the_job_at_once_send_it_once(release):
    with smtp_sink() as (sink, port):
        submission = release(port)
        in_threads(10, lambda _: delivery.send({"submission_id": submission.pk}))
    assert len(sink.taken) == 1
    assert (fate(submission), submission.attempts) == ("sent", 1)


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_lost_its_lease_before_the_dot_does_not_send(release):
    pause = Pause("354 go on")
    with Peer(DATA=[pause, "354 go on"]) as peer:
        submission = release(peer.port)
        slow = threading.Thread(target=in_threads, args=(1, lambda _: run_due()))
        slow.start()
        assert pause.reached.wait(10)
        # Its clock, or ours, jumped: the sweep takes it for dead, and another worker comes.
        recover()
        hurry()
        run_due()
        assert fate(submission) == "sent"
        pause.go.set()
        slow.join(10)
    assert len(peer.whole) == 1
    assert fate(submission) == "sent"


@pytest.mark.django_db(transaction=True)
def test_an_answer_that_comes_after_the_lease_is_still_the_truth(release):
    pause = Pause("250 taken")
    with Peer(dot=pause) as peer:
        submission = release(peer.port)
        Account.objects.update(settings=submission.account.settings | {"smtp_answer_timeout": 20})
        slow = threading.Thread(target=in_threads, args=(1, lambda _: run_due()))
        slow.start()
        assert pause.reached.wait(10)
        recover()
        assert fate(submission) == "unknown"
        pause.go.set()
        slow.join(10)
        assert fate(submission) == "sent"
        run_due()
    assert (len(peer.whole), Message.objects.count()) == (1, 1)
