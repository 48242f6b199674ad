"""Approvals as LangGraph's interrupts, read by agents and answered by people."""

import json

import pytest
from django.test import Client
from langgraph.prebuilt.interrupt import HumanInterrupt
from pydantic import ConfigDict, TypeAdapter, with_config

from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Approval
from inbox.models import Role
from inbox.operations.drafts.writing import attach_to_draft, create_draft
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def approval(actor, inbox):
    message = factories.make_message(inbox)
    arguments = {
        "thread_id": message.thread.public_id, "body_or_draft_id": "Here is the offer.",
        "idempotency_key": "k",
    }  # fmt: skip
    return Approval.objects.get(pk=call("send_reply", arguments, actor).approval.pk)


@pytest.fixture
def person(reviewer):
    client = Client()
    client.force_login(reviewer)
    return client


def address(approval):
    return f"/api/v1/approvals/{approval.public_id}/interrupt"


def read(api, approval):
    response = api.get(address(approval).removeprefix("/api/"))
    return response.json(), response["ETag"]


def answer(client, approval, answers, etag=None, **headers):
    if etag:
        headers["If-Match"] = etag
    return client.post(address(approval), answers, content_type="application/json", headers=headers)


def test_the_proposer_reads_what_would_leave_from_the_sealed_bytes(api, approval):
    interrupt, _ = read(api, approval)
    args = interrupt["action_request"]["args"]
    assert interrupt["action_request"]["action"] == "send_reply"
    assert (args["to"], args["subject"]) == (["ada@customer.example"], "Re: A question")
    assert args["body"].strip() == "Here is the offer."
    assert args["sha256"] == approval.sha256
    assert interrupt["config"] == {
        "allow_ignore": True, "allow_respond": True, "allow_edit": True, "allow_accept": True,
    }  # fmt: skip
    assert "Clerk asks for `send_reply`" in interrupt["description"]


def test_all_that_would_leave_is_shown_to_whom_it_goes_and_what_to_look_at(actor, inbox, api):
    thread, identity = factories.make_message(inbox).thread, inbox.account.identities.get()
    draft = create_draft(
        actor=actor, inbox=inbox, identity=identity, thread=thread, subject="Offer", body="Here.",
        to=["ada@customer.example"], cc=["bo@customer.example"], bcc=["cy@customer.example"],
    )  # fmt: skip
    attach_to_draft(draft=draft, filename="a.txt", content_type="text/plain", content=b"12 EUR")
    reply = {
        "thread_id": thread.public_id, "body_or_draft_id": draft.public_id, "idempotency_key": "d",
    }  # fmt: skip
    approval = call("send_reply", reply, actor).approval
    interrupt, _ = read(api, approval)
    args = interrupt["action_request"]["args"]
    assert {**args, "body": args["body"].strip()} == {
        "from": "office@lantern.example", "to": ["ada@customer.example"],
        "cc": ["bo@customer.example"], "bcc": ["cy@customer.example"], "subject": "Offer",
        "body": "Here.", "attachments": ["a.txt"], "sha256": approval.sha256,
    }  # fmt: skip
    said = f"Clerk asks for `send_reply`. {approval.reason}\n\nLook at:\n- new_recipient: "
    assert interrupt["description"].startswith(said)


def test_langgraph_s_own_types_take_it(api, approval):
    interrupt, _ = read(api, approval)
    shape = TypeAdapter(with_config(ConfigDict(extra="forbid"))(HumanInterrupt))
    assert shape.validate_python(interrupt) == interrupt


def test_accepting_approves_what_was_shown(api, person, approval):
    _, etag = read(api, approval)
    response = answer(person, approval, [{"type": "accept", "args": None}], etag)
    assert (response.status_code, response.json()["state"]) == (200, "approved")
    interrupt, _ = read(api, approval)
    assert not any(interrupt["config"].values())


def test_ignoring_rejects(person, approval):
    assert answer(person, approval, [{"type": "ignore"}]).json()["state"] == "rejected"


def test_a_response_goes_back_to_the_agent(person, approval):
    said = answer(person, approval, [{"type": "response", "args": "Name the price."}]).json()
    assert (said["state"], said["note"]) == ("returned", "Name the price.")


def test_an_edit_changes_and_approves(api, person, approval):
    interrupt, etag = read(api, approval)
    action = interrupt["action_request"]
    action["args"]["body"] = "Here is the offer: 12 EUR."
    edited = answer(person, approval, [{"type": "edit", "args": action}], etag).json()
    assert edited["state"] == "approved"
    approval.refresh_from_db()
    assert approval.replaced_by.public_id == edited["id"]
    assert approval.replaced_by.submission.draft.body == "Here is the offer: 12 EUR."


