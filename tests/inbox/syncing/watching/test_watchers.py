"""Many accounts are watched from one thread; whatever one server does, the others are noticed."""

import threading
import time
from collections import Counter
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.utils import timezone

from inbox.accounts import credentials
from inbox.accounts.credentials import Secret, Tokens, encrypt_tokens
from inbox.models import Account, Job, SyncState
from inbox.models.remote import SyncStatus
from inbox.providers.imap import waiting
from inbox.syncing import turns
from inbox.syncing.watching import pacing, watchers
from inbox.syncing.watching.watchers import Watchers
from tests.crowded_imap import CrowdedImap, crowded_imap
from tests.inbox.syncing.watching.accounts import connect_many
from tests.patience import LONG
from tests.servers import make_certificate
from tests.token_server import token_server

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def hurry(monkeypatch):
    """Have everything go as before, only sooner."""
    for name, seconds in {"LOOK": 0.1, "LOOK_AGAIN": 0.05, "BREATH": 0.05, "RENEW": 0.2}.items():
        monkeypatch.setattr(watchers, name, seconds)
    monkeypatch.setattr(pacing, "BETWEEN", 0.001)
    monkeypatch.setitem(turns._FIRST_PAUSE, "transient", timedelta(seconds=0.3))


@pytest.fixture
def server():
    with crowded_imap() as made:
        yield made


@contextmanager
def watching(most: int = 100):
    made = Watchers(most=most)
    made.start()
    try:
        yield made
    finally:
        made.stop()


def until(condition):
    end = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def users(number: int) -> list[str]:
    return [f"user{one}" for one in range(number)]


def connect(workspace, server: CrowdedImap, *names: str, **more):
    return connect_many(workspace, [server.settings(name, **more) for name in names])


def asked_for() -> Counter[int]:
    return Counter(Job.objects.filter(kind="account.sync").values_list("account_id", flat=True))


def test_fifty_accounts_are_watched_from_one_thread_over_tls(workspace, tmp_path):
    with crowded_imap(make_certificate(tmp_path / "certificate.pem")) as server:
        names = users(50)
        accounts = connect(workspace, server, *names)
        threads = threading.active_count()
        with watching() as made:
            until(lambda: server.number_idling == 50)
            assert made.number == 50
            assert threading.active_count() - threads < 25
            assert server.most_at_once <= pacing.AT_ONE_SERVER
            assert not asked_for()
            server.deliver(*names)
            until(lambda: len(asked_for()) == 50)
            assert asked_for() == {account.pk: 1 for account in accounts}
        assert not SyncState.objects.exclude(watch_fence="", watched_until=None).exists()


def test_they_connect_one_after_the_other(workspace, server, monkeypatch):
    monkeypatch.setattr(pacing, "BETWEEN", 0.05)
    connect(workspace, server, *users(8))
    with watching():
        until(lambda: server.number_idling == 8)
    times = sorted(at for at, _ in server.logins)
    assert times[-1] - times[0] > 0.2


def test_no_more_are_watched_than_there_may_be(workspace, server):
    connect(workspace, server, *users(5))
    with watching(most=3) as made:
        until(lambda: server.number_idling == 3)
        time.sleep(0.3)
        assert (made.number, server.number_idling) == (3, 3)


@pytest.mark.parametrize(
    ("verb", "fault"),
    [
        ("AUTHENTICATE", "hang"), ("EXAMINE", "hang"), ("IDLE", "hang"), ("IDLE", "flood"),
        ("IDLE", "endless"), ("IDLE", "literal"), ("IDLE", "drip"), ("IDLE", "bye"),
    ],
)  # fmt: skip
def test_a_server_that_misbehaves_holds_up_no_other(workspace, server, verb, fault):
    # Of those that hang while they log in, more than may do so at once.
    number = pacing.AT_ONE_SERVER + 1 if verb == "AUTHENTICATE" else 2
    bad = connect(workspace, server, *users(number), imap_timeout=0.5)
    server.faults = {(name, verb): fault for name in users(number)}
    with crowded_imap() as other, watching():
        until(lambda: server.logins)
        [account] = connect(workspace, other, "mira")
        until(lambda: other.number_idling == 1)
        other.deliver("mira")
        until(lambda: asked_for()[account.pk] == 1)
        # Each of them is given up, and tried again after a pause.
        until(lambda: len(server.logins) >= 2 * number)
        server.faults = {}
        until(lambda: server.number_idling == number)
    assert not asked_for().keys() & {one.pk for one in bad}


