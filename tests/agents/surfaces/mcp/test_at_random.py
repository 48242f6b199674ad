"""Messages put together at random: each gets an answer of the protocol, and none breaks anything."""

import random

import pytest

from inbox.models import Submission

pytestmark = pytest.mark.django_db(transaction=True)
METHODS = (
    "initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/read",
    "resources/templates/list", "prompts/get", "completion/complete", "server/discover", "nothing",
)  # fmt: skip
VALUES = (
    None, True, 1, -1, 10**30, 1.5, "", "emails", "\0", "\ud83d", "é" * 50, "a" * 3000, {}, [],
    {"resource": "emails", "parameters": {}}, {"resource": "email", "parameters": []}, [[[]]],
    {"type": "ref/prompt", "name": "catch_up"}, {"elicitation": {"url": {}}}, "email://threads/x",
)  # fmt: skip
FIELDS = (
    "name", "arguments", "uri", "cursor", "ref", "argument", "protocolVersion", "capabilities",
    "clientInfo", "requestState", "inputResponses",
)  # fmt: skip
META = (
    "io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities",
    "chancery/idempotency-key", "progressToken",
)  # fmt: skip


def put_together(dice):
    """Return a message with some of its parts right, and the headers beside it."""
    params = {name: dice.choice(VALUES) for name in FIELDS if dice.random() < 0.5}
    if dice.random() < 0.7:
        params["name"] = dice.choice(("list", "get", "send", "reply", "cache", "list_approvals"))
    meta = {name: dice.choice(("2026-07-28", "k", *VALUES)) for name in META}
    params["_meta"] = dice.choice((meta, {META[0]: "2026-07-28", META[1]: {}}, *VALUES))
    method = dice.choice(METHODS)
    message = {"jsonrpc": "2.0", "id": dice.choice((1, "a")), "method": method, "params": params}
    if dice.random() < 0.2:
        message[dice.choice(tuple(message))] = dice.choice(VALUES)
    named = params.get("name")
    headers = {"Mcp_Name": named if isinstance(named, str) and named.isalpha() else None,
               "Mcp_Method": method,
               "MCP_Protocol_Version": dice.choice(("2025-06-18", "2025-11-25", "2026-07-28"))}  # fmt: skip
    return message, {name: value for name, value in headers.items() if value is not None}


def test_a_message_put_together_at_random_gets_an_answer_of_the_protocol(raw, message):
    dice = random.Random(20260728)
    for number in range(400):
        posted, headers = put_together(dice)
        path = dice.choice(("/mcp", "/mcp/mail", "/mcp/mesh", "/mcp/services", "/mcp/individual"))
        status, _, answer = raw.post(posted, path=path, **headers)
        assert status in {200, 202, 400, 404}, (number, posted, answer)
        assert status == 202 or answer["jsonrpc"] == "2.0", (number, posted, answer)
        if "error" in (answer or {}):
            assert answer["error"]["code"] != -32603, (number, posted, answer)
    assert set(Submission.objects.values_list("state", flat=True)) <= {"held"}
