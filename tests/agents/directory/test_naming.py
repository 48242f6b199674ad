"""A name or an address in the place of an id: what it means, and what is said where it means none."""

import json

import pytest

from agents.approval import lifecycle
from agents.contracts import RESOURCES
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Approval, Receipt, Schedule
from calendar_app.models import Calendar
from inbox import ids
from inbox.models import Account, ExtractionSchema, Mailbox, ReplyPolicy, Submission, Taxonomy
from inbox.operations.activities.understanding import ensure_defaults
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def taught(workspace):
    ensure_defaults(workspace)
    return workspace


@pytest.fixture
def board(workspace):
    """Another inbox of the workspace, which nobody granted to the agent."""
    return factories.make_inbox(workspace, "board@lantern.example")


def refusal(name, arguments, actor, registry=None):
    with pytest.raises(ToolError) as refused:
        call(name, arguments, actor, None, *([registry] if registry else []))
    return refused.value


def last_receipt():
    return Receipt.objects.order_by("-pk").first()


@pytest.mark.parametrize("name", ["office@lantern.example", " Office@LANTERN.example\n"])
def test_an_inbox_is_taken_by_its_address(actor, inbox, message, name):
    by_id = call("list_threads", {"inbox_id": inbox.public_id}, actor).result
    assert call("list_threads", {"inbox_id": name}, actor).result == by_id
    assert last_receipt().arguments["inbox_id"] == inbox.public_id


def test_an_account_is_taken_by_its_address_or_its_name(actor, inbox, message):
    message.mailboxes.add(Mailbox.objects.get(inbox=inbox, role="inbox"))
    found = [
        call("email_list", {"account_id": one}, actor).result[0]["id"]
        for one in (inbox.account.public_id, "office@lantern.example", "LANTERN")
    ]
    assert found == [message.public_id] * 3


def test_what_the_mail_contract_asks_for_is_taken_by_name(actor, taught, message):
    named = {"message_id": message.public_id, "taxonomy_id": "default"}
    assert call("triage_message", named, actor).result["intent"]
    schema = ExtractionSchema.objects.first()
    named = {"message_id": message.public_id, "schema_id": schema.name.upper()}
    assert "data" in call("extract_to_schema", named, actor).result
    named = {"thread_id": message.thread.public_id, "policy_id": "Default", "goal": "Thank them."}
    assert call("draft_reply_with_policy", named, actor).result["draft"]


def test_a_mailbox_is_taken_by_name_or_role_within_its_account(actor, workspace, inbox, agent):
    other = factories.make_inbox(workspace, "sales@lantern.example")
    agent.grants.create(account=other.account)
    actor = factories.agent_actor(agent)
    message = factories.make_message(inbox)
    box = Mailbox.objects.create(workspace=workspace, inbox=inbox, name="Ärger")
    Mailbox.objects.create(workspace=workspace, inbox=other, name="Ärger")
    message.mailboxes.add(box)
    named = {"account_id": "office@lantern.example", "folder_id": "ÄRGER"}
    assert [one["id"] for one in call("email_list", named, actor).result] == [message.public_id]
    assert last_receipt().arguments["folder_id"] == box.public_id
    by_role = {"account_id": "office@lantern.example", "folder_id": "trash"}
    assert call("email_list", by_role, actor).result == []


def test_a_calendar_is_taken_by_its_name(actor, inbox):
    own = {"workspace": inbox.workspace, "account": inbox.account}
    Calendar.objects.create(**own, name="Office", is_default=True)
    team = Calendar.objects.create(**own, name="Team")
    event = {"title": "Lamps", "start_at": "2030-03-10T10:00:00Z", "end_at": "2030-03-10T11:00:00Z"}
    made = call(
        "google_calendar_service", {"action": "create", "calendar_id": "team", **event}, actor
    ).result
    assert made["data"]["event"]["calendar_id"] == team.public_id


def test_accounts_in_a_list_are_taken_by_their_addresses(actor, inbox):
    asked = {
        "duration_minutes": 30, "start": "2030-03-11T00:00:00Z", "end": "2030-03-12T00:00:00Z",
        "account_ids": ["Office@lantern.example"],
    }  # fmt: skip
    assert call("find_free_slots", asked, actor).result["slots"]
    error = refusal("find_free_slots", {**asked, "account_ids": ["nobody@x.example"]}, actor)
    assert (error.code, error.details["pointer"]) == ("not_found", "/account_ids/0")


