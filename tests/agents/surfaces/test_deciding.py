"""Deciding an approval over HTTP: a person's session and nothing else."""

import json

import pytest
from django.test import Client

from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Approval, Receipt
from agents.resources.control.decisions import DECISIONS
from inbox.models import Activity, Draft, Membership, Submission
from inbox.operations.drafts.writing import create_draft
from tests import factories
from tests.agents.surfaces.test_handler import ask
from tests.agents.surfaces.test_rest import error
from tests.cases import in_one_test

pytestmark = pytest.mark.django_db


class Person:
    """Somebody signed in, with the CSRF token that their pages have."""

    def __init__(self, user):
        self.client = Client(enforce_csrf_checks=True)
        self.client.force_login(user)
        self.client.get("/admin/login/")
        self.client.cookies["csrftoken"] = "t" * 32

    def decide(self, approval, body, **headers):
        found = {
            "X-CSRFToken": "t" * 32,
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        return self.client.post(
            f"/api/v1/approvals/{getattr(approval, 'public_id', approval)}/decision", json.dumps(body),
            content_type="application/json", headers={name: value for name, value in found.items() if value},
        )  # fmt: skip


@pytest.fixture
def rhea(reviewer):
    return Person(reviewer)


def approving(approval):
    return {"decision": "approve", "sha256": approval.sha256}


def test_what_was_shown_is_approved(rhea, reviewer, propose):
    approval = propose()
    answer = rhea.decide(approval, approving(approval))
    assert (answer.status_code, answer.json()["state"]) == (200, "approved")
    approval.refresh_from_db()
    assert (approval.decided_by, approval.submission.state) == (reviewer, "pending")
    assert Receipt.objects.get(tool="decide_approval").actor == f"person:{reviewer.pk}"


def test_what_was_not_shown_is_not_approved(rhea, propose):
    approval = propose()
    answer = rhea.decide(approval, {"decision": "approve", "sha256": "0" * 64})
    assert error(answer, 409, "conflict")["details"]["problem"] == "wrong_hash"
    assert Approval.objects.get().state == "waiting"


def test_what_was_not_shown_is_not_edited_either(rhea, propose):
    edit = {"decision": "edit", "sha256": "0" * 64, "body": "Better so."}
    refused = error(rhea.decide(propose(), edit), 409, "conflict")
    assert refused["details"]["problem"] == "wrong_hash"
    assert refused["message"] == "This has changed since you opened it"
    assert Approval.objects.get().state == "waiting"


def test_it_is_rejected_with_a_reason_or_sent_back_with_feedback(rhea, propose):
    rejected, returned = propose(key="a"), propose(text="Another.", key="b")
    answer = rhea.decide(rejected, {"decision": "reject", "reason": "Not ours."})
    assert (answer.json()["state"], answer.json()["note"]) == ("rejected", "Not ours.")
    answer = rhea.decide(returned, {"decision": "send_back", "feedback": "Shorter."})
    assert (answer.json()["state"], Draft.objects.get(status="returned").feedback) == (
        "returned",
        "Shorter.",
    )


def test_a_call_that_sends_nothing_is_approved_and_cannot_be_edited(rhea, actor, message):
    (activity,) = factories.activities_from_messages([message.pk])
    Activity.objects.update(status="surfaced", autonomy_tier=4)
    lower = {"activity_ids": [activity.public_id], "updates": {"status": "archived"}}
    with pytest.raises(ToolError, match="waits for a person"):
        call("update_activities", lower, actor)
    approval = Approval.objects.get()
    edit = {"decision": "edit", "sha256": approval.sha256, "body": "Better so."}
    refused = error(rhea.decide(approval, edit), 403, "permission_denied")
    assert refused["message"] == "This call would not send any mail"
    assert rhea.decide(approval, approving(approval)).json()["state"] == "approved"
    activity.refresh_from_db()
    assert activity.status == "archived"


def test_an_edited_letter_is_sealed_anew_and_approved(rhea, propose):
    approval = propose()
    answer = rhea.decide(
        approval, {"decision": "edit", "sha256": approval.sha256, "body": "Better so."}
    )
    body = answer.json()
    assert (body["state"], body["id"] != approval.public_id) == ("approved", True)
    approval.refresh_from_db()
    assert (approval.state, approval.replaced_by.public_id) == ("voided", body["id"])
    assert b"Better so." in approval.replaced_by.submission.mime_bytes


FULL = {
    "subject": "Offer", "body": "On Friday.", "to": ["ada@customer.example"],
    "cc": ["bo@customer.example"], "bcc": ["cy@customer.example"],
}  # fmt: skip


@pytest.mark.parametrize(
    "changes",
    [
        {"subject": "Offers"}, {"body": "On Monday."}, {"to": ["di@customer.example"]},
        {"cc": ["di@customer.example"]}, {"bcc": ["di@customer.example"]},
    ],
)  # fmt: skip
def test_of_an_edited_letter_the_rest_stays_as_it_was(rhea, actor, message, propose, changes):
    inbox, thread = message.inbox, message.thread
    identity = inbox.account.identities.get()
    draft = create_draft(actor=actor, inbox=inbox, identity=identity, thread=thread, **FULL)
    approval = propose(draft.public_id)
    rhea.decide(approval, {"decision": "edit", "sha256": approval.sha256, **changes})
    draft.refresh_from_db()
    lists = {name: [one["email"] for one in getattr(draft, name)] for name in ("to", "cc", "bcc")}
    assert {"subject": draft.subject, "body": draft.body, **lists} == {**FULL, **changes}


@in_one_test(
    "body",
    [{}, {"decision": "approve"}, {"decision": "edit", "body": "x"}, {"decision": "reject"}, {"decision": "send_back"}, {"decision": "undo"},
     {"decision": "approve", "sha256": "0"}, {"decision": "approve", "sha256": "0" * 64, "reason": "x"}, {"decision": "reject", "reason": " "},
     {"decision": "reject", "reason": "x", "body": "y"}, {"decision": "reject", "reason": "x", "colour": 1},
     {"decision": "reject", "reason": "x", "approval_id": "apr_x"}, []],
)  # fmt: skip
def test_a_decision_that_is_none_decides_nothing(rhea, propose, body):
    approval = propose()
    error(rhea.decide(approval, body), 400, "invalid_input")
    approval.refresh_from_db()
    assert approval.state == "waiting"


def test_a_token_decides_nothing_with_a_session_or_without(client, api, rhea, propose):
    approval = propose()
    path = f"/api/v1/approvals/{approval.public_id}/decision"
    alone = client.post(
        path,
        json.dumps(approving(approval)),
        content_type="application/json",
        headers=api.headers(),
    )
    error(alone, 403, "permission_denied")
    for sent in (f"Bearer {api.token}", "Bearer chy_none", "Basic eDp5"):
        error(
            rhea.decide(approval, approving(approval), Authorization=sent), 403, "permission_denied"
        )
    assert Approval.objects.get().state == "waiting"


def test_nobody_signed_in_decides_nothing(client, propose):
    approval = propose()
    path = f"/api/v1/approvals/{approval.public_id}/decision"
    error(
        client.post(path, approving(approval), content_type="application/json"),
        403,
        "permission_denied",
    )
    assert Approval.objects.get().state == "waiting"


@pytest.mark.parametrize("token", ["", "s" * 32])
def test_without_our_csrf_token_a_session_decides_nothing(rhea, propose, token):
    approval = propose()
    body = error(
        rhea.decide(approval, approving(approval), X_CSRFToken=token), 403, "permission_denied"
    )
    assert "CSRF" in body["message"]
    assert Approval.objects.get().state == "waiting"


def test_an_agent_cannot_decide_by_any_name(actor, propose):
    approval = propose()
    arguments = {"approval_id": approval.public_id, **approving(approval)}
    for registry in ({}, {"registry": DECISIONS}):
        with pytest.raises(ToolError) as caught:
            call("decide_approval", arguments, actor, **registry)
        assert caught.value.code in {"not_found", "permission_denied"}
    assert Approval.objects.get().state == "waiting"


def test_a_viewer_reads_and_does_not_decide(workspace, propose):
    viewer = Person(factories.make_person_user(workspace, role="viewer"))
    approval = propose()
    error(viewer.decide(approval, approving(approval)), 403, "permission_denied")
    assert Approval.objects.get().state == "waiting"


def test_foreign_and_absent_approvals_answer_alike(rhea, propose):
    stranger = Person(factories.make_person_user(factories.make_workspace()))
    approval = propose()
    ids = [
        approval,
        f"{approval.public_id[:4]}k3G7QAe51F",
        "apr_",
        "x",
        "%F0%9F%92%8C",
        approval.submission.public_id,
    ]
    answers = {stranger.decide(one, approving(approval)).content for one in ids}
    assert len(answers) == 1
    error(stranger.decide(approval, approving(approval)), 404, "not_found")


def test_the_same_decision_with_its_key_is_answered_again(rhea, propose):
    approval = propose()
    first = rhea.decide(approval, approving(approval), Idempotency_Key="k")
    again = rhea.decide(approval, approving(approval), Idempotency_Key="k")
    assert (again.json(), again["Idempotency-Replayed"]) == (first.json(), "true")
    other = rhea.decide(approval, {"decision": "reject", "reason": "x"}, Idempotency_Key="k")
    error(other, 422, "idempotency_conflict")
    answer = rhea.decide(approval, approving(approval))
    assert error(answer, 409, "conflict")["details"]["problem"] == "not_waiting"
    assert Submission.objects.get().state == "pending"


def test_what_was_found_to_have_changed_stays_void(rhea, inbox, propose):
    approval = propose()
    factories.make_message(inbox, thread=approval.submission.thread)
    answer = rhea.decide(approval, approving(approval))
    assert error(answer, 409, "conflict")["details"]["problem"] == "voided"
    approval.refresh_from_db()
    assert (approval.state, approval.submission.state) == ("voided", "voided")


def test_a_person_who_is_signed_in_reads_as_well(rhea, propose):
    approval = propose()
    answer = rhea.client.get(f"/api/v1/approvals/{approval.public_id}")
    assert answer.json()["sha256"] == approval.sha256
    assert [one["id"] for one in rhea.client.get("/api/v1/approvals").json()["approvals"]] == [
        approval.public_id
    ]


def test_a_person_writes_no_draft_with_a_session(rhea, inbox):
    body = {"inbox_id": inbox.public_id, "to": [], "subject": "x", "body": "y"}
    error(
        rhea.client.post("/api/v1/drafts", body, content_type="application/json"),
        401,
        "unauthenticated",
    )


def test_somebody_of_no_workspace_sees_nothing(rhea, reviewer, propose):
    approval = propose()
    Membership.objects.filter(user=reviewer).delete()
    error(rhea.client.get("/api/v1/approvals"), 401, "unauthenticated")
    error(rhea.decide(approval, approving(approval)), 403, "permission_denied")


@pytest.mark.django_db(transaction=True)
def test_a_session_decides_over_a_real_server(port, rhea, propose):
    approval = propose()
    cookies = "; ".join(f"{name}={morsel.value}" for name, morsel in rhea.client.cookies.items())
    headers = {"Cookie": cookies, "X-CSRFToken": "t" * 32, "Content-Type": "application/json"}
    path = f"/api/v1/approvals/{approval.public_id}/decision"
    body = json.dumps(approving(approval))
    refused, _ = ask(port, "POST", path, body, **(headers | {"Cookie": "csrftoken=" + "t" * 32}))
    answer, content = ask(port, "POST", path, body, **headers)
    assert (refused.status, answer.status, json.loads(content)["state"]) == (403, 200, "approved")
