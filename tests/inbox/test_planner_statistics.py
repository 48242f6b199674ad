"""What SQLite is told of our tables: a page of a list is read from an index, in its order."""

import pytest
from django.db import connection
from django.db.models import QuerySet

from agents.tools.mail.email_rows import newest_in
from calendar_app.models import Event
from inbox.actor import Actor
from inbox.models import FileNode, Mailbox, Message, Thread

pytestmark = pytest.mark.django_db
AGENT = Actor("agent", 1, "Ada", (1,), frozenset({1}))


def plan_of(rows: QuerySet) -> str:
    """Return how SQLite would find the first of these rows."""
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL counts its tables itself")
    return (rows if rows.query.is_sliced else rows[:50]).explain()


@pytest.mark.parametrize(
    ("rows", "order"),
    [
        (Message.objects.visible_to(AGENT).kept(), "-received_at"),
        (Thread.objects.visible_to(AGENT).current(), "-updated_at"),
        (FileNode.objects.visible_to(AGENT).kept(), "-modified_at"),
        (Event.objects.visible_to(AGENT).kept(), "-dtstart"),
    ],
)
def test_the_newest_rows_of_a_workspace_are_read_in_the_order_of_an_index(rows, order):
    plan = plan_of(rows.order_by(order, "-id"))

    assert "_of_workspace" in plan
    assert "TEMP B-TREE" not in plan


def test_the_messages_of_a_thread_are_found_by_the_thread_and_not_among_all_of_the_workspace():
    rows = Message.objects.visible_to(AGENT).kept().filter(thread_id=7)

    assert "message_in_thread" in plan_of(rows.order_by("received_at", "id"))


def test_the_newest_of_an_inbox_are_read_in_the_order_of_an_index_and_not_sorted():
    rows = Message.objects.visible_to(AGENT).kept().filter(inbox=3, inbox__account=1)

    assert "TEMP B-TREE" not in plan_of(rows.order_by("-received_at", "-id"))


def test_the_messages_of_a_mailbox_are_found_by_the_index_that_has_their_keys():
    keys = Message.mailboxes.through.objects.filter(mailbox__in=[7, 8]).values_list("message_id")

    assert "COVERING INDEX message_newest_in_mailbox" in plan_of(keys)


@pytest.mark.parametrize("mailboxes", [[Mailbox(pk=7)], [Mailbox(pk=7), Mailbox(pk=8)]])
def test_the_newest_of_a_mailbox_are_read_off_its_index_whatever_lies_elsewhere(mailboxes):
    """email_list of the sent mail walked all mail: 17 times as long as that of the inbox."""
    rows = Message.objects.visible_to(AGENT).kept().filter(inbox__account=1)

    plan = plan_of(newest_in(rows, [one.pk for one in mailboxes], 50))

    assert "COVERING INDEX message_newest_in_mailbox (mailbox_id=?" in plan
    assert "SEARCH inbox_message USING INTEGER PRIMARY KEY" in plan
