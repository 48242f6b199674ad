"""A server that refuses the login to send: approved mail waits for a password that works."""

import threading
import time
from contextlib import suppress
from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from inbox.accounts.credentials import Secret, Tokens, encrypt, encrypt_tokens
from inbox.background.jobs import run_due
from inbox.models import Account, Draft, Job, Submission
from inbox.operations.accounts.connecting import change_connection
from inbox.operations.sending import delivery
from inbox.operations.sending.pauses import (
    hurry_those_of_a_wrong_clock,
)
from inbox.operations.sending.submissions import undo_submission
from tests import factories, sending_tools
from tests.sending_tools import fate, hurry, propose
from tests.servers import Pause, Peer, drop
from tests.token_server import token_server

ASKS = "250-peer\r\n250 AUTH PLAIN"
NO = "535 5.7.8 That is not the password"


@pytest.fixture
def release(actor, inbox, reviewer):
    """Release a submission of an account with a password, through the server at this port."""

    def make(port: int, secret: bytes | None = None) -> Submission:
        submission = propose(actor, inbox, port)
        Account.objects.update(secret=secret or encrypt("old word"))
        return sending_tools.release(submission, reviewer)

    return make


def logins(peer) -> int:
    return sum(line.startswith("AUTH") for line in peer.log)


def pass_the_pause() -> None:
    past = timezone.now() - timedelta(seconds=1)
    Account.objects.exclude(sending_resumes_at=None).update(sending_resumes_at=past)
    hurry()


def test_it_waits_visibly_and_leaves_with_the_next_password(release):
    with Peer(EHLO=ASKS, AUTH=[NO, "235 welcome"]) as peer:
        submission = release(peer.port)
        run_due()
        assert fate(submission) == "pending"
        assert submission.awaits_login
        assert submission.outcome.startswith(
            "Waiting for a working password: 127.0.0.1 refused the sign-in: 535 5.7.8"
        )
        account = submission.account
        account.refresh_from_db()
        assert account.sending_resumes_at > timezone.now()
        settings = account.settings | {"smtp_security": "none"}
        change_connection(account=account, settings=settings, credential=Secret("new word"))
        run_due()
        assert fate(submission) == "sent"
    assert (len(peer.whole), logins(peer)) == (1, 2)
    account.refresh_from_db()
    assert (account.sending_resumes_at, account.sending_problem) == (None, "")


def test_of_many_one_tries_and_the_others_wait_with_it(release, inbox):
    factories.make_inbox(inbox.workspace, "second@lantern.example")
    with Peer(EHLO=ASKS, AUTH=NO) as peer:
        waiting = [release(peer.port) for _ in range(5)]
        for _ in range(3):
            run_due()
        assert logins(peer) == 1
        assert {fate(one) for one in waiting} == {"pending"}
        assert all(one.awaits_login for one in waiting)
        pass_the_pause()
        run_due()
        assert logins(peer) == 2
    assert Account.objects.get(pk=inbox.account_id).sending_failures == 2


def test_once_it_works_again_by_itself_all_leave(release):
    with Peer(EHLO=ASKS, AUTH=[NO, "235 welcome"]) as peer:
        waiting = [release(peer.port) for _ in range(3)]
        run_due()
        pass_the_pause()
        run_due()
        assert {fate(one) for one in waiting} == {"sent"}
    assert len(peer.whole) == 3


def test_it_fails_with_the_servers_words_once_its_time_is_over(release):
    with Peer(EHLO=ASKS, AUTH=NO) as peer:
        submission = release(peer.port)
        run_due()
        longago = timezone.now() - timedelta(days=9)
        Submission.objects.update(waits_since=longago, expires_at=longago)
        hurry()
        run_due()
        assert fate(submission) == "failed"
    assert NO in submission.outcome
    assert "It waited for a working password until it expired" in submission.outcome
    assert logins(peer) == 1
    assert Draft.objects.get().status == "open"


def test_the_last_try_at_the_end_of_its_time_fails_it_too(release):
    with Peer(EHLO=ASKS, AUTH=NO) as peer:
        submission = release(peer.port)
        run_due()
        longago = timezone.now() - timedelta(days=9)
        Submission.objects.update(waits_since=longago, expires_at=longago)
        pass_the_pause()
        run_due()
        assert (fate(submission), NO in submission.outcome) == ("failed", True)


