"""Clients that somebody wrote by hand against MCP, and that leave out what the protocol wants.

The requests of the first are those of `nerve-email` 0.2.0, the published client of the mail
contract: no `capabilities`, no `notifications/initialized`, a session id that it insists on, a key
in a header of its own, and `/mcp` after whatever address it was given.
"""

import pytest

from agents.operations.agents import create_token
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)
REVISION = "2025-11-25"
THEIR_HELLO = {
    "clientInfo": {"name": "nerve-email-python", "version": "0.2.0"},
    "protocolVersion": REVISION,
}


class Handmade:
    """Asks as that client does, and counts its ids from 1."""

    def __init__(self, raw, address="/mcp/mail", headers=None):
        self.raw = raw
        self.path = f"{address}/mcp"
        self.headers = {"Accept": "*/*", "Accept-Encoding": "gzip, deflate", **(headers or {})}
        self.session = None
        self.asked = 0

    def rpc(self, method, params):
        self.asked += 1
        body = {"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params}
        more = {"MCP_Session_Id": self.session} if self.session else {}
        status, headers, answer = self.raw.post(body, path=self.path, **self.headers, **more)
        assert status == 200, answer
        if method == "initialize" and "MCP-Session-Id" in headers:
            self.session = headers["MCP-Session-Id"]
        return answer

    def call(self, name, arguments):
        return self.rpc("tools/call", {"name": name, "arguments": arguments})["result"]


@pytest.fixture
def handmade(raw):
    client = Handmade(raw)
    client.rpc("initialize", THEIR_HELLO)
    assert client.session, "it gives up without a session id"
    return client


def test_the_published_client_of_the_mail_contract_gets_past_initialize(handmade):
    tools = handmade.rpc("tools/list", {})["result"]["tools"]
    assert {"list_threads", "get_thread", "send_reply"} <= {tool["name"] for tool in tools}


def test_its_calls_are_answered_as_anybodys(handmade, message):
    inbox, thread = message.inbox.public_id, message.thread.public_id
    listed = handmade.call("list_threads", {"inbox_id": inbox, "limit": 50})
    assert [one["id"] for one in listed["structuredContent"]["threads"]] == [thread]
    got = handmade.call("get_thread", {"thread_id": thread})
    assert got["structuredContent"]["thread"]["id"] == thread
    found = handmade.call("search_inbox", {"inbox_id": inbox, "query": "offer", "top_k": 10})
    assert found["structuredContent"]["results"][0]["thread_id"] == thread


def test_what_it_leaves_out_of_a_call_is_named(handmade, message):
    triaged = handmade.call("triage_message", {"message_id": message.public_id})
    assert triaged["isError"]
    assert "/taxonomy_id is required" in triaged["content"][0]["text"]


def test_its_key_in_a_header_of_its_own_is_a_bearer_s(raw, token):
    headers = {"Authorization": None, "X_Nerve_Cloud_Key": token}
    client = Handmade(raw, headers=headers)
    assert "result" in client.rpc("initialize", THEIR_HELLO)
    assert client.rpc("tools/list", {})["result"]["tools"]


def test_a_wrong_key_in_that_header_is_refused_as_a_wrong_token(raw):
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": THEIR_HELLO}
    status, headers, _ = raw.post(hello, Authorization=None, X_Nerve_Cloud_Key="nrv_live_x")
    assert (status, "invalid_token" in headers["WWW-Authenticate"]) == (401, True)


def test_that_header_never_takes_the_place_of_a_bearer(raw, token):
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": THEIR_HELLO}
    assert raw.post(hello, Authorization="Bearer chy_no", X_Nerve_Cloud_Key=token)[0] == 401


@pytest.mark.parametrize(
    ("path", "has"),
    [("/mcp/mcp", "list"), ("/mcp/mail/mcp", "list_threads"), ("/mcp/mail/mcp/", "list_threads"),
     ("/mcp/unified/mcp", "list"), ("/mcp/", "list")],
)  # fmt: skip
def test_a_client_that_appends_mcp_arrives(raw, path, has):
    _, _, answer = raw.ask("tools/list", path=path)
    assert has in {tool["name"] for tool in answer["result"]["tools"]}


@pytest.mark.parametrize("path", ["/mcp/mail/mcp/mcp", "/mcp/mail/mail", "/mcp/mcp/mcp", "/mcp/x"])
def test_any_other_address_is_no_profile(raw, path):
    assert raw.ask("tools/list", path=path)[0] == 404


def test_a_tool_of_another_profile_is_named_with_its_address(raw, inbox):
    params = {"name": "list_threads", "arguments": {"inbox_id": inbox.public_id}}
    _, _, answer = raw.ask("tools/call", params)
    assert "/mcp/mail" in answer["error"]["message"]
    _, _, answer = raw.ask("tools/call", {"name": "compose_email", "arguments": {}})
    assert answer["error"]["message"] == "Unknown tool: compose_email"


@pytest.mark.parametrize(
    "left_out", ["capabilities", "clientInfo", "protocolVersion", "clientInfo/version"]
)
@pytest.mark.parametrize("as_null", [False, True])
def test_what_initialize_leaves_out_is_empty(raw, left_out, as_null):
    hello = {"protocolVersion": REVISION, "capabilities": {}, **THEIR_HELLO}
    hello["clientInfo"] = dict(hello["clientInfo"])
    *outer, name = left_out.split("/")
    place = hello[outer[0]] if outer else hello
    if as_null:
        place[name] = None
    else:
        del place[name]
    _, headers, answer = raw.ask("initialize", hello)
    assert answer["result"]["protocolVersion"] == REVISION
    assert headers["Mcp-Session-Id"]


def test_initialize_without_anything_is_answered(raw):
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize"}
    _, _, answer = raw.post(body, MCP_Protocol_Version=None)
    assert answer["result"]["serverInfo"]["name"] == "chancery"


@pytest.mark.parametrize(
    ("field", "value"),
    [("capabilities", 5), ("capabilities", []), ("clientInfo", "me"), ("protocolVersion", 20251125),
     ("clientInfo/name", 7), ("capabilities/elicitation", True)],
)  # fmt: skip
def test_what_initialize_says_wrongly_is_named(raw, field, value):
    hello = {**THEIR_HELLO, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    *outer, name = field.split("/")
    (hello[outer[0]] if outer else hello)[name] = value
    _, headers, answer = raw.ask("initialize", hello)
    assert answer["error"]["code"] == -32602
    assert f"/{field}" in answer["error"]["message"]
    assert headers["Mcp-Session-Id"] is None


def test_a_session_says_nothing_of_pages_that_a_client_cannot_open(raw, message):
    _, headers, _ = raw.ask("initialize", THEIR_HELLO)
    reply = {"thread_id": message.thread.public_id, "body_or_draft_id": "Yes.",
             "idempotency_key": "k"}  # fmt: skip
    _, _, answer = raw.ask("tools/call", {"name": "send_reply", "arguments": reply},
                           path="/mcp/mail", Mcp_Session_Id=headers["Mcp-Session-Id"])  # fmt: skip
    assert answer["result"]["structuredContent"]["status"] == "queued"


def test_the_session_of_another_bearer_is_none(raw, workspace):
    _, headers, _ = raw.ask("initialize", THEIR_HELLO)
    other = create_token(agent=factories.make_agent(workspace, "Scout"), scopes={"inbox:read"})[1]
    given = {"Mcp_Session_Id": headers["Mcp-Session-Id"], "Authorization": f"Bearer {other}"}
    assert raw.ask("tools/list", **given)[0] == 404
