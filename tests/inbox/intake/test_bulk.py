"""Rows written at once are those that `bulk_create` would write, with keys, times and conflicts."""

import math
from datetime import UTC, datetime, timedelta, timezone

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from inbox.bulk_insert import insert, insert_values
from inbox.models import Blob, Message, Person, Thread, ThreadReference
from inbox.models.inboxes import Inbox
from inbox.search.finding import rank_messages

pytestmark = pytest.mark.django_db
AT = datetime(2026, 3, 1, 12, 30, 15, 250, tzinfo=UTC)
FAR = 10**12
"""A key that no sequence of keys reaches, however many tests came before on the same database."""


def thread(inbox: Inbox, **columns: object) -> Thread:
    """Return a thread that is not stored yet."""
    known = {"last_message_at": AT, "updated_at": AT, "workspace_id": inbox.workspace_id}
    return Thread(**{"inbox": inbox, **known, **columns})


def blob(inbox: Inbox, sha256: str, size: int = 1) -> Blob:
    """Return a row of stored bytes that is not stored yet."""
    return Blob(workspace_id=inbox.workspace_id, sha256=sha256 * 64, size=size)


def columns_of(pk: int) -> dict[str, object]:
    """Return all columns of a message but those that tell it from its like."""
    (row,) = Message.objects.filter(pk=pk).values()
    return {name: row[name] for name in row if name not in {"id", "blob_id", "created_at"}}


def test_a_row_is_what_bulk_create_makes_of_it(inbox: Inbox) -> None:
    (home,) = insert([thread(inbox)])
    east = timezone(timedelta(hours=5, minutes=30))
    blobs = insert([blob(inbox, "a"), blob(inbox, "b")])

    def message(of: Blob) -> Message:
        return Message(
            workspace_id=inbox.workspace_id, inbox=inbox, thread=home, blob=of, size=7,
            direction="inbound", subject="Grüße ✓", received_at=AT.astimezone(east), sent_at=AT,
            to=[{"email": "a@example.org", "name": "Ä"}], signals={"precedence": "bulk"},
            has_attachments=True, text="line\nline", in_reply_to="",
        )  # fmt: skip

    (ours,) = insert([message(blobs[0])])
    (theirs,) = Message.objects.bulk_create([message(blobs[1])])
    assert columns_of(ours.pk) == columns_of(theirs.pk)
    assert Message.objects.get(pk=ours.pk).created_at == ours.created_at
    assert not ours._state.adding
    assert ours.thread == home


def test_values_become_the_rows_that_their_models_would(inbox: Inbox) -> None:
    (home,) = insert([thread(inbox)])
    keys = [f"{number:032x}" for number in range(150)]
    insert_values(
        ThreadReference,
        ("inbox_id", "key", "thread_id"),
        ((inbox.pk, key, home.pk) for key in keys),
    )
    rows = ThreadReference.objects.filter(thread=home).order_by("pk")
    assert list(rows.values_list("key", flat=True)) == keys
    insert_values(ThreadReference, ("inbox_id", "key", "thread_id"), ())
    assert rows.count() == 150


def test_values_of_rows_that_are_there_are_left_out_where_that_is_said(inbox: Inbox) -> None:
    (known,) = insert([blob(inbox, "a", size=1)])
    names = ("workspace_id", "sha256", "size")
    given = [(inbox.workspace_id, sha256 * 64, 5) for sha256 in "ab"]
    insert_values(Blob, names, given, ignore_conflicts=True)
    rows = Blob.objects.filter(workspace=inbox.workspace_id, sha256__in=["a" * 64, "b" * 64])
    assert list(rows.order_by("sha256").values_list("size", flat=True)) == [1, 5]
    assert rows.get(size=5).created_at >= rows.get(pk=known.pk).created_at
    with pytest.raises(IntegrityError), transaction.atomic():
        insert_values(Blob, names, given)


def test_keys_go_on_where_they_ended(inbox: Inbox) -> None:
    first = insert([thread(inbox) for _ in range(3)])
    last = first[-1].pk
    Thread.objects.filter(pk=last).delete()
    (by_django,) = Thread.objects.bulk_create([thread(inbox)])
    second = insert([thread(inbox, subject=f"{number}") for number in range(1200)])
    keys = [row.pk for row in second]
    assert keys == sorted(set(keys))
    assert min(keys) > by_django.pk > last
    assert Thread.objects.get(pk=keys[700]).subject == "700"


def test_rows_with_a_key_and_without_are_written_together(inbox: Inbox) -> None:
    keyed, keyless = insert([thread(inbox, pk=FAR, subject="a"), thread(inbox, subject="b")])
    assert keyless.pk not in {None, keyed.pk}
    assert dict(Thread.objects.values_list("pk", "subject")) == {FAR: "a", keyless.pk: "b"}


def test_few_statements_serve_for_all(inbox: Inbox) -> None:
    (home,) = insert([thread(inbox)])
    rows = [
        ThreadReference(inbox=inbox, thread=home, key=f"{number:032x}") for number in range(900)
    ]
    with CaptureQueriesContext(
        connection,
    ) as queries:
        insert(rows)
    assert len(queries) <= 1 + math.ceil(900 / 64)
    assert ThreadReference.objects.filter(thread=home).count() == len(rows)


def test_what_is_there_stays_or_is_brought_up_to_date(inbox: Inbox) -> None:
    insert([blob(inbox, "a", 1)])
    insert([blob(inbox, "a", 2), blob(inbox, "b", 2)], ignore_conflicts=True)
    assert dict(Blob.objects.values_list("sha256", "size")) == {"a" * 64: 1, "b" * 64: 2}
    people = insert(
        [Person(workspace_id=inbox.workspace_id, email=f"{it}@example.org") for it in "ab"]
    )
    people[0].fn, people[1].fn = "A", "B"
    people[0].email = "no@example.org"
    insert(people, unique_fields=["id"], update_fields=["fn"])
    found = dict(Person.objects.filter(pk__in=[it.pk for it in people]).values_list("email", "fn"))
    assert found == {"a@example.org": "A", "b@example.org": "B"}


def test_a_conflict_is_an_error_and_nothing_is_written(inbox: Inbox) -> None:
    with pytest.raises(IntegrityError):
        insert([blob(inbox, "c"), blob(inbox, "c")])


def test_nothing_is_nothing() -> None:
    assert insert([]) == []


def test_what_is_written_at_once_is_found(inbox: Inbox) -> None:
    (home,) = insert([thread(inbox)])
    blobs = insert([blob(inbox, letter) for letter in "abcd"])

    def message(of: Blob, subject: str, pk: int | None = None) -> Message:
        return Message(
            pk=pk, workspace_id=inbox.workspace_id, inbox=inbox, thread=home, blob=of, size=7,
            direction="inbound", subject=subject, received_at=AT, sent_at=AT,
        )  # fmt: skip

    def found(word: str) -> set[str]:
        hits = rank_messages(inboxes=[inbox], query=word, limit=10)
        return set(Message.objects.filter(pk__in=hits).values_list("subject", flat=True))

    message(blobs[0], "single heron").save()
    insert([message(blobs[1], "first heron"), message(blobs[2], "second heron")])
    insert([message(blobs[3], "keyed heron", pk=FAR)])
    herons = {"single heron", "first heron", "second heron", "keyed heron"}
    assert found("heron") == herons
    Message.objects.filter(subject="first heron").delete()
    Message.objects.filter(subject="second heron").update(subject="second egret")
    assert found("heron") == herons - {"first heron", "second heron"}
    assert found("egret") == {"second egret"}