def test_an_approval_at_the_last_minute_still_has_a_day(release):
    with Peer(EHLO=ASKS, AUTH=NO) as peer:
        submission = release(peer.port)
        Submission.objects.update(expires_at=timezone.now())
        run_due()
        assert fate(submission) == "pending"
        left = submission.waits_until(submission.waits_since) - timezone.now()
        assert timedelta(hours=23) < left <= timedelta(hours=24)


def test_what_waits_can_be_taken_back(release):
    with Peer(EHLO=ASKS, AUTH=NO) as peer:
        submission = release(peer.port)
        run_due()
        submission.refresh_from_db()
        undo_submission(submission=submission)
        pass_the_pause()
        run_due()
    assert (fate(submission), logins(peer)) == ("canceled", 1)


def test_a_password_whose_key_is_missing_waits_and_no_server_is_asked(release):
    with Peer(EHLO=ASKS) as peer:
        submission = release(peer.port, b"encrypted under another key")
        run_due()
        assert (fate(submission), submission.awaits_login) == ("pending", True)
        assert "CHANCERY_CREDENTIAL_KEYS" in submission.outcome
        assert peer.log == []
        soon = Account.objects.get().sending_resumes_at - timezone.now()
        assert soon <= timedelta(minutes=1)
        Account.objects.update(secret=encrypt("word"))
        pass_the_pause()
        run_due()
        assert fate(submission) == "sent"


@pytest.mark.django_db(transaction=True)
def test_a_password_typed_in_while_the_old_one_is_refused_is_tried_at_once(release):
    held = Pause(NO)
    with Peer(EHLO=ASKS, AUTH=[held, "235 welcome"]) as peer:
        submission = release(peer.port)

        def work() -> None:
            run_due()
            connection.close()

        worker = threading.Thread(target=work)
        worker.start()
        assert held.reached.wait(30)
        Account.objects.update(secret=encrypt("new word"))
        held.go.set()
        worker.join(30)
        assert Account.objects.get().sending_resumes_at is None
        run_due()
        assert fate(submission) == "sent"
    assert logins(peer) == 2


def test_no_job_is_given_up_while_it_waits(release):
    with Peer(EHLO=ASKS, AUTH=NO) as peer:
        release(peer.port)
        for _ in range(12):
            pass_the_pause()
            run_due()
    assert not Job.objects.filter(state="failed").exists()
    assert Submission.objects.get().state == "pending"


def test_the_logins_that_were_refused_do_not_count_as_attempts_of_the_mail(release):
    greetings = [NO] * 13 + ["454 4.7.0 Not now", "235 welcome"]
    with Peer(EHLO=ASKS, AUTH=greetings) as peer:
        submission = release(peer.port)
        for _ in range(14):
            pass_the_pause()
            run_due()
        assert logins(peer) == 14
        assert fate(submission) == "pending"
        hurry()
        run_due()
        assert fate(submission) == "sent"
    assert len(peer.whole) == 1


def test_that_a_person_knows_of_a_mail_that_left_says_nothing_of_the_password(release, reviewer):
    with Peer(EHLO=ASKS, AUTH=["235 welcome", NO], dot=drop) as peer:
        unknown = release(peer.port)
        run_due()
        assert fate(unknown) == "unknown"
        waiting = release(peer.port)
        run_due()
        delivery.settle_submission(submission=unknown, sent=True, by=reviewer)
        run_due()
        assert logins(peer) == 2
    assert (fate(unknown), fate(waiting)) == ("sent", "pending")
    assert Account.objects.get().sending_failures == 1


def test_a_pause_that_only_a_wrong_clock_can_have_noted_holds_nothing_up(release):
    with Peer(EHLO=ASKS, AUTH=[NO, "235 welcome"]) as peer:
        submission = release(peer.port)
        run_due()
        far = timezone.now() + timedelta(days=300)
        Account.objects.update(sending_resumes_at=far)
        Submission.objects.update(send_at=far, waits_since=far)
        Job.objects.filter(state="queued").update(run_at=far)
        hurry_those_of_a_wrong_clock()
        delivery.sweep_submissions(timezone.now() + timedelta(minutes=3))
        hurry()
        run_due()
        assert fate(submission) == "sent"
    assert len(peer.whole) == 1


