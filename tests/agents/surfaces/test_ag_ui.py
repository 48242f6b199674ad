"""Approvals as runs of AG-UI are interrupted for them, and the entries that resume such a run."""

import json

import pytest
from ag_ui.core import Interrupt, ResumeEntry, RunFinishedEvent, RunFinishedInterruptOutcome
from django.test import Client
from jsonschema import Draft202012Validator

from agents.approval import lifecycle
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Approval
from inbox.models import Activity
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def approval(propose):
    return propose()


@pytest.fixture
def person(reviewer):
    client = Client()
    client.force_login(reviewer)
    return client


def address(approval, form="ag-ui"):
    return f"/api/v1/approvals/{approval.public_id}/interrupt?format={form}"


def read(api, approval):
    response = api.get(address(approval).removeprefix("/api/"))
    assert response.status_code == 200, response.content
    return response.json(), response["ETag"]


def interrupt_of(api, approval):
    outcome, etag = read(api, approval)
    (interrupt,) = outcome["interrupts"]
    return interrupt, etag


def entry(approval, payload=None, status="resolved", **fields):
    """An entry of `resume` as the protocol's own package writes it."""
    made = ResumeEntry(interrupt_id=approval.public_id, status=status, payload=payload, **fields)
    return made.model_dump(by_alias=True, exclude_none=True)


def resume(client, approval, entries, etag=None, **headers):
    if etag:
        headers["If-Match"] = etag
    return client.post(
        address(approval), json.dumps(entries), content_type="application/json", headers=headers
    )


def test_a_run_may_end_with_it_by_the_protocols_own_types(api, approval):
    outcome, _ = read(api, approval)
    event = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": outcome}
    parsed = RunFinishedEvent.model_validate(event)
    assert isinstance(parsed.outcome, RunFinishedInterruptOutcome)
    # Nothing in it that the protocol does not know.
    fields = {field.alias or name for name, field in Interrupt.model_fields.items()}
    assert set(outcome["interrupts"][0]) <= fields
    assert set(outcome) == {"type", "interrupts"}


def test_it_shows_what_would_leave_and_until_when(api, approval):
    interrupt, _ = interrupt_of(api, approval)
    assert (interrupt["id"], interrupt["reason"]) == (approval.public_id, "tool_call")
    assert interrupt["toolCallId"] == "k1"
    assert "Clerk asks for `send_reply`" in interrupt["message"]
    assert interrupt["expiresAt"].endswith("Z")
    told = interrupt["metadata"]["chancery"]
    assert (told["tool"], told["sha256"]) == ("send_reply", approval.sha256)
    assert told["args"]["to"] == ["ada@customer.example"]
    assert told["review_url"].endswith(f"/{approval.public_id}/")
    properties = interrupt["responseSchema"]["properties"]
    assert set(properties) == {"approved", "feedback", "editedArgs"}
    Draft202012Validator.check_schema(interrupt["responseSchema"])


def test_a_call_without_a_key_of_its_clients_is_no_call_of_a_model(api, actor, message):
    reply = {"thread_id": message.thread.public_id, "body_or_draft_id": "Hi.",
             "idempotency_key": "mcp-1"}  # fmt: skip
    interrupt, _ = interrupt_of(api, call("send_reply", reply, actor).approval)
    assert interrupt["reason"] == "confirmation"
    assert "toolCallId" not in interrupt


def test_a_yes_approves_what_was_shown(api, person, approval):
    interrupt, etag = interrupt_of(api, approval)
    payload = {"approved": True}
    Draft202012Validator(interrupt["responseSchema"]).validate(payload)
    response = resume(person, approval, [entry(approval, payload)], etag)
    assert (response.status_code, response.json()["state"]) == (200, "approved")
    outcome, _ = read(api, approval)
    assert outcome == {"type": "success"}


def test_a_no_rejects_and_with_words_goes_back_to_the_agent(person, propose):
    said = resume(person, first := propose(), [entry(first, {"approved": False})]).json()
    assert (said["state"], said["note"]) == ("rejected", "A person said no.")
    second = propose("Another offer.", "k2")
    words = {"approved": False, "feedback": "Name the price."}
    said = resume(person, second, [entry(second, words)]).json()
    assert (said["state"], said["note"]) == ("returned", "Name the price.")


def test_what_is_cancelled_is_not_executed(person, approval):
    response = resume(person, approval, [entry(approval, status="cancelled")])
    assert response.json()["state"] == "rejected"


def test_edited_args_replace_the_whole_message(api, person, approval):
    interrupt, etag = interrupt_of(api, approval)
    shown = interrupt["metadata"]["chancery"]["args"]
    edited = {name: shown[name] for name in ("subject", "body", "to", "cc", "bcc")}
    edited |= {"body": "Here is the offer: 12 EUR.", "cc": ["bo@customer.example"]}
    payload = {"approved": True, "editedArgs": edited}
    Draft202012Validator(interrupt["responseSchema"]).validate(payload)
    said = resume(person, approval, [entry(approval, payload)], etag).json()
    assert said["state"] == "approved"
    approval.refresh_from_db()
    draft = approval.replaced_by.submission.draft
    assert (draft.body, approval.replaced_by.submission.envelope_to) == (
        "Here is the offer: 12 EUR.", ["ada@customer.example", "bo@customer.example"],
    )  # fmt: skip


