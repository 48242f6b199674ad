"""From a file of mail to an SMTP server: an agent drafts over HTTP, a person approves in the browser."""

import json
import urllib.request

import pytest
from playwright.sync_api import expect

from agents.operations.agents import create_agent, known_scopes
from agents.receipts import verify
from inbox.background.jobs import run_due
from inbox.intake.sources import open_source
from inbox.models import Inbox, Message, ReplyPolicy, Submission
from inbox.operations.accounts.accounts import create_account
from inbox.operations.activities.understanding import ensure_defaults
from inbox.operations.mail.imports import import_mail
from tests.sending_tools import hurry
from tests.servers import smtp_sink

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

MAIL = """From: =?utf-8?q?Ma=C3=ABlle_Roux?= <maelle@atelier.example>
To: desk@lantern.example
Subject: Two lamps for the workshop
Date: Mon, 2 Mar 2026 09:15:00 +0100
Message-ID: <lamps-1@atelier.example>
Content-Type: text/plain; charset=utf-8

Hello,

could you tell me by Friday what two of the tall lamps cost with delivery?

Best wishes
Maëlle
"""


def call(url: str, token: str, tool: str, **arguments):
    asked = urllib.request.Request(
        f"{url}/api/tools/{tool}", json.dumps(arguments).encode(),
        {"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )  # fmt: skip
    with urllib.request.urlopen(asked) as answer:
        return json.load(answer)


def test_what_a_person_approves_reaches_the_server_byte_for_byte_and_once(
    workspace, desk, live_server, tmp_path
):
    (tmp_path / "one.eml").write_text(MAIL, encoding="utf-8")
    ensure_defaults(workspace)
    with smtp_sink() as (sink, port):
        account = create_account(
            workspace=workspace, address="desk@lantern.example", name="Lantern", provider="imap_smtp",
            settings={"smtp_host": "127.0.0.1", "smtp_port": port, "smtp_security": "none"},
        )  # fmt: skip
        inbox = Inbox.objects.get(account=account)
        import_mail(inbox=inbox, source=open_source(tmp_path / "one.eml"))
        run_due()
        _, token = create_agent(
            workspace=workspace, name="Scribe", inboxes=[inbox],
            scopes=known_scopes(),
        )  # fmt: skip
        _agent_proposes(live_server.url, token, inbox)
        _person_approves(desk)
        sealed = Submission.objects.get().mime_bytes
        hurry()
        run_due()
        expect(desk.page.get_by_role("heading", name="✓ Sent.")).to_be_visible()
        run_due()
    [taken] = sink.taken
    assert taken.content == sealed
    assert taken.recipients == ["maelle@atelier.example"]
    assert Message.objects.filter(direction="outbound").count() == 1
    assert verify(workspace) == []


def _agent_proposes(url: str, token: str, inbox: Inbox) -> None:
    page = call(url, token, "list_threads", inbox_id=inbox.public_id)
    [thread] = page["threads"]
    drafted = call(
        url, token, "draft_reply_with_policy", thread_id=thread["id"],
        goal="Say that two tall lamps cost 240 EUR with delivery", policy_id=_policy(inbox),
    )  # fmt: skip
    answer = call(
        url, token, "send_reply", thread_id=thread["id"],
        body_or_draft_id=drafted["draft"], idempotency_key="lamps",
    )  # fmt: skip
    assert answer["status"] == "queued"


def _policy(inbox: Inbox) -> str:
    return ReplyPolicy.objects.get(workspace=inbox.workspace).public_id


def _person_approves(desk) -> None:
    desk.open("/admin/?tab=waiting")
    desk.page.get_by_role("link", name="Re: Two lamps for the workshop").click()
    expect(desk.page.locator(".message-text").get_by_text("240 EUR").first).to_be_visible()
    desk.page.get_by_role("button", name="Approve", exact=True).click()
    expect(desk.page.get_by_text("Approved. Sending in")).to_be_visible()
