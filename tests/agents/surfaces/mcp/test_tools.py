"""Tools over MCP: the same answers, errors and receipts as over REST."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from mcp.shared.exceptions import MCPError

from agents.models import AgentMessage, Receipt
from agents.operations.agents import create_token
from inbox.models import ReplyPolicy
from inbox.operations.activities.understanding import ensure_defaults
from tests import factories
from tests.agents.surfaces.mcp.conftest import Mcp

pytestmark = pytest.mark.django_db(transaction=True)
KEY = "chancery/idempotency-key"
SAME = ("actor", "tool", "arguments", "decision", "outcome", "result", "error_code", "reason")

# One tool of each profile.
SHOWN = {
    "": "list",
    "unified": "list_approvals",
    "individual": "email_send",
    "mail": "send_reply",
    "concierge": "query_people",
    "services": "google_tasks_service",
    "mesh": "push_context",
    "house": "get_approval",
}


def last_receipt():
    receipt = Receipt.objects.order_by("-id").first()
    return {name: getattr(receipt, name) for name in SAME}


async def list_tools(client):
    return (await client.list_tools()).tools


def test_an_answer_is_that_of_rest_to_the_letter(mcp, api, inbox, message):
    arguments = {"inbox_id": inbox.public_id, "limit": 5}
    rest = api.call("list_threads", arguments)
    by_rest = last_receipt()
    result = mcp.call("list_threads", arguments, profile="mail")
    assert not result.is_error
    assert result.structured_content == rest.json()
    assert result.content[0].text.encode() == rest.content
    assert last_receipt() == by_rest


def test_what_a_draft_leaves_out_is_told_beside_its_answer(mcp, api, message, workspace):
    ensure_defaults(workspace)
    policy = ReplyPolicy.objects.get(workspace=workspace).public_id
    goal = "Thank them and be nice about the wömbat."
    arguments = {"thread_id": message.thread.public_id, "policy_id": policy, "goal": goal}
    said = "Not understood and left out: “be nice about the wömbat”."
    rest = api.call("draft_reply_with_policy", arguments)
    assert json.loads(rest["Chancery-Remarks"]) == [said]
    result = mcp.call("draft_reply_with_policy", arguments, profile="mail")
    assert result.meta["chancery/remarks"] == [said]
    assert result.content[1].text == said
    assert set(result.structured_content) == set(rest.json())
    whole = {**arguments, "goal": "Thank them."}
    assert "Chancery-Remarks" not in api.call("draft_reply_with_policy", whole)


def test_an_error_is_that_of_rest_and_leaves_its_receipt(mcp, api, inbox):
    arguments = {"inbox_id": inbox.public_id, "limit": 0, "mine": True}
    rest = api.call("list_threads", arguments)
    by_rest = last_receipt()
    result = mcp.call("list_threads", arguments, profile="mail")
    assert result.is_error
    assert json.loads(result.content[0].text) == rest.json()
    assert last_receipt() == by_rest


def test_an_error_of_the_mesh_has_the_shape_of_the_mesh(mcp, actor):
    arguments = {"agent_name": actor.name, "key": "absent"}
    result = mcp.call("get_context", arguments, profile="mesh")
    assert result.is_error
    told = json.loads(result.content[0].text)
    assert (told["error_code"], told["tool"]) == ("KEY_NOT_FOUND", "get_context")
    # Some clients hold whatever is structured against the output schema, errors too.
    assert result.structured_content is None


def test_a_tool_that_is_not_of_the_profile_is_unknown(mcp, inbox):
    with pytest.raises(MCPError) as refused:
        mcp.call("list_threads", {"inbox_id": inbox.public_id}, profile="mesh")
    assert refused.value.code == -32602
    assert refused.value.data["code"] == "not_found"
    assert last_receipt()["error_code"] == "not_found"


def test_the_answer_names_its_receipt(mcp, inbox):
    result = mcp.call("list_threads", {"inbox_id": inbox.public_id}, profile="mail")
    newest = Receipt.objects.order_by("-id").first()
    assert result.meta["chancery/receipt"] == newest.public_id


def test_a_key_in_meta_makes_a_repeated_call_happen_once(mcp, workspace, actor):
    factories.make_agent(workspace, "Scout")
    arguments = {"from_agent": actor.name, "to_agent": "Scout", "message": "The post is here."}
    first = mcp.call("send_message_to_agent", arguments, profile="mesh", meta={KEY: "once"})
    again = mcp.call("send_message_to_agent", arguments, profile="mesh", meta={KEY: "once"})
    assert first.structured_content == again.structured_content
    assert again.meta["chancery/replayed"] is True
    assert AgentMessage.objects.count() == 1


def test_a_key_that_is_no_text_is_refused(mcp, actor):
    with pytest.raises(MCPError) as refused:
        mcp.call("list_context_keys", {"agent_name": actor.name}, profile="mesh", meta={KEY: 5})
    assert KEY in refused.value.message


def test_a_list_is_an_object_where_the_revision_wants_one(mcp, api, inbox):
    arguments = {"account_id": inbox.account.public_id}
    rest = api.call("email_list", arguments).json()
    result = mcp.call("email_list", arguments, profile="individual")
    wrapped = rest if mcp.revision == "2026-07-28" else {"result": rest}
    assert result.structured_content == wrapped
    assert json.loads(result.content[0].text) == rest


def test_a_verb_calls_the_operation_behind_it(mcp, api, inbox):
    arguments = {"account_id": inbox.account.public_id}
    result = mcp.call("list", {"resource": "emails", "parameters": arguments})
    assert last_receipt()["tool"] == "email_list"
    assert json.loads(result.content[0].text) == api.call("email_list", arguments).json()


def test_only_what_the_token_may_call_is_listed(mcp, agent):
    token = create_token(agent=agent, scopes={"inbox:read"})[1]
    narrow = Mcp(0, token, mcp.revision)
    narrow.url = mcp.url
    every, few = mcp.run(list_tools), narrow.run(list_tools)
    assert {tool.name for tool in few} < {tool.name for tool in every}
    assert "send" not in {tool.name for tool in few}
    get = {tool.name: tool for tool in few}["get"]
    assert "email" in get.input_schema["properties"]["resource"]["enum"]
    allowed = set(get.meta["chancery/resources"].values())
    assert allowed == {"read"}


def test_a_token_with_no_scope_sees_nothing_and_is_refused_like_by_rest(mcp, agent, api, inbox):
    narrow = Mcp(0, create_token(agent=agent, scopes={"time:read"})[1], mcp.revision)
    narrow.url, api.token = mcp.url, narrow.token
    assert "list_threads" not in {tool.name for tool in narrow.run(list_tools, "mail")}
    arguments = {"inbox_id": inbox.public_id}
    result = narrow.call("list_threads", arguments, profile="mail")
    told = json.loads(result.content[0].text)
    assert told == api.call("list_threads", arguments).json()
    assert told["code"] == "permission_denied"


def test_each_profile_shows_its_tools(mcp):
    for profile, some in SHOWN.items():
        tools = mcp.run(list_tools, profile)
        assert some in {tool.name for tool in tools}
        for tool in tools:
            assert tool.input_schema["type"] == "object"
            assert not {"oneOf", "anyOf", "allOf"} & tool.input_schema.keys()
            assert tool.title
            assert tool.description


def test_the_default_profile_is_small(mcp):
    names = {tool.name for tool in mcp.run(list_tools)}
    assert len(names) <= 14


def test_the_order_of_the_list_stays(mcp):
    names = [[tool.name for tool in mcp.run(list_tools, "individual")] for _ in range(2)]
    assert names[0] == names[1]


def test_a_hundred_calls_at_once_are_all_answered(raw, inbox, message):
    arguments = {"inbox_id": inbox.public_id}
    params = {"name": "list_threads", "arguments": arguments}

    def ask(_):
        return raw.ask("tools/call", params, path="/mcp/mail")

    with ThreadPoolExecutor(100) as pool:
        answers = list(pool.map(ask, range(100)))
    assert {status for status, _, _ in answers} == {200}
    texts = {answer["result"]["content"][0]["text"] for _, _, answer in answers}
    assert len(texts) == 1
    assert Receipt.objects.filter(tool="list_threads").count() == 100


def test_what_an_answer_shows_is_told_of_beside_it(mcp, inbox, message, workspace):
    hers = message.thread.public_id
    told = mcp.call("get_thread", {"thread_id": hers, "include_messages": True}, profile="mail")
    trust = told.meta["chancery/trust"]
    assert trust[hers] == {"origin": "stranger", "author": message.from_email}
    assert trust[message.public_id]["authenticated"] == message.authentication
    assert "trust" not in told.content[0].text
    factories.make_person(workspace, message.from_email, sent_count=1)
    again = mcp.call("get_thread", {"thread_id": hers}, profile="mail")
    assert again.meta["chancery/trust"][hers]["origin"] == "known"


def test_nothing_is_told_of_what_the_caller_may_not_see(mcp, workspace):
    foreign = factories.make_message(factories.make_inbox(workspace))
    asked = {"action": "search", "query": foreign.public_id}
    told = mcp.call("internal_memory_service", asked, profile="services")
    assert not told.is_error
    assert "chancery/trust" not in told.meta