@pytest.mark.parametrize("edited", [None, {"body": "x"}])
def test_leave_is_given_only_to_what_was_shown(api, person, approval, edited):
    payload = {"approved": True}
    if edited:
        shown = interrupt_of(api, approval)[0]["metadata"]["chancery"]["args"]
        payload["editedArgs"] = {
            name: shown[name] for name in ("subject", "body", "to", "cc", "bcc")
        } | edited  # fmt: skip
    entries = [entry(approval, payload)]
    assert resume(person, approval, entries).status_code == 428
    assert resume(person, approval, entries, '"stale"').status_code == 412
    # The tag of the other form is another one.
    other = api.get(address(approval, "langgraph").removeprefix("/api/"))["ETag"]
    assert resume(person, approval, entries, other).status_code == 412
    approval.refresh_from_db()
    assert approval.state == "waiting"


def test_a_token_a_stranger_and_a_foreign_page_answer_nothing(api, client, reviewer, approval):
    entries = [entry(approval, {"approved": False})]
    by_token = api.client.post(
        address(approval), entries, content_type="application/json", headers=api.headers()
    )
    assert (by_token.status_code, by_token.json()["code"]) == (403, "permission_denied")
    assert resume(Client(), approval, entries).status_code == 403
    foreign = Client(enforce_csrf_checks=True)
    foreign.force_login(reviewer)
    assert resume(foreign, approval, entries).status_code == 403
    approval.refresh_from_db()
    assert approval.state == "waiting"


def test_the_same_entry_again_is_safe(person, approval):
    entries = [entry(approval, {"approved": False})]
    first = resume(person, approval, entries, **{"Idempotency-Key": "once"})
    again = resume(person, approval, entries, **{"Idempotency-Key": "once"})
    assert (first.status_code, again.status_code) == (200, 200)
    assert again.headers["Idempotency-Replayed"] == "true"


WHOLE = {"subject": "a", "body": "b", "to": [], "cc": [], "bcc": []}


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"interruptId": "apr_other"}, "/resume/0/interruptId"),
        ({"status": "done"}, "/resume/0/status"),
        ({"payload": None}, "/resume/0/payload"),
        ({"payload": True}, "/resume/0/payload"),
        ({"payload": {}}, "/resume/0/payload/approved"),
        ({"payload": {"approved": "yes"}}, "/resume/0/payload/approved"),
        ({"payload": {"approved": True, "sudo": 1}}, "/resume/0/payload/sudo"),
        ({"payload": {"approved": True, "feedback": "x"}}, "/resume/0/payload/feedback"),
        ({"payload": {"approved": False, "editedArgs": WHOLE}}, "/resume/0/payload/editedArgs"),
        ({"payload": {"approved": True, "editedArgs": {**WHOLE, "from": "x"}}},
         "/resume/0/payload/editedArgs/from"),
        ({"payload": {"approved": True, "editedArgs": {"body": "x"}}},
         "/resume/0/payload/editedArgs/subject"),
        ({"more": 1}, "/resume/0/more"),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_refused_with_its_place(person, approval, change, pointer):
    given = {
        "interruptId": approval.public_id,
        "status": "resolved",
        "payload": {"approved": False},
    }
    response = resume(person, approval, [given | change])
    assert (response.status_code, response.json()["code"]) == (400, "invalid_input")
    assert response.json()["details"]["errors"][0]["pointer"] == pointer
    approval.refresh_from_db()
    assert approval.state == "waiting"


def test_every_open_interrupt_is_answered_at_once_and_there_is_one(person, approval):
    one = entry(approval, {"approved": False})
    for entries in ([], [one, one], one, "x", None):
        assert resume(person, approval, entries).status_code == 400


def test_a_held_change_shows_its_arguments_and_cannot_be_edited(api, actor, message):
    (activity,) = factories.activities_from_messages([message.pk])
    Activity.objects.update(status="surfaced", autonomy_tier=4)
    updates = {"activity_ids": [activity.public_id], "updates": {"status": "archived"}}
    with pytest.raises(ToolError):
        call("update_activities", updates, actor)
    interrupt, _ = interrupt_of(api, Approval.objects.get())
    assert interrupt["metadata"]["chancery"]["args"]["activity_ids"] == [activity.public_id]
    assert "editedArgs" not in interrupt["responseSchema"]["properties"]


def test_what_was_decided_elsewhere_ends_the_run_without_an_interrupt(api, approval, reviewer):
    lifecycle.reject(approval=approval, by=reviewer, reason="No.")
    assert read(api, approval)[0] == {"type": "success"}


def test_a_form_that_there_is_not_is_refused_by_name(api, person, approval):
    for response in (
        api.get(address(approval, "mastra").removeprefix("/api/")),
        person.post(address(approval, "mastra"), "[]", content_type="application/json"),
    ):
        (problem,) = response.json()["details"]["errors"]
        assert (response.status_code, problem["pointer"], problem["accepted"]) == (
            400, "/format", "one of langgraph, ag-ui",
        )  # fmt: skip
    assert api.get(address(approval, "langgraph").removeprefix("/api/")).json()["config"]
