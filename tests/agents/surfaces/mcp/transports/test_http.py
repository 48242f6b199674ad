"""What is posted to `/mcp` and is no proper message: each is refused, and nothing breaks."""

import json

import pytest

from agents.operations.agents import create_token
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {"elicitation": {"url": {}}},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def test_no_token_is_refused_with_a_challenge(raw):
    status, headers, body = raw.post(LIST, Authorization=None)
    assert status == 401
    # Where to sign in is told by it as well: tests/project/oauth/test_metadata.py.
    assert headers["WWW-Authenticate"].startswith('Bearer realm="chancery", resource_metadata="')
    assert body["error"]["data"]["code"] == "unauthenticated"


def test_a_wrong_token_is_refused(raw):
    for given in (
        "Bearer chy_wrong",
        "Basic eDp5",
        "Bearer ",
        "chy_x",
        "Bearer \xff",
    ):
        status, headers, body = raw.post(LIST, Authorization=given)
        assert status == 401
        assert 'error="invalid_token"' in headers["WWW-Authenticate"]
        assert "result" not in body


def test_a_revoked_token_is_refused_at_once(raw, agent):
    assert raw.post(LIST)[0] == 200
    agent.tokens.update(revoked_at=factories.NOON)
    assert raw.post(LIST)[0] == 401


def test_a_token_that_calls_too_often_is_told_when_to_go_on(raw, settings):
    settings.CALLS_PER_MINUTE = 18
    answers = [raw.post(LIST) for _ in range(8)]
    status, headers, body = answers[-1]
    assert status == 429
    assert int(headers["Retry-After"]) >= 1
    assert body["error"]["data"]["code"] == "rate_limited"


def test_only_post_is_taken(raw):
    for method in (
        "GET",
        "DELETE",
        "PUT",
        "HEAD",
        "OPTIONS",
    ):
        status, headers, _ = raw.post(LIST, method=method)
        assert (status, headers["Allow"]) == (405, "POST")


def test_an_unknown_profile_is_named_with_those_there_are(raw):
    status, _, body = raw.post(LIST, path="/mcp/everything")
    assert status == 404
    assert "individual" in body["error"]["data"]["details"]["accepted"]


def test_a_foreign_host_is_refused(raw):
    for host in (
        "evil.example",
        "127.0.0.1.evil.example",
        "",
        "evil.example:80",
    ):
        status, _, body = raw.post(LIST, Host=host)
        assert status in {400, 421}
        assert body is None or "result" not in body


def test_a_page_of_another_site_is_refused(raw):
    for origin in (
        "http://evil.example",
        "null",
        "https://127.0.0.1.evil.example",
        "http://localhost:1",
    ):
        status, _, body = raw.post(LIST, Origin=origin)
        assert status == 403
        assert "CHANCERY_MCP_ORIGINS" in body["error"]["data"]["accepted"]


def test_our_own_pages_and_those_of_the_settings_may_ask(raw, settings):
    settings.MCP_ORIGINS = ["https://client.example"]
    assert raw.post(LIST, Origin=f"http://127.0.0.1:{raw.port}")[0] == 200
    assert raw.post(LIST, Origin="https://client.example")[0] == 200


def test_a_page_of_the_settings_may_read_the_answer_and_no_other(raw, settings):
    settings.MCP_ORIGINS = ["https://client.example"]
    status, headers, _ = raw.post(b"", method="OPTIONS", Origin="https://client.example",
                                  Authorization=None)  # fmt: skip
    assert (status, headers["Access-Control-Allow-Methods"]) == (204, "POST")
    _, headers, _ = raw.post(LIST, Origin="https://client.example")
    assert headers["Access-Control-Allow-Origin"] == "https://client.example"
    _, headers, _ = raw.post(LIST, Origin="https://evil.example")
    assert headers["Access-Control-Allow-Origin"] is None


def test_who_takes_no_json_gets_none(raw):
    for accept in (
        "text/html",
        "text/event-stream",
        "application/json;q=0",
        "",
    ):
        assert raw.post(LIST, Accept=accept)[0] == 406


def test_who_takes_json_is_answered(raw):
    for accept in (
        "application/json",
        "*/*",
        "application/*;q=0.5, text/html",
        None,
    ):
        assert raw.post(LIST, Accept=accept)[0] == 200


def test_another_content_type_is_refused(raw):
    for kind in (
        "text/plain",
        "application/x-www-form-urlencoded",
        "",
        None,
        "application/json; charset=utf-16",
        "application/jsonp",
    ):
        assert raw.post(LIST, Content_Type=kind)[0] == 415


def test_a_compressed_body_is_refused(raw):
    assert raw.post(LIST, Content_Encoding="gzip")[0] == 415


