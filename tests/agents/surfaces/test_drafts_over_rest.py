"""Drafts by their address: made, changed in the state that was read, and deleted."""

import json

import pytest

from agents.dispatching.dispatch import call
from agents.models import Approval, Receipt
from inbox.models import Draft, DraftVersion, ReplyPolicy
from inbox.operations.activities.understanding import ensure_defaults
from tests import factories
from tests.agents.surfaces.test_rest import error

pytestmark = pytest.mark.django_db
MADE = {"to": ["ada@customer.example"], "subject": "The offer", "body": "Here it is."}


@pytest.fixture
def send(client, api):
    """Send a write; `if_match` and other headers by name."""

    def send(method, path, body=None, **headers):
        content = None if body is None else json.dumps(body)
        return client.generic(
            method, f"/api/v1/{path}", content or "", content_type="application/json",
            headers=api.headers(**headers),
        )  # fmt: skip

    return send


@pytest.fixture
def made(send, inbox):
    """A draft as it was answered, and its ETag."""
    answer = send("POST", "drafts", {**MADE, "inbox_id": inbox.public_id})
    return answer.json(), answer["ETag"]


def test_a_draft_is_made_and_found_at_its_address(api, send, inbox):
    answer = send(
        "POST", "drafts", {**MADE, "inbox_id": inbox.public_id, "cc": ["Bob@customer.example"]}
    )
    body = answer.json()
    assert (answer.status_code, answer["Location"]) == (201, f"/api/v1/drafts/{body['id']}")
    read = api.get(f"v1/drafts/{body['id']}")
    assert (read.json(), read["ETag"]) == (body, answer["ETag"])
    assert body["sender"]["email"] == inbox.address
    assert (body["status"], body["version"], body["cc"]) == (
        "open",
        1,
        [{"email": "Bob@customer.example"}],
    )


def test_a_draft_may_stand_in_a_thread_of_its_inbox_alone(send, workspace, agent, inbox):
    other = factories.make_inbox(workspace)
    agent.grants.create(account=other.account)
    thread = factories.make_message(other).thread.public_id
    body = {**MADE, "inbox_id": inbox.public_id, "thread_id": thread}
    error(send("POST", "drafts", body), 400, "invalid_input")
    body = {**body, "inbox_id": other.public_id}
    assert send("POST", "drafts", body).json()["thread_id"] == thread


@pytest.mark.parametrize(
    "wrong",
    [{"to": ["nobody"]}, {"to": "ada@customer.example"}, {"subject": "a\nb"}, {"body": ""}, {"body": "a\0b"}, {"colour": "red"},
     {"subject": None}, {"to": ["a@example.org"] * 501}, {"thread_id": None}],
)  # fmt: skip
def test_a_bad_field_makes_no_draft(send, inbox, wrong):
    answer = send("POST", "drafts", {**MADE, "inbox_id": inbox.public_id, **wrong})
    pointer = error(answer, 400, "invalid_input")["details"]["errors"][0]["pointer"]
    assert pointer.startswith(f"/{next(iter(wrong))}")
    assert not Draft.objects.exists()


def test_the_same_key_makes_one_draft(send, inbox):
    body = {**MADE, "inbox_id": inbox.public_id}
    first = send("POST", "drafts", body, Idempotency_Key="once")
    again = send("POST", "drafts", body, Idempotency_Key="once")
    assert (again.json(), again["Idempotency-Replayed"]) == (first.json(), "true")
    assert Draft.objects.count() == 1
    other = send("POST", "drafts", {**body, "subject": "Another"}, Idempotency_Key="once")
    error(other, 422, "idempotency_conflict")


def test_a_change_makes_a_version(api, send, made):
    draft, etag = made
    answer = send("PATCH", f"drafts/{draft['id']}", {"body": "It is here."}, If_Match=etag)
    changed = answer.json()
    assert (changed["body"], changed["subject"], changed["version"]) == (
        "It is here.",
        "The offer",
        2,
    )
    assert answer["ETag"] == api.get(f"v1/drafts/{draft['id']}")["ETag"] != etag
    assert DraftVersion.objects.filter(version=1).get().body == "Here it is."


def test_a_change_without_a_state_is_refused(send, made):
    draft, _ = made
    for method, body in (("PATCH", {"body": "x"}), ("DELETE", None)):
        error(send(method, f"drafts/{draft['id']}", body), 428, "precondition_required")
    assert Draft.objects.get().version == 1


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_a_change_of_a_state_that_is_gone_changes_nothing(send, made, method):
    draft, stale = made
    send("PATCH", f"drafts/{draft['id']}", {"subject": "Theirs"}, If_Match=stale)
    body = {"subject": "Mine"} if method == "PATCH" else None
    answer = send(method, f"drafts/{draft['id']}", body, If_Match=stale)
    error(answer, 412, "precondition_failed")
    kept = Draft.objects.get()
    assert (kept.subject, kept.version, kept.deleted_at) == ("Theirs", 2, None)