def test_an_edit_cannot_change_who_sends(api, person, approval):
    interrupt, etag = read(api, approval)
    action = interrupt["action_request"]
    action["args"]["from"] = "ceo@lantern.example"
    response = answer(person, approval, [{"type": "edit", "args": action}], etag)
    assert response.status_code == 400
    (problem,) = response.json()["details"]["errors"]
    assert problem["pointer"] == "/answers/0/args/args/from"
    assert problem["accepted"] == "changes of subject, body, to, cc, bcc"


@pytest.mark.parametrize("kind", ["accept", "edit"])
def test_leave_is_given_only_to_what_was_shown(person, approval, kind):
    args = {"action": "send_reply", "args": {"body": "x"}} if kind == "edit" else None
    answers = [{"type": kind, "args": args}]
    assert answer(person, approval, answers).status_code == 428
    assert answer(person, approval, answers, '"stale"').status_code == 412
    approval.refresh_from_db()
    assert approval.state == "waiting"


def test_a_token_answers_nothing(api, approval):
    response = api.client.post(
        address(approval), [{"type": "ignore"}], content_type="application/json",
        headers=api.headers(),
    )  # fmt: skip
    assert (response.status_code, response.json()["code"]) == (403, "permission_denied")
    approval.refresh_from_db()
    assert approval.state == "waiting"


def test_an_answer_from_elsewhere_is_refused(reviewer, approval):
    client = Client(enforce_csrf_checks=True)
    client.force_login(reviewer)
    response = answer(client, approval, [{"type": "ignore"}])
    assert (response.status_code, response.json()["code"]) == (403, "permission_denied")


def test_nobody_answers_without_signing_in(client, approval):
    assert answer(client, approval, [{"type": "ignore"}]).status_code == 403


@pytest.mark.parametrize("role", [Role.VIEWER])
def test_who_only_looks_decides_nothing(workspace, approval, role):
    client = Client()
    client.force_login(factories.make_person_user(workspace, role))
    assert answer(client, approval, [{"type": "ignore"}]).status_code == 403


def test_another_workspace_s_approval_does_not_exist(approval):
    client = Client()
    client.force_login(factories.make_person_user(factories.make_workspace(), Role.OWNER))
    assert client.get(address(approval)).status_code == 404
    assert answer(client, approval, [{"type": "ignore"}]).status_code == 404


@pytest.mark.parametrize(
    ("answers", "pointer"),
    [
        ([], "/answers"),
        ({}, "/answers"),
        (None, "/answers"),
        ("accept", "/answers"),
        ([{"type": "accept"}, {"type": "accept"}], "/answers"),
        ([{"type": "approve"}], "/answers/0/type"),
        ([{"type": "response"}], "/answers/0/args"),
        ([{"type": "response", "args": {"action": "x", "args": {}}}], "/answers/0/args"),
        ([{"type": "edit", "args": "x"}], "/answers/0/args"),
        ([{"type": "edit", "args": {"action": "y", "args": {}}}], "/answers/0/args"),
        ([{"type": "ignore", "more": 1}], "/answers/0/more"),
    ],
)
def test_what_is_no_answer_is_refused_with_its_place(person, approval, answers, pointer):
    response = answer(person, approval, json.dumps(answers))
    assert (response.status_code, response.json()["code"]) == (400, "invalid_input")
    (problem,) = response.json()["details"]["errors"]
    assert problem["pointer"] == pointer


def test_a_held_change_shows_its_arguments_and_cannot_be_edited(api, actor, inbox, workspace):
    waiting = held_change(actor, inbox)
    interrupt, _ = read(api, waiting)
    assert interrupt["action_request"] == {
        "action": "update_activities", "args": waiting.arguments,
    }  # fmt: skip
    assert not interrupt["config"]["allow_edit"]


def held_change(actor, inbox):
    """An agent's wish to put away what was surfaced."""
    (activity,) = factories.activities_from_messages([factories.make_message(inbox).pk])
    type(activity).objects.filter(pk=activity.pk).update(status="surfaced")
    arguments = {"activity_ids": [activity.public_id], "updates": {"status": "archived"}}
    with pytest.raises(ToolError) as caught:
        call("update_activities", arguments, actor)
    return Approval.objects.with_public_id(caught.value.details["approval_id"]).get()
