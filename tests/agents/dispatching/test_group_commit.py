"""Receipts of reads are on disk before their answer, and the next is not kept waiting for that."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from agents import receipts
from agents.dispatching.dispatch import call
from agents.dispatching.group_commit import group_commit
from agents.models import Receipt
from agents.receipts import ReceiptEntry, record
from tests import factories
from tests.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)
of_postgresql = pytest.mark.skipif(
    "connection.vendor != 'postgresql'", reason="SQLite has one writer, and no group commit"
)


def ask(question):
    with connection.cursor() as cursor:
        cursor.execute(question)
        return cursor.fetchone()[0]


def record_twice(actor):
    with group_commit():
        receipt = record(actor, ReceiptEntry("list_threads"))
        Receipt.objects.bulk_create([receipt])


@pytest.fixture
def waiting(db):
    """Have commits wait for the disk, as they do but for databases of tests."""
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit TO on")
        yield
        cursor.execute("RESET synchronous_commit")


@of_postgresql
@pytest.mark.usefixtures("waiting")
def test_what_was_written_is_on_disk_when_it_is_left(actor):
    with group_commit():
        record(actor, ReceiptEntry("list_threads"))
        assert ask("SHOW synchronous_commit") == "off"
        written = ask("SELECT pg_current_wal_insert_lsn()")
    assert ask(f"SELECT pg_current_wal_flush_lsn() >= '{written}'")
    assert ask("SHOW synchronous_commit") == "on"


@of_postgresql
@pytest.mark.usefixtures("waiting")
def test_a_transaction_of_the_callers_waits_for_the_disk_as_ever(actor):
    with transaction.atomic(), group_commit():
        record(actor, ReceiptEntry("list_threads"))
        assert ask("SHOW synchronous_commit") == "on"


@of_postgresql
def test_only_reads_are_ended_early_and_each_is_flushed(actor, inbox):
    message = factories.make_message(inbox)
    with CaptureQueriesContext(connection) as asked:
        call("list_threads", {"inbox_id": inbox.public_id}, actor)
    early = [one["sql"] for one in asked if "synchronous_commit" in one["sql"]]
    assert early
    assert "pg_logical_emit_message" in asked[-1]["sql"]
    with CaptureQueriesContext(connection) as asked:
        reply = {
            "thread_id": message.thread.public_id, "body_or_draft_id": "A lamp.",
            "idempotency_key": "lamp",
        }  # fmt: skip
        call("send_reply", reply, actor)
    assert not [one for one in asked if "synchronous_commit" in one["sql"]]


def test_nothing_is_left_of_a_block_that_fails(actor, inbox):
    with pytest.raises(IntegrityError):
        record_twice(actor)
    assert not Receipt.objects.exists()
    call("list_threads", {"inbox_id": inbox.public_id}, actor)
    assert receipts.verify(inbox.workspace) == []


def test_reads_of_many_at_once_are_one_chain(actor, inbox):
    factories.make_message(inbox)

    def read(_):
        for _each in range(5):
            call("list_threads", {"inbox_id": inbox.public_id}, actor)

    assert at_once(read, 4) == []
    assert Receipt.objects.count() == 20
    assert receipts.verify(inbox.workspace) == []
