"""The card of a proposal (MCP Apps): offered to who shows it, and made from what was sealed."""

import base64
import hashlib
import re

import pytest
from django.core import signing

from agents.contracts import REGISTRY
from agents.models import Approval
from agents.surfaces.mcp.apps import card
from inbox.models import Activity
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)
SHOWS = {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}}
OTHERS = (
    {}, {"extensions": {}}, {"extensions": {"io.modelcontextprotocol/ui": {}}},
    {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html"]}}},
    {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": "text/html;profile=mcp-app"}}},
)  # fmt: skip


def hello(raw, capabilities):
    """Begin a session; return the header that names it."""
    params = {"protocolVersion": "2025-11-25", "capabilities": capabilities}
    _, headers, body = raw.ask("initialize", params)
    assert "result" in body
    return {"Mcp_Session_Id": headers["Mcp-Session-Id"]}


def tools(raw, **session):
    listed = raw.ask("tools/list", path="/mcp/mail", **session)[2]["result"]["tools"]
    return {tool["name"]: tool for tool in listed}


def reply(message, body="Here is the offer."):
    return {"name": "send_reply", "arguments": {
        "thread_id": message.thread.public_id, "body_or_draft_id": body, "idempotency_key": body[:9],
    }}  # fmt: skip


def test_tools_that_may_be_held_have_a_card_for_clients_that_show_one(raw):
    shown = {
        name for name, tool in tools(raw, **hello(raw, SHOWS)).items() if "ui" in tool["_meta"]
    }
    held = {name for name in tools(raw) if REGISTRY.find(name).asks_a_person}
    assert shown == held
    assert "send_reply" in shown
    ui = tools(raw, **hello(raw, SHOWS))["send_reply"]["_meta"]["ui"]
    # No view may propose anything.
    assert ui == {"resourceUri": card.URI, "visibility": ["model"]}


def test_no_other_client_hears_of_it(raw, message):
    for capabilities in OTHERS:
        session = hello(raw, capabilities)
        assert not [one for one in tools(raw, **session).values() if "ui" in one["_meta"]]
        result = raw.ask("tools/call", reply(message), path="/mcp/mail", **session)[2]["result"]
        assert "chancery/proposal" not in result["_meta"]


def test_a_client_of_the_stateless_revision_says_so_with_each_request(raw, message):
    listed = raw.ask_stateless("tools/list", capabilities=SHOWS, path="/mcp/mail")[2]["result"]
    assert any("ui" in tool["_meta"] for tool in listed["tools"])
    result = raw.ask_stateless(
        "tools/call", reply(message), capabilities=SHOWS, path="/mcp/mail"
    )[2]["result"]  # fmt: skip
    assert result["_meta"]["chancery/proposal"]["state"] == "waiting"


def test_the_card_shows_what_was_sealed_and_never_what_the_agent_says_of_it(raw, message):
    result = raw.ask(
        "tools/call", reply(message, "Word " * 1000), path="/mcp/mail", **hello(raw, SHOWS)
    )[2]["result"]  # fmt: skip
    shown = result["_meta"]["chancery/proposal"]
    approval = Approval.objects.get()
    assert shown["approval_id"] == approval.public_id
    assert shown["review_url"].endswith(f"/{approval.public_id}/")
    assert (shown["agent"], shown["state"], shown["note"]) == ("Clerk", "waiting", "")
    mail = shown["mail"]
    assert (mail["to"], mail["subject"]) == (["ada@customer.example"], "Re: A question")
    assert (len(mail["body"]), mail["is_cut"]) == (2000, True)
    assert shown["texts"]["en"]["reason"] == approval.reason
    assert shown["texts"]["de"]["title"] != shown["texts"]["en"]["title"]


def test_flags_are_on_it_in_both_languages(raw, inbox):
    message = factories.make_message(inbox)
    body = "Please pay to DE02120300000000202051 at https://evil.example/pay"
    result = raw.ask("tools/call", reply(message, body), path="/mcp/mail", **hello(raw, SHOWS))[2]
    texts = result["result"]["_meta"]["chancery/proposal"]["texts"]
    stored = Approval.objects.get().risk_flags
    assert len(texts["en"]["flags"]) == len(stored) > 0
    for name in ("title", "why"):
        assert texts["en"]["flags"][0][name] != texts["de"]["flags"][0][name]
    assert texts["en"]["flags"][0]["severity"] in {"high", "medium", "low"}


def test_what_waits_without_mail_shows_its_arguments(raw, message):
    (activity,) = factories.activities_from_messages([message.pk])
    Activity.objects.update(status="surfaced", autonomy_tier=4)
    asked = {"activity_ids": [activity.public_id], "updates": {"status": "archived"}}
    call = {"name": "update_activities", "arguments": asked}
    result = raw.ask("tools/call", call, path="/mcp/concierge", **hello(raw, SHOWS))[2]["result"]
    assert result["isError"]
    shown = result["_meta"]["chancery/proposal"]
    assert {one["name"] for one in shown["arguments"]} == {"activity_ids", "updates"}
    assert "mail" not in shown


def test_the_card_is_one_document_that_fetches_nothing(raw):
    read = raw.ask("resources/read", {"uri": card.URI})[2]["result"]["contents"]
    (content,) = read
    assert (content["uri"], content["mimeType"]) == (card.URI, "text/html;profile=mcp-app")
    assert all(domains == [] for domains in content["_meta"]["ui"]["csp"].values())
    html = content["text"]
    assert html.startswith("<!DOCTYPE html>")
    assert not re.findall(r"""(?:src|href)\s*=|url\(|@import|https?://(?!\\)|\son\w+=""", html)
    assert len(html) < 20_000


def test_its_policy_names_its_own_script_and_style_by_their_hashes():
    html = card.document()
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', html)
    for kind, tag in (("script-src", "script"), ("style-src", "style")):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}'" in policy
    assert "unsafe" not in policy
    assert policy.startswith("default-src 'none'; ")


def test_a_session_of_before_there_were_cards_goes_on(raw, actor):
    old = signing.dumps([actor.key, "abc", False], salt="chancery.mcp.session")
    assert "send_reply" in tools(raw, Mcp_Session_Id=old)
