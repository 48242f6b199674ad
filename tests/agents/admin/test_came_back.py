"""What the review page shows of what came back about a letter."""

from pathlib import Path

import pytest

from agents.approval import lifecycle
from agents.dispatching.dispatch import call
from agents.models import Approval, Receipt
from inbox.background.jobs import run_due
from inbox.models import Account, DeliveryReport, Submission
from inbox.operations.mail.incoming import receive_message
from inbox.reasons import say
from tests import factories
from tests.agents.admin.desk import propose
from tests.ports import CLOSED_PORT

pytestmark = pytest.mark.django_db
MAIL = Path(__file__).parents[2] / "inbox" / "returned" / "mail"
PLACEHOLDER = b"<0123456789abcdef0123456789abcdef@lantern.example>"


@pytest.fixture
def approval(actor, inbox, reviewer) -> Approval:
    Account.objects.update(undo_seconds=0)
    found = propose(actor, factories.make_message(inbox, at=factories.NOON).thread)
    lifecycle.approve(approval=found, by=reviewer, sha256=found.sha256)
    run_due()
    return found


@pytest.fixture
def page(client, reviewer, approval):
    client.force_login(reviewer)

    def read() -> str:
        return client.get(f"/admin/review/{approval.public_id}/").content.decode()

    return read


def comes_back(approval, inbox, name, **changes):
    raw = (MAIL / f"{name}.eml").read_bytes()
    for old, new in changes.items():
        raw = raw.replace(old.encode(), new)
    raw = raw.replace(PLACEHOLDER, approval.submission.message_id_header.encode())
    receive_message(inbox=inbox, raw=raw)
    run_due()


def test_nothing_is_said_while_nothing_came_back(page):
    assert "Delivery reports" not in page()


def test_a_bounce_stands_there_with_the_other_servers_words(page, approval, inbox):
    comes_back(approval, inbox, "standard")
    text = page()
    assert "It did not reach" in text
    assert "address rejected: User unknown" in text
    assert "has not reached" in text
    assert "The message was not sent to this exact address" in text
    assert "Any recipient could have written them" in text


def test_what_a_stranger_wrote_is_no_markup(page, approval, inbox):
    comes_back(approval, inbox, "away", **{"I am away": b"<script>alert(1)</script>"})
    text = page()
    assert "answered automatically" in text
    assert "<script>alert" not in text


def test_a_delay_is_over_once_it_failed(page, approval, inbox):
    comes_back(approval, inbox, "standard", **{"Action: failed": b"Action: delayed", "b1@": b"b0@"})
    assert page().count("has not reached") == 2
    comes_back(approval, inbox, "standard")
    assert page().count("has not reached") == 1
    assert page().count("did not reach") == 1


def test_the_receipts_say_what_was_reported(approval, inbox):
    comes_back(approval, inbox, "standard")
    receipt = Receipt.objects.get(tool="submission.bounced")
    assert receipt.approval == approval.public_id
    assert receipt.result["reports"][0]["recipient"] == "ada@customer.example"
    run_due()
    assert Receipt.objects.filter(tool="submission.bounced").count() == 1


def test_a_copy_that_could_not_be_filed_is_told(page, approval):
    Submission.objects.update(filed_at=None, filing_problem="The server is full.")
    assert "The server is full." in page()


def test_another_workspace_sees_none_of_it(approval, inbox, client):
    comes_back(approval, inbox, "standard")
    stranger = factories.make_person_user(factories.make_workspace("elsewhere"))
    client.force_login(stranger)
    assert client.get(f"/admin/review/{approval.public_id}/").status_code == 404
    assert DeliveryReport.objects.exists()


def test_the_agent_that_proposed_it_is_told_too(approval, inbox):
    agent = factories.agent_actor(approval.agent)
    asked = {"approval_id": approval.public_id}
    assert "came_back" not in call("get_approval", asked, agent).result
    comes_back(approval, inbox, "standard")
    told = call("get_approval", asked, agent).result["came_back"]
    assert {line["kind"] for line in told} == {"failed", "delayed"}
    assert any("User unknown" in line["words"] for line in told)
    [listed] = call("list_approvals", {}, agent).result["approvals"]
    assert listed["came_back"] == told


def test_the_agent_and_the_reviewer_see_that_it_waits_for_a_password(
    actor, inbox, reviewer, client
):
    found = propose(actor, factories.make_message(inbox, at=factories.NOON).thread)
    Account.objects.update(
        undo_seconds=0, provider="imap_smtp", secret=b"encrypted under another key",
        settings={"smtp_host": "127.0.0.1", "smtp_port": CLOSED_PORT, "smtp_security": "none"},
    )  # fmt: skip
    lifecycle.approve(approval=found, by=reviewer, sha256=found.sha256)
    run_due()
    told = call("get_approval", {"approval_id": found.public_id}, actor).result
    assert (told["submission_state"], "waits_since" in told) == ("pending", True)
    client.force_login(reviewer)
    shown = client.get(f"/admin/review/{found.public_id}/").content.decode()
    assert "waiting for a working password" in shown
    assert "CHANCERY_CREDENTIAL_KEYS" in shown
    queue = client.get("/admin/?tab=done").content.decode()
    assert "waits for a password" in queue


def test_a_copy_that_says_something_else_is_said_loudly_and_a_new_layout_is_not(page, approval):
    told = []
    for differences in (say("copy_layout"), say("copy_field_changed", names="to")):
        Submission.objects.update(copy_differences=differences)
        text = page()
        told.append(("something else than what was approved" in text, "Fields changed" in text))
    assert told == [(False, False), (True, True)]
