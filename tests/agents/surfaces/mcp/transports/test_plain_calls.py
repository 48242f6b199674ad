"""Calls as nearly every client writes them: answered as the protocol's library would, to the byte.

A field that nobody knows, which the library passes over, is what sends the same call through it.
"""

import json
import re

import pytest
from mcp_types import JSONRPCRequest

from agents.surfaces.mcp.transports.plain_calls import is_plain
from inbox.background.traces import collect_by
from tests.agents.surfaces.mcp.test_cards import SHOWS, hello, reply

pytestmark = pytest.mark.django_db(transaction=True)
KEY = "chancery/idempotency-key"
# What is another's at each call.
_OWN = re.compile(r'(rcp_|"elicitationId": "|"id": )\w+')
REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


def both(raw, params, profile="/mcp/mail", **options):
    """Return what is answered to a call, plainly and through the library, without own ids."""
    plainly = raw.ask("tools/call", params, path=profile, **options)
    through = raw.ask("tools/call", {**params, "unknown": 1}, path=profile, **options)
    assert [name for name, _ in plainly[1].items()] == [name for name, _ in through[1].items()]
    return [
        (status, _OWN.sub(r"\1", json.dumps(body, ensure_ascii=False)))
        for status, _, body in (plainly, through)
    ]


def as_request(params, method="tools/call"):
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return JSONRPCRequest.model_validate(message), json.dumps(message).encode()


@pytest.mark.parametrize("revision", REVISIONS)
def test_answers_and_errors_are_the_same_by_every_revision(raw, inbox, message, revision):
    thread = message.thread
    thread.subject = "Grüße 🐎"
    thread.save(update_fields=["subject"])
    inbox_id = {"inbox_id": inbox.public_id}
    for params in (
        {"name": "list_threads", "arguments": inbox_id},
        {"name": "list_threads", "arguments": {**inbox_id, "limit": 0, "mine": True}},
        {"name": "get_thread", "arguments": {"thread_id": "thr_absent"}},
        {"name": "get_thread", "arguments": {"thread_id": thread.public_id}},
        {"name": "list_threads", "arguments": {"inbox_id": "🐎"}},
        {"name": "list_threads", "arguments": {"inbox_id": "\ud83d"}},
        {"name": "list_threads"},
        {"name": "no_such_tool", "arguments": {}},
        {"name": "list_threads", "arguments": inbox_id, "_meta": {"progressToken": 3}},
        {"name": "list_threads", "arguments": inbox_id, "_meta": {KEY: 3}},
    ):
        plainly, through = both(raw, params, MCP_Protocol_Version=revision)
        assert plainly == through, params
        assert plainly[0] == 200


def test_what_waits_for_a_person_and_its_card_are_the_same(raw, message):
    params = reply(message)
    raw.ask("tools/call", params, path="/mcp/mail")
    for session in ({}, hello(raw, SHOWS), hello(raw, {"elicitation": {"url": {}}})):
        plainly, through = both(raw, params, **session)
        assert plainly == through
        assert "approval" in plainly[1]


def test_a_question_by_url_is_asked_of_the_same_call_once(raw, message):
    """The error with the page's address comes plainly too, and the same call then waits."""
    session = hello(raw, {"elicitation": {"url": {}}})
    first = raw.ask("tools/call", reply(message), path="/mcp/mail", **session)[2]
    again = raw.ask("tools/call", reply(message), path="/mcp/mail", **session)[2]
    through = {**reply(message, "Another offer."), "unknown": 1}
    asked = raw.ask("tools/call", through, path="/mcp/mail", **session)[2]
    assert first["error"]["code"] == asked["error"]["code"] == -32042
    assert first["error"].keys() == asked["error"].keys()
    assert "chancery/approval" in again["result"]["_meta"]


def test_only_a_name_with_arguments_and_nothing_odd_is_plain():
    plain = {"name": "list_threads", "arguments": {"inbox_id": "inb_1"}}
    assert is_plain(*as_request(plain))
    assert is_plain(*as_request({"name": "list_threads"}))
    assert is_plain(*as_request({**plain, "_meta": {KEY: "one", "progressToken": "a"}}))
    for params in (
        {**plain, "task": {}},
        {**plain, "arguments": None},
        {**plain, "_meta": None},
        {**plain, "_meta": {"progressToken": True}},
        {**plain, "_meta": {"progressToken": None}},
        {**plain, "_meta": {"io.modelcontextprotocol/related-task": {}}},
        {**plain, "name": "\ud83d"},
        {**plain, "name": 3},
        {"arguments": {}},
        None,
    ):
        assert not is_plain(*as_request(params)), params
    assert not is_plain(*as_request(plain, "tools/list"))


class Nobody:
    """Collects spans, and makes none."""


def test_no_call_is_plain_while_somebody_collects_spans():
    collect_by(Nobody())
    try:
        assert not is_plain(*as_request({"name": "list_threads"}))
    finally:
        collect_by(None)
    assert is_plain(*as_request({"name": "list_threads"}))
