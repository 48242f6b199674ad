"""Texts that an agent reads are counted once each; where they are too many, a person is asked."""

from datetime import timedelta
from unittest.mock import patch

import pytest
from django.utils import timezone

from agents.contracts import REGISTRY
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Approval, Outcome, QuotaUse, Receipt
from agents.quotas.reads import count_reads
from tests import factories
from tests.agents.quotas.policies import save_policy

pytestmark = pytest.mark.django_db


@pytest.fixture
def messages(inbox):
    save_policy(inbox.workspace, "{what: reads, most: 8, within: 24h}")
    return [factories.make_message(inbox, text=f"Number {number}") for number in range(12)]


def read(actor, message, key=None):
    """Read one message, which shows its thread too."""
    return call("get_thread", {"thread_id": message.thread.public_id}, actor, key)


def wait(actor, message, key=None):
    with pytest.raises(ToolError) as refused:
        read(actor, message, key)
    assert refused.value.code == "approval_required"
    return Approval.objects.with_public_id(refused.value.details["approval_id"]).get()


def test_the_same_text_again_does_not_count_again(actor, messages):
    for _ in range(30):
        read(actor, messages[0])
    assert not Approval.objects.exists()
    # Two texts were read: the thread and its message.
    for message in messages[1:4]:
        read(actor, message)
    wait(actor, messages[4])


def test_all_that_an_agent_would_read_on_is_one_proposal(actor, messages):
    for message in messages[:4]:
        read(actor, message)
    waiting = {wait(actor, message).pk for message in messages[4:]}
    assert len(waiting) == 1
    approval = Approval.objects.get()
    assert approval.reason.startswith("8 texts were read within 24 hours")
    held = Receipt.objects.filter(outcome=Outcome.HELD)
    assert held.count() == 8
    assert not held.exclude(approval=approval.public_id).exists()
    assert not held.filter(shown__isnull=False).exists()


def test_once_a_person_has_approved_it_the_agent_may_read_as_much_again(actor, messages, approve):
    for message in messages[:4]:
        read(actor, message)
    approve(wait(actor, messages[4]))
    row = QuotaUse.objects.get(what="reads")
    assert (row.amount, row.anew_at) == (0, row.changed_at)
    for _ in range(6):
        read(actor, messages[4])
    for message in messages[4:8]:
        assert read(actor, message).result["thread"]["id"] == message.thread.public_id
    wait(actor, messages[8])


def test_it_waits_until_a_person_has_decided_and_no_longer_than_the_time_of_the_quota(
    actor, messages, reject
):
    for message in messages[:4]:
        read(actor, message)
    approval = wait(actor, messages[4])
    later = timezone.now() + timedelta(hours=25)
    with patch.object(timezone, "now", lambda: later):
        assert wait(actor, messages[4]) == approval
        reject(approval)
        read(actor, messages[4])


def test_a_call_with_a_key_waits_for_its_own_answer(actor, messages, approve):
    for message in messages[:4]:
        read(actor, message)
    one, other = (wait(actor, message, f"k{message.pk}") for message in messages[4:6])
    assert one.pk != other.pk
    approve(other)
    assert read(actor, messages[5], f"k{messages[5].pk}").result["thread"]["id"] == (
        messages[5].thread.public_id
    )


def test_what_it_keeps_itself_other_agents_and_people_count_nothing(actor, inbox, messages):
    for number in range(12):
        kept = {"action": "save", "content": f"Number {number}"}
        call("internal_memory_service", kept, actor)
    call("internal_memory_service", {"action": "search", "query": "Number"}, actor)
    other = factories.agent_actor(factories.make_agent(inbox.workspace, "Other", (inbox,)))
    for reader in (actor, other):
        for message in messages[:4]:
            read(reader, message)
    reviewer = factories.person_actor(factories.make_person_user(inbox.workspace))
    for message in messages:
        read(reviewer, message)
    assert not Approval.objects.exists()
    assert set(QuotaUse.objects.values_list("amount", flat=True)) == {8}


def test_only_what_an_agent_reads_of_others_counts(actor, inbox):
    save_policy(inbox.workspace, "{what: reads, most: 1, within: 24h}")
    person = factories.person_actor(factories.make_person_user(inbox.workspace))
    reading, writing = (REGISTRY.tool(name) for name in ("get_thread", "update_activities"))
    own, others = ["agm_1", "ctx_1", "drf_1", "mry_1", "sdl_1"], ["msg_1", "thr_1"]
    assert count_reads(reading, actor, own).brake is None
    assert count_reads(writing, actor, others).brake is None
    assert count_reads(reading, person, others).brake is None
    assert not QuotaUse.objects.exists()
    assert count_reads(reading, actor, others).brake is not None


def test_without_a_policy_of_its_own_an_ordinary_day_is_far_from_it(actor, inbox):
    for _ in range(60):
        factories.make_message(inbox)
    for _ in range(30):
        call("list_threads", {"inbox_id": inbox.public_id}, actor)
    assert QuotaUse.objects.get(what="reads").amount < 10_000
    assert not Approval.objects.exists()