def test_a_weak_tag_is_no_match_and_what_is_no_tag_is_refused(send, made):
    draft, etag = made
    path, body = f"drafts/{draft['id']}", {"subject": "Mine"}
    error(send("PATCH", path, body, If_Match=f"W/{etag}"), 412, "precondition_failed")
    error(send("PATCH", path, body, If_Match=etag.strip('"')), 400, "invalid_input")
    assert send("PATCH", path, body, If_Match=f'"other", {etag}').status_code == 200
    assert send("PATCH", path, {"subject": "Again"}, If_Match="*").status_code == 200


def test_a_change_that_changes_nothing_keeps_the_state(send, made):
    draft, etag = made
    answer = send("PATCH", f"drafts/{draft['id']}", {"subject": draft["subject"]}, If_Match=etag)
    assert (answer["ETag"], answer.json()["version"]) == (etag, 1)
    error(send("PATCH", f"drafts/{draft['id']}", {}, If_Match=etag), 400, "invalid_input")


def test_the_same_change_with_its_key_is_answered_again(send, made):
    draft, etag = made
    change = (f"drafts/{draft['id']}", {"subject": "Mine"})
    first = send("PATCH", *change, If_Match=etag, Idempotency_Key="k")
    again = send("PATCH", *change, If_Match=etag, Idempotency_Key="k")
    assert (again.status_code, again.json()) == (200, first.json())
    assert Draft.objects.get().version == 2


def test_a_change_of_what_waits_for_a_person_voids_it(api, send, propose, reviewer, approve):
    approval = propose()
    path = f"drafts/{approval.submission.draft.public_id}"
    etag = api.get(f"v1/{path}")["ETag"]
    assert send("PATCH", path, {"body": "Something else."}, If_Match=etag).status_code == 200
    with pytest.raises(Exception, match="No longer valid"):
        approve(approval)
    assert Approval.objects.get().state == "voided"


def test_a_deleted_draft_is_gone_and_what_waited_of_it_is_void(api, send, propose):
    approval = propose()
    path = f"drafts/{approval.submission.draft.public_id}"
    etag = api.get(f"v1/{path}")["ETag"]
    assert send("DELETE", path, If_Match=etag).json() == {
        "id": path.partition("/")[2],
        "deleted": True,
    }
    error(api.get(f"v1/{path}"), 404, "not_found")
    error(send("DELETE", path, If_Match=etag), 404, "not_found")
    assert api.get("v1/drafts").json() == {"drafts": []}
    approval.submission.refresh_from_db()
    assert approval.submission.state == "voided"


def test_another_s_draft_is_read_and_not_changed(api, send, workspace, inbox):
    other = factories.agent_actor(factories.make_agent(workspace, "Scribe", (inbox,)))
    thread = factories.make_message(inbox).thread.public_id
    call(
        "draft_reply_with_policy",
        {"thread_id": thread, "goal": "Thank them.", "policy_id": _policy(workspace)},
        other,
    )
    path = f"drafts/{Draft.objects.get().public_id}"
    etag = api.get(f"v1/{path}")["ETag"]
    for method, body in (("PATCH", {"body": "Mine."}), ("DELETE", None)):
        error(send(method, path, body, If_Match=etag), 403, "permission_denied")
    assert Draft.objects.get().version == 1


def _policy(workspace):
    ensure_defaults(workspace)
    return ReplyPolicy.objects.get(workspace=workspace).public_id


@pytest.mark.parametrize(
    ("method", "scope"),
    [("POST", "comms:write"), ("PATCH", "comms:write"), ("DELETE", "comms:destroy")],
)
def test_each_write_needs_its_scope(send, agent, made, method, scope):
    draft, etag = made
    tokens = agent.tokens.exclude(hint="chy_none")
    tokens.update(scopes=sorted(set(tokens.get().scopes) - {scope}))
    path = "drafts" if method == "POST" else f"drafts/{draft['id']}"
    body = {"POST": {**MADE, "inbox_id": draft["inbox_id"]}, "PATCH": {"body": "x"}}.get(method)
    error(send(method, path, body, If_Match=etag), 403, "permission_denied")
    assert Draft.objects.get().version == 1


def test_what_stands_in_the_address_does_not_stand_in_the_body(send, made):
    draft, etag = made
    for wrong in ({"draft_id": draft["id"]}, {"if_match": etag}):
        body = {"body": "x", **wrong}
        error(send("PATCH", f"drafts/{draft['id']}", body, If_Match=etag), 400, "invalid_input")
    error(
        send("PATCH", f"drafts/{draft['id']}?limit=1", {"body": "x"}, If_Match=etag),
        400,
        "invalid_input",
    )
    error(send("PATCH", f"drafts/{draft['id']}", ["x"], If_Match=etag), 400, "invalid_input")


def test_a_refused_write_leaves_a_receipt(send, made):
    draft, _ = made
    before = Receipt.objects.count()
    send("PATCH", f"drafts/{draft['id']}", {"body": "x"})
    kept = Receipt.objects.order_by("-id").first()
    assert Receipt.objects.count() == before + 1
    assert (kept.tool, kept.error_code) == ("change_draft", "precondition_required")