def test_a_body_over_the_limit_is_refused(raw, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    assert raw.post(json.dumps({**LIST, "params": {"x": "x" * 2000}}))[0] == 413


CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list","arguments":%s}}'


def test_what_is_no_json_is_a_parse_error(raw):
    for body in (
        "",
        "{",
        "nonsense",
        "\x00",
        b"\xff\xfe{}",
        CALL % '{"limit":NaN}',
        CALL % '{"limit":1e999}',
        CALL % '{"resource":"emails","resource":"events"}',
        CALL % ("[" * 5000 + "]" * 5000),
        CALL % ("9" * 5000),
        '{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}',
    ):
        status, _, answer = raw.post(body)
        assert (status, answer["error"]["code"], answer["id"]) == (400, -32700, None)


def test_what_is_no_single_request_is_refused(raw):
    for body in (
        "[]",
        "[1]",
        json.dumps([LIST, LIST]),
        '"text"',
        "5",
        "null",
        "{}",
        '{"id":1}',
        '{"jsonrpc":"2.0","id":1,"result":{}}',
        '{"jsonrpc":"1.0","id":1,"method":"ping"}',
        '{"jsonrpc":"2.0","id":null,"method":"ping"}',
        '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
        '{"jsonrpc":"2.0","id":{},"method":"ping"}',
        '{"jsonrpc":"2.0","id":1,"method":5}',
        '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
        '{"jsonrpc":"2.0","method":5}',
    ):
        status, _, answer = raw.post(body)
        assert (status, answer["error"]["code"]) == (400, -32600)


def test_any_proper_id_comes_back(raw):
    for key in (
        "x" * 100_000,
        10**400,
        -1,
        0,
        "",
        "\ud800",
        "1\r\nX: y",
    ):
        status, _, answer = raw.post({"jsonrpc": "2.0", "id": key, "method": "ping"})
        assert (status, answer["id"], answer["result"]) == (200, key, {})


def test_an_unknown_method_is_told(raw):
    for method in (
        "nothing",
        "tools/run",
        "x" * 10_000,
        "subscriptions/listen",
        "server/discover",
    ):
        status, _, answer = raw.post({**LIST, "method": method})
        assert (status, answer["error"]["code"]) == (200, -32601)


def test_a_call_with_the_wrong_shape_is_refused(raw):
    for params in (
        {},
        {"name": 5},
        {"name": "list", "arguments": []},
        {"name": "list", "arguments": "x"},
        {"arguments": {}},
    ):
        _, _, answer = raw.ask("tools/call", params)
        assert answer["error"]["code"] == -32602


def test_arguments_that_are_nested_too_deeply_are_refused_as_by_rest(raw, api, inbox):
    deep: dict = {}
    for _ in range(80):
        deep = {"x": deep}
    rest = api.call("list_threads", {"inbox_id": deep}).json()
    params = {"name": "list_threads", "arguments": {"inbox_id": deep}}
    _, _, answer = raw.ask("tools/call", params, path="/mcp/mail")
    assert json.loads(answer["result"]["content"][0]["text"]) == rest


def test_a_name_with_anything_in_it_is_an_unknown_tool(raw):
    for name in ("", "x" * 100_000, "list\x00", "\ud800", "../list", "google_tasks_service.create"):
        _, _, answer = raw.ask("tools/call", {"name": name})
        assert answer["error"]["code"] == -32602


def test_a_cursor_that_is_none_is_refused(raw):
    for cursor in (
        "",
        "x",
        "bGlzdA==",
        "\u2603",
        "a" * 10_000,
    ):
        for method in ("tools/list", "resources/list", "prompts/list", "resources/templates/list"):
            _, _, answer = raw.ask(method, {"cursor": cursor}, path="/mcp/mail")
            assert answer["error"]["code"] == -32602


def test_a_revision_that_is_not_spoken_is_refused(raw):
    for named in (
        "1999-01-01",
        "2027-01-01",
        "nonsense",
        "",
        "2025-11-25, x",
    ):
        status, _, answer = raw.post(LIST, MCP_Protocol_Version=named)
        assert (status, answer["error"]["code"]) == (400, -32022)
        assert (
            raw.post({"jsonrpc": "2.0", "method": "notifications/x"}, MCP_Protocol_Version=named)[0]
            == 400
        )


def test_a_revision_in_the_body_has_to_be_that_of_the_header(raw):
    for named in ("2025-11-25", None):
        status, _, answer = raw.ask_stateless("tools/list")
        assert status == 200
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {}}  # fmt: skip
        status, _, answer = raw.ask("tools/list", {"_meta": meta}, MCP_Protocol_Version=named)
        assert (status, answer["error"]["code"]) == (400, -32020)


def test_a_notification_is_taken_and_not_answered(raw):
    status, _, body = raw.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (status, body) == (202, None)


def test_initialize_begins_a_session_and_another_may_do_without(raw):
    assert raw.post(HELLO)[1]["Mcp-Session-Id"]
    older = {**HELLO, "params": {**HELLO["params"], "protocolVersion": "2025-06-18"}}
    assert raw.post(older)[1]["Mcp-Session-Id"]
    assert raw.post(LIST)[0] == 200


def test_a_session_that_is_none_is_not_found(raw):
    for given in (
        "x",
        "",
        "a:b:c",
        "W10:x:y",
        "\xff",
    ):
        assert raw.post(LIST, Mcp_Session_Id=given)[0] == 404


def test_a_session_belongs_to_its_bearer(raw, workspace):
    given = raw.post(HELLO)[1]["Mcp-Session-Id"]
    assert raw.post(LIST, Mcp_Session_Id=given)[0] == 200
    other = create_token(agent=factories.make_agent(workspace, "Scout"), scopes={"inbox:read"})[1]
    assert raw.post(LIST, Mcp_Session_Id=given, Authorization=f"Bearer {other}")[0] == 404
