"""What an agent deletes too often in a short time waits for a person, and is done once approved."""

from datetime import timedelta
from unittest.mock import patch

import pytest
from django.utils import timezone

from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Approval, ApprovalState, QuotaUse, Receipt
from inbox.models import Message
from tests import factories
from tests.agents.quotas.policies import save_policy

pytestmark = pytest.mark.django_db


@pytest.fixture
def messages(inbox):
    return [factories.make_message(inbox, text=f"Number {number}") for number in range(8)]


def delete(actor, message, *, waits=False):
    named = {"account_id": message.inbox.account.public_id, "email_id": message.public_id}
    if not waits:
        return call("email_delete", {**named, "confirm": True}, actor)
    with pytest.raises(ToolError) as refused:
        call("email_delete", {**named, "confirm": True}, actor)
    assert refused.value.code == "approval_required"
    assert is_there(message)
    return None


def is_there(message):
    return Message.objects.get(pk=message.pk).deleted_at is None


def test_the_sixth_deletion_in_ten_minutes_waits_and_is_done_once_approved(
    actor, messages, approve
):
    for message in messages[:5]:
        delete(actor, message)
    with pytest.raises(ToolError) as refused:
        delete(actor, messages[5])
    assert is_there(messages[5])
    approval = Approval.objects.get()
    assert approval.public_id in str(refused.value.as_json())
    assert "5 deletions within 10 minutes" in approval.reason
    approve(approval)
    assert not is_there(messages[5])
    approval.refresh_from_db()
    assert approval.state == ApprovalState.APPROVED
    assert Receipt.objects.filter(approval=approval.public_id, outcome="ok").exists()


def test_what_a_person_approved_does_not_count(actor, messages, approve):
    for message in messages[:4]:
        delete(actor, message)
    with patch("django.conf.settings.DELETIONS_BEFORE_A_PERSON", 4), pytest.raises(ToolError):
        delete(actor, messages[4])
    approve(Approval.objects.get())
    delete(actor, messages[5])
    assert not is_there(messages[5])


def test_ten_minutes_later_it_goes_on(actor, messages):
    for message in messages[:5]:
        delete(actor, message)
    later = timezone.now() + timedelta(minutes=11)
    with patch.object(timezone, "now", lambda: later):
        delete(actor, messages[5])
    assert not is_there(messages[5])


def test_other_agents_and_other_calls_are_not_held_up(actor, inbox, messages):
    for message in messages[:5]:
        delete(actor, message)
    other = factories.agent_actor(factories.make_agent(inbox.workspace, "Other", (inbox,)))
    delete(other, messages[5])
    assert not is_there(messages[5])
    named = {"account_id": inbox.account.public_id, "email_id": messages[6].public_id}
    assert call("email_get", named, actor).approval is None


def test_it_can_be_switched_off(actor, messages, settings):
    settings.DELETIONS_BEFORE_A_PERSON = 0
    for message in messages:
        delete(actor, message)
    assert not any(is_there(message) for message in messages)


def test_a_policy_says_the_number_per_agent_and_per_account(actor, inbox, messages):
    save_policy(inbox.workspace, "{what: deletions, most: 2, within: 1h}")
    other = factories.agent_actor(factories.make_agent(inbox.workspace, "Other", (inbox,)))
    delete(actor, messages[0])
    delete(actor, messages[1])
    with pytest.raises(ToolError, match="waits for a person"):
        delete(actor, messages[2])
    assert "2 deletions within 60 minutes" in Approval.objects.get().reason
    delete(other, messages[3])
    save_policy(inbox.workspace, "{what: deletions, per: account, most: 1, within: 30d}", "More")
    delete(actor, messages[4], waits=True)
    delete(other, messages[4])
    delete(other, messages[5], waits=True)


def test_none_may_be_deleted_where_the_number_is_0_and_any_where_it_is_any(actor, inbox, messages):
    save_policy(inbox.workspace, "{what: deletions, most: 0, within: 60s}")
    delete(actor, messages[0], waits=True)
    save_policy(inbox.workspace, "{what: deletions, most: any, within: 60s}")
    for message in messages:
        delete(actor, message)


def test_what_fails_does_not_count(actor, inbox, messages):
    save_policy(inbox.workspace, "{what: deletions, most: 1, within: 24h}")
    named = {"account_id": inbox.account.public_id, "email_id": "msg_nobodyknows"}
    with pytest.raises(ToolError) as failed:
        call("email_delete", {**named, "confirm": True}, actor)
    assert failed.value.code == "not_found"
    delete(actor, messages[0])
    assert QuotaUse.objects.get(what="deletions").parts.popitem()[1] == 1
    delete(actor, messages[1], waits=True)