def test_a_row_is_read_by_its_name_over_rest_and_a_list_filtered_by_one(actor, taught, message):
    told = call("read_taxonomy", {"taxonomy_id": "default"}, actor, None, RESOURCES).result
    assert told["id"] == Taxonomy.objects.get().public_id
    address = message.inbox.address
    assert call("read_inbox", {"inbox_id": address}, actor, None, RESOURCES).result["labels"]
    found = call("list_messages", {"inbox_id": address}, actor, None, RESOURCES).result
    assert [one["id"] for one in found["messages"]] == [message.public_id]
    none = call("list_messages", {"inbox_id": "nobody@x.example"}, actor, None, RESOURCES).result
    assert none["messages"] == []


def test_a_name_that_two_have_is_refused_with_both(actor, workspace, inbox, agent):
    second = factories.make_inbox(workspace, "sales@lantern.example")
    agent.grants.create(account=second.account)
    error = refusal("email_list", {"account_id": "lantern"}, factories.agent_actor(agent))
    assert error.code == "invalid_input"
    assert error.message == "/account_id is the name of 2 accounts"
    assert [one["id"] for one in error.details["candidates"]] == [
        inbox.account.public_id, second.account.public_id,
    ]  # fmt: skip
    assert error.details["candidates"][1]["address"] == "sales@lantern.example"


def test_a_calendar_that_looks_like_ours_does_not_take_its_place(actor, inbox):
    """What somebody shares under our calendar's name, spelled as it was asked for, is not chosen."""
    own = {"workspace": inbox.workspace, "account": inbox.account}
    Calendar.objects.create(**own, name="Work", is_default=True)
    Calendar.objects.create(**own, name="work")
    named = {"account_id": inbox.account.public_id, "calendar_id": "work", "confirm": True}
    error = refusal("calendar_delete_calendar", named, actor)
    assert (error.code, len(error.details["candidates"])) == ("invalid_input", 2)


def test_an_ungranted_row_makes_no_name_ambiguous(actor, inbox, board):
    assert Account.objects.filter(name="Lantern").count() == 2
    assert call("email_list", {"account_id": "Lantern"}, actor).result == []


@pytest.mark.parametrize(
    "given", ["board@lantern.example", "nobody@x.example", "", "   ", "x" * 999]
)
def test_a_name_that_may_not_be_seen_is_one_that_nobody_has(actor, inbox, board, given):
    error = refusal("list_threads", {"inbox_id": given or "-"}, actor)
    assert error.code == "not_found"
    assert error.details == {
        "pointer": "/inbox_id",
        "available": [
            {"id": inbox.public_id, "address": "office@lantern.example",
             "account_id": inbox.account.public_id, "default": True}
        ],
    }  # fmt: skip


def test_an_id_of_nothing_is_answered_with_what_there_is(actor, inbox, board, taught, message):
    for public_id in (board.public_id, ids.encode("inb", 10**9)):
        told = refusal("list_threads", {"inbox_id": public_id}, actor).details["available"]
        assert [one["address"] for one in told] == ["office@lantern.example"]
    named = {"message_id": message.public_id, "taxonomy_id": ids.encode("tax", 10**9)}
    (only,) = refusal("triage_message", named, actor).details["available"]
    assert (only["id"], only["name"]) == (Taxonomy.objects.get().public_id, "Default")
    # What is no such kind is told as before: messages are not listed by a refusal.
    named = {"message_id": "msg_none", "taxonomy_id": "default"}
    assert refusal("triage_message", named, actor).details == {"pointer": "/message_id"}


def test_a_refusal_lists_no_more_than_a_few_and_says_where_the_rest_is(actor, inbox):
    Mailbox.objects.bulk_create(
        Mailbox(workspace=inbox.workspace, inbox=inbox, name=f"Project {number}")
        for number in range(500)
    )
    named = {"account_id": "lantern", "folder_id": "Nowhere"}
    details = refusal("email_list", named, actor).details
    assert len(details["available"]) == 20
    assert "look_around with kind mailboxes" in details["more"]
    assert len(json.dumps(details)) < 4000


