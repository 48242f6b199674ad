"""A disk that fills up while mail is sent: what it cannot take any more is no reason to send twice."""

import logging
import resource
from collections import Counter
from contextlib import contextmanager

import pytest
from django.db import DatabaseError, connection

from inbox.background import jobs
from inbox.models import Message
from inbox.operations.sending import delivery
from inbox.operations.sending.delivery import sweep_submissions
from tests.sending_tools import fate, propose, recover, release
from tests.servers import Peer

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="the files are those of SQLite"),
]
PAGE = 4096


@contextmanager
def no_file_longer_than(size: int):
    """Have every write beyond so many bytes of a file fail, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def empty_the_log() -> None:
    """Bring SQLite's log into its database, so that the log begins anew."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def work() -> int:
    """Do what a worker's threads do, whatever they meet; return how often they met with trouble."""
    troubles = 0
    for step in (sweep_submissions, jobs.run_due, jobs.run_due):
        try:
            step()
        except (DatabaseError, OSError):
            troubles += 1
    return troubles


def test_wherever_the_disk_is_full_nothing_is_sent_twice_or_lost(
    actor, inbox, reviewer, caplog, monkeypatch
):
    caplog.set_level(logging.CRITICAL)
    # The disk stays full for as long as anybody tries, however long that is.
    monkeypatch.setattr(delivery, "UNTIL_RECORDED", (0.01, 0.02))
    fates, troubles = Counter(), 0
    # Beyond the index of the log, which is there all the time, page by page.
    for pages in range(9, 60, 3):
        with Peer() as peer:
            submission = release(propose(actor, inbox, peer.port), reviewer)
            empty_the_log()
            with no_file_longer_than(pages * PAGE):
                troubles += work()
            recover()
            recover()
        fates[fate(submission)] += 1
        assert len(peer.whole) <= 1
        assert fate(submission) in {"sent", "unknown"}
        assert (fate(submission) == "sent") <= (len(peer.whole) == 1)
        assert all(taken.content == submission.mime_bytes for taken in peer.whole)
    assert Message.objects.count() == fates["sent"]
    assert fates["sent"]
    assert troubles
