"""Twenty agents at once on the same keys and messages: all or nothing, once or not at all."""

import random

import pytest

from agents.dispatching.dispatch import call
from agents.models import AgentMessage, ContextEntry, ContextSubscription
from tests import factories
from tests.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)
AT_ONCE = 20
KEYS = [f"key-{number:02}" for number in range(50)]


def batch(who, operations):
    arguments = {"agent_name": who.name, "operations": operations, "atomic": True}
    return call("batch_context_operation", arguments, who).result


def push(key, value, **more):
    return {"type": "push", "key": key, "value": value, **more}


def state():
    """Everything that is stored of the entries."""
    listed = ContextSubscription.objects.order_by("entry__key", "id")
    return (
        list(ContextEntry.objects.order_by("key").values()),
        list(listed.values_list("id", "entry__key", "agent__name")),
    )


def test_failing_batches_of_fifty_leave_every_key_subscriber_and_expiry(actor, workspace):
    scouts = [factories.make_agent(workspace, f"Scout{number}") for number in range(AT_ONCE)]
    names = [scout.name for scout in scouts]
    kept = [push(key, [key], subscribers=names[:3], ttl=600) for key in KEYS[:40]]
    assert batch(actor, kept)["success"]
    before = state()

    def fail(number):
        keys = random.Random(number).sample(KEYS[:48], 48)
        operations = [push(key, number, subscribers=names[number:], ttl=5) for key in keys]
        operations += [{"type": "delete", "key": keys[0]}, {"type": "get", "key": "absent"}]
        result = batch(actor, operations)
        assert (result["success"], len(result["results"])) == (False, 50)

    assert at_once(fail) == []
    assert state() == before


def test_of_batches_over_the_same_new_keys_each_is_whole(actor):
    def write(number):
        keys = random.Random(number).sample(KEYS, len(KEYS))
        assert batch(actor, [push(key, number) for key in keys])["success"]

    assert at_once(write) == []
    values = set(ContextEntry.objects.values_list("text", flat=True))
    assert (ContextEntry.objects.count(), len(values)) == (50, 1)


def test_one_of_many_agents_becomes_the_author_of_a_key(workspace):
    actors = [factories.agent_actor(factories.make_agent(workspace)) for _ in range(AT_ONCE)]
    results = {}

    def write(number):
        keys = random.Random(number).sample(KEYS, len(KEYS))
        who = actors[number]
        results[who.id] = batch(who, [push(key, number) for key in keys])["success"]

    assert at_once(write) == []
    authors = set(ContextEntry.objects.values_list("author_id", flat=True))
    assert [pk for pk, is_done in results.items() if is_done] == list(authors)


def test_many_readers_at_once_confirm_a_message_once(actor, workspace):
    scout = factories.agent_actor(factories.make_agent(workspace, "Scout"))
    message = {"from_agent": "Scout", "to_agent": "Clerk", "requires_confirmation": True}
    for number in range(3):
        call("send_message_to_agent", {**message, "message": f"Number {number}"}, scout)

    def read(number):
        arguments = {"agent_name": "Clerk", "mark_as_read": True, "unread_only": number % 2 == 0}
        call("get_messages_from_agents", arguments, actor)

    assert at_once(read) == []
    asked = AgentMessage.objects.filter(requires_confirmation=True)
    assert asked.exclude(confirmed_at=None).count() == 3
    assert AgentMessage.objects.filter(recipient_id=scout.id).count() == 3