def test_a_mailbox_of_an_account_that_is_not_there_points_at_the_account(actor, inbox, board):
    named = {"account_id": board.account.public_id, "folder_id": "Inbox"}
    error = refusal("email_list", named, actor)
    assert (error.message, error.details["pointer"]) == ("There is no such account", "/account_id")
    assert [one["address"] for one in error.details["available"]] == ["office@lantern.example"]


def test_the_verbs_point_into_their_parameters(actor, inbox):
    named = {"resource": "emails", "parameters": {"account_id": "nobody"}}
    error = refusal("list", named, actor)
    assert error.details["pointer"] == "/parameters/account_id"
    assert error.details["available"]


def test_who_may_not_call_is_told_nothing_of_what_there_is(agent, inbox):
    narrow = factories.agent_actor(agent, frozenset({"time:read"}))
    for given in ("nobody@x.example", inbox.address):
        error = refusal("list_threads", {"inbox_id": given}, narrow)
        assert (error.code, error.details) == ("permission_denied", {"scope": "inbox:read"})


def test_a_name_given_anew_does_not_change_what_a_held_call_is_about(
    actor, inbox, reviewer, django_capture_on_commit_callbacks
):
    own = {"workspace": inbox.workspace, "account": inbox.account}
    Calendar.objects.create(**own, name="Office", is_default=True)
    letter = {
        "account_id": "Lantern", "to": ["ada@customer.example"], "subject": "Offer",
        "body": "Here it is.", "confirm": True,
    }  # fmt: skip
    call("email_send", letter, actor)
    approval = Approval.objects.get()
    assert approval.arguments["account_id"] == inbox.account.public_id
    Account.objects.filter(pk=inbox.account.pk).update(name="Old")
    other = factories.make_inbox(inbox.workspace, "sales@lantern.example")
    assert other.account.name == "Lantern"
    lifecycle.approve(approval=approval, by=reviewer, sha256=approval.sha256)
    assert Submission.objects.get().account == inbox.account


def test_a_name_and_its_id_under_one_key_are_the_same_call(actor, inbox, agent, workspace):
    named = {
        "account_id": "office@lantern.example", "given_name": "Ada",
        "email_addresses": ["ada@customer.example"],
    }  # fmt: skip
    first = call("contact_create", named, actor, "k1")
    again = call("contact_create", {**named, "account_id": inbox.account.public_id}, actor, "k1")
    assert (again.replayed, again.result) == (True, first.result)
    # The name means another account by now: that is another call.
    for row in (inbox.account, inbox):
        row.address = "old@lantern.example"
        row.save(update_fields=["address"])
    second = factories.make_inbox(workspace, "office@lantern.example")
    agent.grants.create(account=second.account)
    with pytest.raises(ToolError) as refused:
        call("contact_create", named, factories.agent_actor(agent), "k1")
    assert refused.value.code == "idempotency_conflict"


def test_what_is_scheduled_keeps_the_account_that_was_meant(actor, inbox):
    asked = {
        "action": "create", "type": "command", "trigger_at": "2030-03-10T10:00:00Z",
        "command": "list",
        "payload": {"resource": "emails", "parameters": {"account_id": "lantern"}},
    }  # fmt: skip
    call("internal_scheduler_service", asked, actor)
    kept = Schedule.objects.get().payload
    assert kept["parameters"] == {"account_id": inbox.account.public_id}
    asked["payload"]["parameters"]["account_id"] = "nobody"
    error = refusal("internal_scheduler_service", asked, actor)
    assert error.details["pointer"] == "/payload/parameters/account_id"


def test_a_policy_that_is_called_like_an_id_is_still_found_by_its_own(actor, taught, message):
    mine = ReplyPolicy.objects.get()
    ReplyPolicy.objects.create(workspace=taught, name=mine.public_id, source="{}")
    letter = {"to": ["ada@customer.example"], "subject": "Offer", "body": "Here it is."}
    told = call("policy_check", {**letter, "policy_id": mine.public_id}, actor).result
    assert told["policy_id"] == mine.public_id