def test_its_time_does_not_begin_in_the_future(release):
    with Peer(EHLO=ASKS, AUTH=NO) as peer:
        submission = release(peer.port)
        run_due()
        Submission.objects.update(waits_since=timezone.now() + timedelta(days=300))
        pass_the_pause()
        run_due()
        submission.refresh_from_db()
    assert submission.waits_since <= timezone.now()


@pytest.mark.django_db(transaction=True)
def test_whoever_dies_once_a_password_was_kept_has_it_tried_all_the_same(release):
    def die(execute, sql, params, many, context):
        if "inbox_submission" in sql:
            raise OperationalError("killed")
        return execute(sql, params, many, context)

    with Peer(EHLO=ASKS, AUTH=[NO, "235 welcome"]) as peer:
        submission = release(peer.port)
        run_due()
        account = Account.objects.get()
        settings = account.settings | {"smtp_security": "none"}
        with suppress(OperationalError), connection.execute_wrapper(die):
            change_connection(account=account, settings=settings, credential=Secret("new word"))
        run_due()
        assert fate(submission) == "sent"
    assert len(peer.whole) == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_that_are_taken_at_the_same_moment_one_tries(release):
    taking = threading.Event()

    def linger(execute, sql, params, many, context):
        result = execute(sql, params, many, context)
        if sql.startswith('UPDATE "inbox_submission"') and "sending" in params:
            taking.set()
            time.sleep(0.3)
        return result

    def work() -> None:
        with connection.execute_wrapper(linger):
            run_due()
        connection.close()

    held = Pause(NO)
    with Peer(EHLO=ASKS, AUTH=[NO, held, NO]) as peer:
        for _ in range(2):
            release(peer.port)
        run_due()
        pass_the_pause()
        workers = [threading.Thread(target=work) for _ in range(2)]
        workers[0].start()
        assert taking.wait(30)
        workers[1].start()
        workers[1].join(30)
        held.go.set()
        workers[0].join(30)
        assert logins(peer) == 2


def test_a_token_that_is_withdrawn_before_its_time_is_renewed_and_the_mail_leaves(release):
    later = timezone.now() + timedelta(hours=1)
    tokens = Tokens(Secret("token-0"), Secret("refresh-0"), Secret(""), later)
    offer = "250-peer\r\n250 AUTH OAUTHBEARER"
    with token_server() as server, Peer(EHLO=offer, AUTH=[NO, "235 welcome"]) as peer:
        first = release(peer.port, encrypt_tokens(tokens))
        oauth = {"auth": "oauth", "oauth_token_url": server.url, "oauth_client_id": "chancery"}
        Account.objects.update(settings=Account.objects.get().settings | oauth)
        run_due()
        assert (fate(first), logins(peer), len(server.asked)) == ("sent", 2, 1)
        assert Account.objects.get().sending_resumes_at is None


def test_a_token_that_is_refused_when_it_is_new_waits_as_a_password_does(release):
    later = timezone.now() + timedelta(hours=1)
    tokens = Tokens(Secret("token-0"), Secret("refresh-0"), Secret(""), later)
    with token_server() as server, Peer(EHLO="250-peer\r\n250 AUTH XOAUTH2", AUTH=NO) as peer:
        submission = release(peer.port, encrypt_tokens(tokens))
        oauth = {"auth": "oauth", "oauth_token_url": server.url, "oauth_client_id": "chancery"}
        Account.objects.update(settings=Account.objects.get().settings | oauth)
        run_due()
        assert (fate(submission), logins(peer), len(server.asked)) == ("pending", 2, 1)
        assert submission.awaits_login


def test_what_waits_as_long_as_it_should_is_not_hurried(release):
    with Peer(EHLO=ASKS, AUTH=NO) as peer:
        submission = release(peer.port)
        run_due()
        submission.refresh_from_db()
        hurry_those_of_a_wrong_clock()
        assert Submission.objects.get().send_at == submission.send_at
        long_ago = timezone.now() - timedelta(days=9)
        hurry_those_of_a_wrong_clock(long_ago)
        assert Submission.objects.get().send_at == long_ago
    assert (submission.fence, submission.leased_until, submission.handed_over_at) == (
        "",
        None,
        None,
    )
