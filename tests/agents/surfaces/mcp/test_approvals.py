"""Held calls over MCP: whatever a client says, nothing leaves but by the review page."""

import json

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult

from agents.models import Approval
from inbox.models import Activity, Submission

pytestmark = pytest.mark.django_db(transaction=True)
APPROVAL = "chancery/approval"
OPENS_URLS = {"elicitation": {"url": {}}}


@pytest.fixture
def reply(message):
    """The arguments of a reply, which is always held."""
    return {
        "thread_id": message.thread.public_id,
        "body_or_draft_id": "Here is the offer.",
        "idempotency_key": "reply-1",
    }


@pytest.fixture
def lowering(message):
    """The arguments of a change that a guard holds, with no key of the caller's."""
    activity = Activity.objects.create(
        workspace=message.workspace, source="email", source_id="x", message=message, title="Roof",
        created_at=message.received_at, status="surfaced", autonomy_tier=4,
    )  # fmt: skip
    return {"activity_ids": [activity.public_id], "updates": {"status": "archived"}}


class Person:
    """Answers elicitations, and remembers what was asked."""

    def __init__(self, action):
        self.action = action
        self.asked = []

    async def __call__(self, context, params):
        self.asked.append(params)
        return ElicitResult(action=self.action)


def nothing_left():
    return set(Submission.objects.values_list("state", flat=True)) <= {"held"}


def test_a_client_that_opens_no_pages_is_told_the_approval(mcp, reply):
    result = mcp.call("send_reply", reply, profile="mail")
    approval = Approval.objects.get()
    assert result.structured_content["status"] == "queued"
    told = result.meta[APPROVAL]
    assert (told["approval_id"], told["state"]) == (approval.public_id, "waiting")
    assert told["review_url"].endswith(f"/{approval.public_id}/")
    assert told["review_url"] in result.content[1].text
    assert nothing_left()


def test_a_client_that_keeps_only_one_of_the_forms_still_learns_the_approval(mcp, reply):
    """Two frameworks pass on the structured answer or the first text, and drop all else."""
    result = mcp.call("send_reply", reply, profile="mail")
    approval = Approval.objects.get()
    assert result.structured_content["approval_id"] == approval.public_id
    assert result.structured_content["review_url"].endswith(f"/{approval.public_id}/")
    assert json.loads(result.content[0].text) == result.structured_content


def test_over_rest_the_answer_has_what_the_contract_prints_and_no_more(api, reply):
    answer = api.call("send_reply", reply)
    assert answer.json().keys() == {"message_id", "status"}
    assert answer["Chancery-Approval"] == Approval.objects.get().public_id


def test_what_has_left_still_names_its_approval(mcp, reply, approve):
    mcp.call("send_reply", reply, profile="mail")
    approve(Approval.objects.get())
    result = mcp.call("send_reply", reply, profile="mail")
    assert result.structured_content["approval_id"] == Approval.objects.get().public_id


def test_a_held_change_answers_with_its_approval(mcp, api, lowering):
    rest = api.call("update_activities", lowering).json()
    result = mcp.call("update_activities", lowering, profile="concierge")
    assert result.is_error
    assert json.loads(result.content[0].text) == rest
    assert result.meta[APPROVAL]["approval_id"] == rest["details"]["approval_id"]
    structured = result.structured_content
    assert structured["approval_id"] == rest["details"]["approval_id"]
    assert structured["review_url"] == rest["details"]["review_url"]
    assert structured["code"] == "approval_required"
    assert Approval.objects.count() == 1


@pytest.mark.parametrize("action", ["accept", "decline", "cancel"])
@pytest.mark.parametrize("revision", ["2026-07-28"], indirect=True)
def test_whatever_is_answered_to_the_question_it_still_waits(mcp, reply, action):
    person = Person(action)
    result = mcp.call("send_reply", reply, profile="mail", elicitation_callback=person)
    approval = Approval.objects.get()
    assert [(asked.mode, approval.public_id in asked.url) for asked in person.asked] == [
        ("url", True)
    ]
    assert result.structured_content["status"] == "queued"
    assert result.meta[APPROVAL]["approval_id"] == approval.public_id
    assert approval.state == "waiting"
    assert nothing_left()


@pytest.mark.parametrize("revision", ["2026-07-28"], indirect=True)
def test_a_held_change_without_a_key_is_asked_about_once(mcp, lowering):
    person = Person("accept")
    options = {"profile": "concierge", "elicitation_callback": person}
    result = mcp.call("update_activities", lowering, **options)
    assert len(person.asked) == 1
    assert json.loads(result.content[0].text)["code"] == "approval_required"
    assert Approval.objects.count() == 1
    assert Activity.objects.get().status == "surfaced"


