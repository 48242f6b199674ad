"""Whose rows one sees of what agents make: an agent its own, a person those of the workspace."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.models import (
    AgentMessage,
    CacheTask,
    ContextEntry,
    ContextSubscription,
    Memory,
    Receipt,
    Schedule,
)
from inbox.actor import Actor
from inbox.reasons import say
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def agents(workspace, inbox):
    """Two agents of the workspace, and one of another."""
    elsewhere = factories.make_inbox(factories.make_workspace())
    return [
        factories.make_agent(workspace, "Clerk", (inbox,)),
        factories.make_agent(workspace, "Scout", (inbox,)),
        factories.make_agent(elsewhere.workspace, "Clerk", (elsewhere,)),
    ]


def of(model, owner, **fields):
    return model.objects.create(workspace=owner.workspace, **fields)


def task(agent):
    return of(CacheTask, agent, agent=agent, account=agent.grants.get().account, operation="x")


def memory(agent, **fields):
    return of(Memory, agent, agent=agent, content="x", sha256="0" * 64, terms="x", **fields)


def schedule(agent):
    return of(Schedule, agent, agent=agent, command="x", trigger_at=factories.NOON)


def seen(model, actor):
    return set(model.objects.visible_to(actor))


def person(agent):
    return Actor("person", 1, "Rhea", (agent.workspace_id,))


@pytest.mark.parametrize("make", [task, memory, schedule])
def test_an_agent_sees_its_own_and_a_person_all_of_the_workspace(agents, make):
    clerk, scout, _ = agents
    mine, theirs, foreign = (make(agent) for agent in agents)
    model = type(mine)
    assert seen(model, factories.agent_actor(clerk)) == {mine}
    assert seen(model, person(scout)) == {mine, theirs}
    assert seen(model, person(agents[2])) == {foreign}


def test_an_account_that_was_not_granted_any_more_hides_its_tasks(agents):
    clerk, *_ = agents
    task(clerk)
    clerk.grants.all().delete()
    assert seen(CacheTask, factories.agent_actor(clerk)) == set()


def test_a_deleted_memory_is_seen_by_people_alone(agents):
    clerk, *_ = agents
    kept = memory(clerk)
    gone = of(Memory, clerk, agent=clerk, content="y", sha256="1" * 64, terms="y",
              deleted_at=factories.NOON)  # fmt: skip
    assert seen(Memory, factories.agent_actor(clerk)) == {kept}
    assert seen(Memory, person(clerk)) == {kept, gone}
    assert set(Memory.objects.kept()) == {kept}


def test_an_entry_is_read_by_all_by_its_author_or_by_those_it_lists_until_its_time_is_over(agents):
    clerk, scout, foreign = agents
    now = timezone.now()

    def entry(key, author, **fields):
        return of(ContextEntry, author, key=key, text='{"a": 1.0}', author=author,
                  **{"is_open": False, **fields})  # fmt: skip

    for_all = entry("open", clerk, is_open=True, expires_at=now + timedelta(hours=1))
    own, listed, other = entry("own", scout), entry("listed", clerk), entry("other", clerk)
    entry("over", clerk, is_open=True, expires_at=now - timedelta(seconds=1))
    elsewhere = entry("open", foreign, is_open=True)
    ContextSubscription.objects.create(entry=listed, agent=scout)
    assert seen(ContextEntry, factories.agent_actor(scout)) == {for_all, own, listed}
    assert seen(ContextEntry, person(scout)) == {for_all, own, listed, other}
    assert seen(ContextEntry, person(foreign)) == {elsewhere}
    assert for_all.value == {"a": 1.0}


def test_a_message_is_seen_by_who_sent_it_and_who_was_sent_it(agents):
    clerk, scout, foreign = agents
    third = factories.make_agent(clerk.workspace, "Third")

    def message(recipient, **sender):
        return of(AgentMessage, recipient, recipient=recipient, text="x", **sender)

    to_scout, from_rhea = message(scout, sender=clerk), message(clerk, person_name="rhea")
    message(foreign, sender=foreign)
    assert seen(AgentMessage, factories.agent_actor(scout)) == {to_scout}
    assert seen(AgentMessage, factories.agent_actor(clerk)) == {to_scout, from_rhea}
    assert seen(AgentMessage, factories.agent_actor(third)) == set()
    assert seen(AgentMessage, person(clerk)) == {to_scout, from_rhea}
    assert (to_scout.sender_name, from_rhea.sender_name) == ("Clerk", "person:rhea")


def test_a_receipt_says_why_by_its_codes_where_it_has_any():
    assert Receipt(reason="scope inbox:read").why == "scope inbox:read"
    receipt = Receipt(
        reason="approved by rhea", reasons=say("approved_by", person="otto").as_json()
    )
    assert receipt.why == "approved by otto"
