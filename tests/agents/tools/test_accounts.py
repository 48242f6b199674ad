"""The accounts an agent was granted, and asking a person for another (RFC 8628)."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import DeviceFlow, Grant, Receipt
from agents.operations.granting import device_flows
from inbox.models import Account
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(workspace):
    return factories.person_actor(factories.make_person_user(workspace, "owner", "olga"))


@pytest.fixture
def second(workspace):
    """An account of the workspace that Clerk was not granted."""
    return factories.make_inbox(workspace, "sales@gmail.com").account


@pytest.fixture
def asked(actor):
    return call("account_authenticate", {}, actor).result


def complete(asked, actor):
    return call("account_complete_auth", {"flow_cache": asked["_flow_cache"]}, actor).result


def refusal(asked, actor):
    with pytest.raises(ToolError) as caught:
        complete(asked, actor)
    return caught.value


def test_an_agent_lists_the_accounts_it_was_granted_and_no_other(actor, inbox, second):
    assert call("account_list", {}, actor).result == [
        {
            "username": inbox.address,
            "account_id": inbox.account.public_id,
            "account_type": "unknown",
        }
    ]


def test_asking_tells_the_person_where_to_go_and_what_to_enter(asked):
    assert asked["status"] == "authentication_required"
    assert asked["expires_in"] == 900
    assert asked["verification_url"].endswith("/admin/device/")
    assert asked["device_code"] in asked["instructions"]
    assert asked["verification_url"] in asked["instructions"]


def test_of_the_device_code_only_a_hash_is_kept_and_receipts_have_no_more(asked, actor):
    with pytest.raises(ToolError):
        call("account_complete_auth", {"flow_cache": f"{asked['_flow_cache']}x"}, actor)
    complete(asked, actor)
    rows = [*DeviceFlow.objects.values(), *Receipt.objects.values()]
    assert asked["_flow_cache"] not in json.dumps(rows, default=str)


def test_it_is_pending_until_a_person_grants_and_is_told_of_once(asked, actor, owner, second):
    assert complete(asked, actor) == {"status": "pending"}
    device_flows.grant(flow=DeviceFlow.objects.get(), by=owner, account=second)
    assert complete(asked, actor) == {
        "status": "success", "username": "sales@gmail.com", "account_id": second.public_id,
        "account_type": "personal",
    }  # fmt: skip
    again = refusal(asked, actor)
    assert (again.code, again.details["state"]) == ("conflict", "used")


def test_what_was_granted_can_be_worked_with_at_once(asked, actor, agent, owner, second):
    device_flows.grant(flow=DeviceFlow.objects.get(), by=owner, account=second)
    listed = call("account_list", {}, factories.agent_actor(agent)).result
    assert second.public_id in [each["account_id"] for each in listed]


def test_a_refusal_is_told(asked, actor, owner):
    device_flows.refuse(flow=DeviceFlow.objects.get(), by=owner)
    error = refusal(asked, actor)
    assert (error.code, error.details["state"]) == ("conflict", "denied")
    assert Grant.objects.count() == 1


def test_a_flow_expires(asked, actor, owner, second):
    DeviceFlow.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    error = refusal(asked, actor)
    assert (error.code, error.details["state"]) == ("conflict", "expired")
    with pytest.raises(Exception, match="expired"):
        device_flows.grant(flow=DeviceFlow.objects.get(), by=owner, account=second)


def test_another_agents_flow_answers_like_one_that_does_not_exist(asked, workspace, inbox):
    stranger = factories.agent_actor(factories.make_agent(workspace, "Other", (inbox,)))
    foreign = refusal(asked, stranger)
    unknown = refusal({"_flow_cache": "none"}, stranger)
    assert foreign.code == "not_found"
    assert foreign.as_json() == unknown.as_json()


def test_an_agent_has_few_open_requests(actor, asked):
    for _ in range(device_flows.MOST_PENDING - 1):
        call("account_authenticate", {}, actor)
    with pytest.raises(ToolError) as caught:
        call("account_authenticate", {}, actor)
    assert caught.value.code == "rate_limited"
    assert 0 < caught.value.details["retry_after"] <= 901


def test_a_grant_is_decided_once_and_leaves_a_receipt(asked, owner, agent, second):
    flow = DeviceFlow.objects.get()
    device_flows.grant(flow=flow, by=owner, account=second)
    with pytest.raises(Exception, match="already decided"):
        device_flows.refuse(flow=flow, by=owner)
    receipt = Receipt.objects.get(tool="grant_account")
    assert receipt.actor == owner.key
    assert receipt.arguments == {
        "flow_id": flow.public_id, "agent_id": agent.public_id, "account_id": second.public_id,
    }  # fmt: skip
    assert not Receipt.objects.filter(tool="refuse_account").exists()


def test_a_new_account_is_made_and_granted_or_nothing_is(asked, agent, owner, inbox):
    flow = DeviceFlow.objects.select_related("agent", "workspace").get()
    with pytest.raises(Exception, match="is already connected"):
        device_flows.grant_new(flow=flow, by=owner, address=inbox.address, name="")
    made = device_flows.grant_new(flow=flow, by=owner, address="new@lantern.example", name="New")
    assert made.provider == "local"
    assert made.inboxes.count() == 1
    assert Grant.objects.filter(agent=agent, account=made).exists()


def test_old_flows_are_removed(asked):
    assert device_flows.remove_old_flows() == 0
    assert device_flows.remove_old_flows(timezone.now() + timedelta(days=2)) == 1
    assert Account.objects.count() == 1


def test_a_person_does_not_ask_for_accounts_nor_for_readings(owner, inbox):
    asked = {"account_id": inbox.account.public_id, "operation": "email_list"}
    for name, arguments in (("account_authenticate", {}), ("cache_task_enqueue", asked)):
        with pytest.raises(ToolError) as caught:
            call(name, arguments, owner)
        assert caught.value.code == "permission_denied"