def test_what_came_while_a_connection_broke_is_found_by_the_next(workspace, server):
    [account] = connect(workspace, server, "mira")
    server.faults = {("mira", "IDLE"): "drop"}
    with watching():
        until(lambda: len(server.logins) == 2 and server.number_idling == 1)
        until(lambda: asked_for()[account.pk] == 1)


def test_what_came_before_anybody_watched_is_asked_for(workspace, server):
    accounts = connect(workspace, server, *users(3))
    account = accounts[1]
    account.remote_folders.update(uidnext=3, messages=2)
    with watching():
        until(lambda: server.number_idling == 3)
        assert asked_for() == {account.pk: 1}


def test_a_wrong_password_is_tried_once(workspace, server):
    connect(workspace, server, "mira")
    Account.objects.update(secret=credentials.encrypt("wrong"))
    with watching():
        until(lambda: server.logins and not SyncState.objects.exclude(watch_fence="").exists())
        time.sleep(0.5)
    assert len(server.logins) == 1


def test_a_token_that_is_refused_is_renewed_once(workspace, server):
    server.token = "token-1"
    tokens = Tokens(
        Secret("withdrawn"), Secret("refresh-0"), Secret(""), timezone.now() + timedelta(hours=1)
    )
    with token_server() as endpoint:
        more = {"auth": "oauth", "oauth_token_url": endpoint.url, "oauth_client_id": "ours"}
        connect(workspace, server, "mira", **more)
        Account.objects.update(secret=encrypt_tokens(tokens))
        with watching():
            until(lambda: server.number_idling == 1)
        assert len(endpoint.asked) == 1


def test_a_certificate_of_somebody_else_is_not_trusted(workspace, tmp_path, caplog):
    caplog.set_level("INFO", "inbox.syncing")
    mine = make_certificate(tmp_path / "mine.pem")
    with crowded_imap(make_certificate(tmp_path / "theirs.pem")) as server:
        connect(workspace, server, "mira", imap_ca_file=str(mine))
        with watching():
            until(lambda: "cannot be trusted" in caplog.text)
        assert not server.logins


def test_a_server_without_idle_is_asked_now_and_then(workspace, monkeypatch):
    monkeypatch.setattr(waiting, "BETWEEN_QUESTIONS", 0.1)
    with crowded_imap(capabilities="UIDPLUS") as server:
        [account] = connect(workspace, server, "mira")
        SyncState.objects.update(features=[])
        with watching():
            until(lambda: server.verbs["NOOP"] >= 2)
            assert not asked_for()
            server.deliver("mira")
            until(lambda: asked_for()[account.pk] == 1)
        assert not server.verbs["IDLE"]


def test_accounts_that_are_paused_or_deleted_are_let_go_and_new_ones_taken_up(workspace, server):
    paused, deleted, _ = connect(workspace, server, *users(3))
    with watching():
        until(lambda: server.number_idling == 3)
        SyncState.objects.filter(account=paused).update(status=SyncStatus.PAUSED, next_at=None)
        SyncState.objects.filter(account=deleted).delete()
        until(lambda: server.number_idling == 1)
        connect(workspace, server, "later")
        until(lambda: server.number_idling == 2)
        ours = SyncState.objects.exclude(watch_fence="")
        until(lambda: not ours.filter(account=paused).exists())
        SyncState.objects.filter(account=paused).update(status=SyncStatus.CURRENT)
        until(lambda: server.number_idling == 3)


def test_what_one_process_gives_back_another_takes_up(workspace, server):
    connect(workspace, server, *users(6))
    with watching() as second:
        with watching() as first:
            until(lambda: server.number_idling == 6)
            assert first.number + second.number == 6
        until(lambda: second.number == 6 and server.number_idling == 6)
    assert Counter(name for _, name in server.logins).keys() == set(users(6))


def test_stopping_waits_for_no_server(workspace, server):
    connect(workspace, server, *users(4), imap_timeout=60)
    server.faults = {(name, "EXAMINE"): "hang" for name in users(2)}
    with watching() as made:
        until(lambda: server.number_idling == 2 and len(server.logins) == 4)
        began = time.monotonic()
        made.stop()
        assert time.monotonic() - began < 5
    assert not SyncState.objects.exclude(watch_fence="", watched_until=None).exists()
