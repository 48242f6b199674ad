"""Readings that are counted in memory: none is lost but by a process that ends."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from inbox.models import MirrorEntry
from inbox.syncing import hits as hits_module
from inbox.syncing.hits import HITS, Hit, Hits
from inbox.syncing.mirror import consult

pytestmark = pytest.mark.django_db


@pytest.fixture
def account(inbox):
    return inbox.account


def ask(account, key="all"):
    return consult(account=account, resource="email_list", key=key)


def counted():
    return dict(MirrorEntry.objects.values_list("name", "hits"))


def test_a_fresh_reading_writes_nothing_until_it_is_asked_for(account):
    ask(account)
    with CaptureQueriesContext(connection) as found:
        for _ in range(5):
            ask(account)
    assert [one["sql"].split()[0] for one in found] == ["SELECT"] * 5
    assert HITS.waiting() == {(account.pk, "email_list"): 5}
    assert set(counted().values()) == {0}
    HITS.write()
    HITS.write()
    assert set(counted().values()) == {5}
    assert not HITS.waiting()


def test_each_entry_has_its_own_count_and_the_time_of_its_last_reading(account):
    long_ago = timezone.now() - timedelta(minutes=1)
    first, other = ask(account), ask(account, "other")
    MirrorEntry.objects.update(used_at=long_ago)
    for _ in range(3):
        ask(account)
    HITS.write()
    rows = {row.pk: row for row in MirrorEntry.objects.all()}
    assert (rows[first.entry_id].hits, rows[other.entry_id].hits) == (3, 0)
    assert rows[first.entry_id].used_at > long_ago == rows[other.entry_id].used_at
    assert rows[first.entry_id].status == "fresh"


def test_a_later_reading_that_asked_the_provider_stays_the_last(account):
    ask(account)
    ask(account)
    consult(account=account, resource="email_list", key="all", force_refresh=True)
    HITS.write()
    entry = MirrorEntry.objects.get()
    assert (entry.status, entry.hits) == ("miss", 1)


def test_an_entry_that_was_invalidated_meanwhile_stays_so(account):
    ask(account)
    ask(account)
    MirrorEntry.objects.update(cached_at=None)
    HITS.write()
    assert ask(account).status == "miss"
    assert MirrorEntry.objects.get().hits == 1


def test_threads_that_count_at_once_lose_nothing(account):
    entry = ask(account)
    now = timezone.now()
    hits = Hits()
    with ThreadPoolExecutor(8) as threads:
        list(
            threads.map(
                lambda _: hits.add(entry.entry_id, Hit(account.pk, "email_list", 1, now)),
                range(400),
            )
        )
    hits.write()
    assert MirrorEntry.objects.get().hits == 400


def test_what_the_database_refuses_is_counted_later(account):
    entry = ask(account)
    hits = Hits()
    hits.add(entry.entry_id, Hit(account.pk, "email_list", 1, timezone.now()))
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE inbox_mirrorentry RENAME TO elsewhere")
        hits.write()
        cursor.execute("ALTER TABLE elsewhere RENAME TO inbox_mirrorentry")
    hits.add(entry.entry_id, Hit(account.pk, "email_list", 1, timezone.now()))
    hits.write()
    assert MirrorEntry.objects.get().hits == 2


def test_processes_that_share_their_counts_know_each_others_and_one_writes_for_all(
    account, tmp_path
):
    entry, now = ask(account), timezone.now()
    one, other = Hits(), Hits()
    for hits in (one, other):
        hits.share(tmp_path / "hits")
        for number in range(3):
            at = now + timedelta(seconds=number)
            hits.add(entry.entry_id, Hit(account.pk, "email_list", 1, at))
    assert one.waiting() == other.waiting() == {(account.pk, "email_list"): 6}
    other.write()
    row = MirrorEntry.objects.get()
    assert (row.hits, row.used_at) == (6, now + timedelta(seconds=2))
    assert not one.waiting()


def test_what_a_killed_process_counted_is_not_lost_where_others_share_it(account, tmp_path):
    entry = ask(account)
    hit = Hit(account.pk, "email_list", 1, timezone.now())
    child = os.fork()
    if child == 0:
        dying = Hits()
        dying.share(tmp_path / "hits")
        dying.add(entry.entry_id, hit)
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    hits = Hits()
    hits.share(tmp_path / "hits")
    hits.write()
    assert MirrorEntry.objects.get().hits == 1


def test_no_more_readings_wait_in_a_shared_file_than_it_has_room_for(
    account, tmp_path, monkeypatch
):
    entry = ask(account)
    monkeypatch.setattr(hits_module, "_MOST_WAITING", 10)
    hits = Hits()
    hits.share(tmp_path / "hits")
    hit = Hit(account.pk, "email_list", 1, timezone.now())
    # Within a transaction nothing is written.
    with transaction.atomic():
        for _ in range(2 * 10 + 3):
            hits.add(entry.entry_id, hit)
    hits.write()
    assert MirrorEntry.objects.get().hits == 20


def test_a_forked_process_counts_anew(account):
    ask(account)
    ask(account)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, b"none" if not HITS._counted else b"some")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reading, 10) == b"none"
    assert HITS._counted
