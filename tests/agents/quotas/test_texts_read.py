"""What an agent was shown lately is read off its receipts once, and then off those that came since."""

from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.dispatching.dispatch import call
from agents.models import Receipt
from agents.quotas.texts_read import texts_read_since
from agents.receipts import own_since
from tests import factories

pytestmark = pytest.mark.django_db
DAY = 86_400


@pytest.fixture
def messages(inbox):
    return [factories.make_message(inbox, text=f"Number {number}") for number in range(4)]


def read(actor, *messages):
    for message in messages:
        call("get_thread", {"thread_id": message.thread.public_id}, actor)


def ids(*messages):
    return {one.public_id for it in messages for one in (it, it.thread)}


def seen(actor, hours=24):
    return texts_read_since(actor, timezone.now() - timedelta(hours=hours), DAY, own_since)


def test_later_only_what_came_since_is_read(actor, messages):
    read(actor, *messages[:2])
    assert seen(actor) == ids(*messages[:2])
    read(actor, messages[1], messages[2])
    last = Receipt.objects.order_by("-seq").values_list("seq", flat=True)[1]
    with CaptureQueriesContext(connection) as asked:
        assert seen(actor) == ids(*messages[:3])
    (statement,) = asked.captured_queries
    assert f'"seq" >= {last - 1}' in statement["sql"]
    assert 'opened_at" >=' not in statement["sql"]


def test_what_was_shown_before_the_time_counts_no_longer_unless_it_was_shown_again(actor, messages):
    read(actor, *messages[:2])
    assert seen(actor) == ids(*messages[:2])
    between = timezone.now()
    read(actor, messages[1])
    assert texts_read_since(actor, between, DAY, own_since) == ids(messages[1])
    # And an earlier moment than was asked for before is looked up whole.
    assert seen(actor) == ids(*messages[:2])


def test_where_all_that_is_known_is_too_old_the_receipts_of_the_time_are_read(actor, messages):
    asked = []

    def since(*given):
        asked.append(given)
        return own_since(*given)

    read(actor, messages[0])
    assert texts_read_since(actor, timezone.now() - timedelta(hours=1), DAY, since)
    assert texts_read_since(actor, timezone.now() - timedelta(hours=1), DAY, since)
    assert len(asked) == 1
    assert texts_read_since(actor, timezone.now(), DAY, since) == set()
    assert len(asked) == 2


def test_receipts_that_were_rolled_back_are_forgotten(actor, messages):
    read(actor, messages[0])
    assert seen(actor) == ids(messages[0])
    with transaction.atomic():
        read(actor, messages[1], messages[2])
        assert seen(actor) == ids(*messages[:3])
        transaction.set_rollback(True)
    assert seen(actor) == ids(messages[0])
    read(actor, messages[3], messages[0])
    assert seen(actor) == ids(messages[0], messages[3])


def test_each_agent_is_remembered_for_itself(actor, inbox, messages):
    other = factories.agent_actor(factories.make_agent(inbox.workspace, "Other", (inbox,)))
    read(actor, messages[0])
    read(other, messages[1])
    for _ in range(2):
        assert (seen(actor), seen(other)) == (ids(messages[0]), ids(messages[1]))