@pytest.mark.parametrize("revision", ["2025-11-25"], indirect=True)
@pytest.mark.parametrize("call", ["send_reply", "update_activities"])
def test_by_2025_11_25_the_page_comes_as_an_error_and_a_repetition_tells_the_state(
    mcp, reply, lowering, call
):
    arguments = {"send_reply": reply, "update_activities": lowering}[call]
    profile = {"send_reply": "mail", "update_activities": "concierge"}[call]

    async def work(client):
        try:
            await client.call_tool(call, arguments)
        except MCPError as error:
            return error, await client.call_tool(call, arguments)
        raise AssertionError("it was not asked about")

    error, again = mcp.run(work, profile, elicitation_callback=Person("accept"))
    approval = Approval.objects.get()
    (page,) = error.data["elicitations"]
    assert error.code == -32042
    assert (page["mode"], page["elicitationId"]) == ("url", approval.public_id)
    assert page["url"] == error.data["review_url"]
    assert again.meta[APPROVAL]["approval_id"] == approval.public_id
    assert again.meta[APPROVAL]["state"] == "waiting"
    assert nothing_left()


@pytest.mark.parametrize("revision", ["2025-06-18"], indirect=True)
def test_an_older_client_is_not_asked_in_a_form(mcp, reply):
    person = Person("accept")
    result = mcp.call("send_reply", reply, profile="mail", elicitation_callback=person)
    assert result.structured_content["status"] == "queued"
    assert person.asked == []


def first_state(raw, name, arguments, path):
    _, _, answer = raw.ask_stateless(
        "tools/call", {"name": name, "arguments": arguments}, OPENS_URLS, path=path
    )
    assert answer["result"]["resultType"] == "input_required"
    return answer["result"]["requestState"]


def again(raw, name, arguments, path, **more):
    params = {"name": name, "arguments": arguments, **more}
    return raw.ask_stateless("tools/call", params, OPENS_URLS, path=path)[2]


@pytest.mark.parametrize(
    "responses",
    [{}, {"approval": {"action": "accept"}}, {"other": {"action": "accept", "content": {"x": 1}}},
     {"approval": {"action": "accept", "content": {"approve": True, "state": "approved"}}}],
)  # fmt: skip
def test_no_answer_of_a_client_approves(raw, lowering, responses):
    state = first_state(raw, "update_activities", lowering, "/mcp/concierge")
    more = {"requestState": state, "inputResponses": responses}
    answer = again(raw, "update_activities", lowering, "/mcp/concierge", **more)
    told = json.loads(answer["result"]["content"][0]["text"])
    assert told["code"] == "approval_required"
    assert told["details"]["approval_id"] == Approval.objects.get().public_id
    assert Approval.objects.get().state == "waiting"
    assert Activity.objects.get().status == "surfaced"


@pytest.mark.parametrize("responses", [5, None, [], {"approval": 12345}, {"approval": "accept"}])
def test_garbage_in_place_of_an_answer_changes_nothing(raw, lowering, responses):
    state = first_state(raw, "update_activities", lowering, "/mcp/concierge")
    more = {"requestState": state, "inputResponses": responses}
    answer = again(raw, "update_activities", lowering, "/mcp/concierge", **more)
    told = json.dumps(answer)
    assert "approval_required" in told or "error" in answer
    assert Approval.objects.get().state == "waiting"
    assert Activity.objects.get().status == "surfaced"


@pytest.mark.parametrize(
    "spoil", [lambda state: state + "x", lambda state: "", lambda state: "a:b:c"]
)
def test_a_state_that_is_none_of_ours_is_refused(raw, lowering, spoil):
    state = first_state(raw, "update_activities", lowering, "/mcp/concierge")
    more = {"requestState": spoil(state)}
    answer = again(raw, "update_activities", lowering, "/mcp/concierge", **more)
    assert answer["error"]["code"] == -32602
    assert Approval.objects.count() == 1


def test_a_state_belongs_to_its_call(raw, lowering, reply):
    state = first_state(raw, "update_activities", lowering, "/mcp/concierge")
    answer = again(raw, "send_reply", reply, "/mcp/mail", requestState=state)
    assert answer["error"]["code"] == -32602
    assert Submission.objects.count() == 0


def test_after_the_decision_the_repetition_tells_it(raw, lowering, approve):
    state = first_state(raw, "update_activities", lowering, "/mcp/concierge")
    approve(Approval.objects.get())
    answer = again(raw, "update_activities", lowering, "/mcp/concierge", requestState=state)
    assert answer["result"]["structuredContent"]["updated_count"] == 1
    assert answer["result"]["_meta"][APPROVAL]["state"] == "approved"
    assert Approval.objects.count() == 1


def test_a_call_that_is_not_held_is_not_asked_about(raw, lowering):
    raised = {**lowering, "updates": {"status": "surfaced"}}
    params = {"name": "update_activities", "arguments": raised}
    _, _, answer = raw.ask_stateless("tools/call", params, OPENS_URLS, path="/mcp/concierge")
    assert answer["result"]["resultType"] == "complete"
    assert answer["result"]["isError"] is False


def test_without_the_state_the_same_call_finds_what_waits(raw, lowering):
    first_state(raw, "update_activities", lowering, "/mcp/concierge")
    first_state(raw, "update_activities", lowering, "/mcp/concierge")
    assert Approval.objects.count() == 1
