"""Who stands for whom in the queue, in every way in which that changes."""

import threading
from datetime import timedelta

import pytest
from django.db import connection, connections, transaction
from django.utils import timezone

from inbox.models import Activity, Message
from inbox.operations.activities.activities import (
    classify_messages,
    keep_activities,
    update_activities,
)
from inbox.operations.activities.priority import settle_order_in, settle_order_of
from inbox.operations.deletions import purge_deleted
from inbox.operations.mail.threads import _move
from tests import factories
from tests.agents.admin.desk import make_activity

pytestmark = pytest.mark.django_db


@pytest.fixture
def thread(inbox):
    return factories.make_message(inbox, subject="first").thread


def add(inbox, thread, status="needs_review", **fields):
    message = factories.make_message(inbox, thread=thread, subject=f"more {status}")
    return make_activity(message, status=status, **fields)


def behind():
    return set(Activity.objects.filter(is_superseded=True).values_list("pk", flat=True))


@pytest.mark.parametrize(
    ("older", "newer", "stands_for"),
    [
        ("needs_review", "needs_review", True),
        ("needs_review", "surfaced", True),
        ("quarantined", "surfaced", True),
        ("quarantined", "quarantined", True),
        ("surfaced", "surfaced", True),
        ("surfaced", "needs_review", False),
        ("needs_review", "quarantined", False),
        ("needs_review", "processed", False),
        ("surfaced", "archived", False),
    ],
)
def test_a_newer_one_stands_for_an_older_that_does_not_press_more(
    inbox, thread, older, newer, stands_for
):
    first = add(inbox, thread, older)
    add(inbox, thread, newer)
    assert behind() == ({first.pk} if stands_for else set())


def test_what_is_superseded_goes_to_the_end(inbox, thread):
    first = add(inbox, thread, "surfaced", urgency="high")
    assert first.pressing == 10
    add(inbox, thread, "surfaced")
    first.refresh_from_db()
    assert first.pressing == 70


def test_mail_that_is_classified_stands_for_what_came_before(inbox, thread):
    first = add(inbox, thread, "needs_review")
    newer = factories.make_message(
        inbox, thread=thread, subject="Urgent: the contract",
        text="Please sign the contract today, it is urgent. Could you confirm by 17:00?",
    )  # fmt: skip
    made = keep_activities(classify_messages([newer.pk]))
    assert made[0].status in {"surfaced", "needs_review"}
    assert behind() == {first.pk}


def test_when_the_newer_one_is_dismissed_the_older_comes_back(inbox, thread, actor):
    add(inbox, thread)
    newer = add(inbox, thread)
    update_activities(actor=actor, activities=[newer], status="archived")
    assert behind() == set()
    update_activities(actor=actor, activities=[newer], status="surfaced")
    assert len(behind()) == 1


def test_threads_that_are_joined_have_one_that_stands_for_all(inbox):
    first, second = (factories.make_message(inbox, subject=name) for name in "ab")
    older = make_activity(first, status="needs_review")
    make_activity(second, status="needs_review")
    assert behind() == set()
    _move({second.thread_id: first.thread})
    assert behind() == {older.pk}


def test_when_the_newer_message_is_removed_for_good_the_older_comes_back(inbox, thread):
    older = add(inbox, thread)
    newer = add(inbox, thread)
    assert behind() == {older.pk}
    long_ago = timezone.now() - timedelta(days=31)
    Message.objects.filter(pk=newer.message_id).update(deleted_at=long_ago)
    assert purge_deleted() == 1
    assert behind() == set()


def test_a_note_without_a_message_stands_for_itself(inbox):
    for number in range(2):
        Activity.objects.create(
            workspace=inbox.workspace, source="note", source_id=f"n{number}", status="surfaced",
            created_at=timezone.now(),
        )  # fmt: skip
    settle_order_of(Activity.objects.values_list("pk", flat=True))
    settle_order_in([None])
    assert behind() == set()


def test_many_cost_as_few_queries_as_few(inbox, django_assert_num_queries):
    def wrong(number):
        for _ in range(number):
            thread = factories.make_message(inbox).thread
            for _ in range(2):
                add(inbox, thread)
        Activity.objects.update(is_superseded=False)
        return list(Activity.objects.values_list("pk", flat=True))

    keys = wrong(1)
    with django_assert_num_queries(3):
        settle_order_of(keys)
    keys = wrong(10)
    with django_assert_num_queries(3):
        settle_order_of(keys)
    assert len(behind()) == 11


@pytest.mark.django_db(transaction=True)
def test_of_two_that_come_at_once_the_newer_stands_for_the_older(inbox, thread):
    if not connection.features.has_select_for_update:
        pytest.skip("only one at a time writes to SQLite")
    messages = [factories.make_message(inbox, thread=thread) for _ in range(2)]

    def older():
        make_activity(messages[0], status="needs_review")
        connections.close_all()

    meanwhile = threading.Thread(target=older)
    with transaction.atomic():
        make_activity(messages[1], status="needs_review")
        meanwhile.start()
        meanwhile.join()
    assert behind() == {messages[0].activities.get().pk}
