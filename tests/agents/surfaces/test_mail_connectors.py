"""What agents' mail connectors are complained of, as cases on each surface.

A reply that loses its thread, attachments that cannot be handed on, no sender but the first, drafts
that cannot be changed or sent, no labels, a search of one page, a scope that opens nothing, answers
to everybody, forwards without their files, and mail that is sent again by a retry.
"""

from email.message import EmailMessage

import pytest

from agents.approval import lifecycle
from agents.exchange import folders
from agents.models import Approval, Token
from agents.operations.agents import create_token, known_scopes
from inbox.models import Account, Draft, Identity, Message, Submission
from inbox.operations.activities.understanding import ensure_defaults
from inbox.operations.mail.incoming import receive_message
from inbox.operations.sending import delivery
from inbox.operations.sending.keeping_copies import keep_copy
from inbox.rfc5322.parse import parse_message
from tests import factories
from tests.agents.surfaces.callers import EVERY
from tests.cases import by_turns
from tests.factories import EVERY_SCOPE, agent_actor

pytestmark = pytest.mark.django_db(transaction=True)
PDF = b"%PDF-1.4 the offer"


class Office:
    """An account with a letter from a customer, an agent, and one way to make its calls."""

    def __init__(self, surface, port, agent, inbox, reviewer):
        self.agent, self.inbox, self.reviewer = agent, inbox, reviewer
        self.workspace, self.agents, self.actor = inbox.workspace, [agent], agent_actor(agent)
        Account.objects.filter(pk=inbox.account_id).update(undo_seconds=0)
        Token.objects.filter(agent=agent).delete()
        token = create_token(agent=agent, scopes=set(known_scopes()) & EVERY_SCOPE)[1]
        self.surface = surface(port, self, token)
        self.letter = receive_message(inbox=inbox, raw=letter())

    @property
    def account(self):
        return {"account_id": self.inbox.account.public_id}

    def ask(self, name, profile="individual", **arguments):
        said = self.surface.call(name, arguments, profile)
        assert not said.is_error, (name, said.body)
        body = said.body
        return body["result"] if isinstance(body, dict) and set(body) == {"result"} else body

    def refuse(self, name, profile="individual", **arguments):
        said = self.surface.call(name, arguments, profile)
        assert said.is_error, (name, said.body)
        return said.body

    def approve(self, queued):
        approval = Approval.objects.with_public_id(queued["approval_id"]).get()
        lifecycle.approve(approval=approval, by=self.reviewer, sha256=approval.sha256)
        # Of what follows, this alone is asked about; a test of jobs has all of them done.
        delivery.send({"submission_id": approval.submission_id})
        approval.submission.refresh_from_db()
        assert approval.submission.state == "sent"
        return parse_message(bytes(approval.submission.mime))

    def attachment(self):
        whole = self.ask("email_get", email_id=self.letter.public_id, **self.account)
        (one,) = whole["attachments"]
        return one["id"]


def letter():
    message = EmailMessage()
    message["From"] = "Ada Byron <ada@customer.example>"
    message["To"] = "office@lantern.example, partner@else.example"
    message["Cc"] = "boss@customer.example"
    message["Subject"] = "The offer"
    message["Date"] = "Mon, 02 Nov 2026 10:00:00 +0000"
    message["Message-ID"] = "<letter-1@customer.example>"
    message.set_content("Could you look at the offer that is attached?")
    message.add_attachment(PDF, maintype="application", subtype="pdf", filename="offer.pdf")
    return message.as_bytes()


def pytest_generate_tests(metafunc):
    """Have each case tried on one surface over REST and on one of MCP by turns, or on all four."""
    if "office" in metafunc.fixturenames:
        names = [name for name in globals() if name.startswith("test_")]
        chosen = by_turns(EVERY, names.index(metafunc.function.__name__))
        metafunc.parametrize("office", chosen, indirect=True, ids=[it.name for it in chosen])


@pytest.fixture
def office(request, port, agent, inbox, reviewer):
    made = Office(request.param, port, agent, inbox, reviewer)
    yield made
    made.surface.close()


def test_a_reply_keeps_its_thread(office):
    queued = office.ask(
        "email_reply", email_id=office.letter.public_id, body="We will.", confirm=True,
        **office.account,
    )  # fmt: skip
    sent = office.approve(queued)
    assert sent.in_reply_to == "<letter-1@customer.example>"
    assert sent.subject == "Re: The offer"
    keep_copy({"submission_id": Submission.objects.get().pk})
    ours = Message.objects.get(submission__isnull=False)
    assert ours.thread_id == office.letter.thread_id


def test_attachments_go_by_their_ids_in_and_out(office):
    got = office.ask(
        "email_get_attachment", email_id=office.letter.public_id, save_path="in/offer.pdf",
        attachment_id=office.attachment(), **office.account,
    )  # fmt: skip
    assert folders.read_file(office.actor, got["saved_to"], "/save_path") == PDF
    made = office.ask(
        "file_create", onedrive_path="/terms.csv", local_file_path=got["saved_to"],
        **office.account,
    )  # fmt: skip
    queued = office.ask(
        "email_send", to="ines@mill.example", subject="Both", body="Here.", confirm=True,
        attachments=[office.attachment(), made["id"], "in/offer.pdf"], **office.account,
    )  # fmt: skip
    sent = office.approve(queued)
    assert [(one.filename, one.content) for one in sent.attachments] == [
        ("offer.pdf", PDF), ("terms.csv", PDF), ("offer.pdf", PDF),
    ]  # fmt: skip
    refused = office.refuse(
        "email_send", to="ines@mill.example", subject="x", body="x", confirm=True,
        attachments=["att_doesnotexist99"], **office.account,
    )  # fmt: skip
    assert refused["code"] in {"not_found", "invalid_input"}
    assert "/attachments/0" in str(refused["details"])


def test_an_alias_is_a_sender(office):
    Identity.objects.create(
        workspace=office.workspace,
        account=office.inbox.account,
        email="sales@lantern.example",
        name="Lantern sales",
    )
    around = office.ask("look_around", "house", kind="identities")
    assert {"sales@lantern.example", office.inbox.address} == {
        one["address"] for one in around["identities"]
    }
    queued = office.ask(
        "email_send", to="ines@mill.example", subject="Hello", body="Hello", confirm=True,
        identity_id="Sales@lantern.example", **office.account,
    )  # fmt: skip
    sent = office.approve(queued)
    assert sent.sender.email == "sales@lantern.example"
    refused = office.refuse(
        "email_send", to="ines@mill.example", subject="x", body="x", confirm=True,
        identity_id="boss@customer.example", **office.account,
    )  # fmt: skip
    assert refused["code"] == "not_found"
    assert "sales@lantern.example" in str(refused["details"]["available"])


def test_a_draft_is_read_changed_listed_and_sent_once_it_is_sealed(office):
    draft = office.ask(
        "email_create_draft", to="ines@mill.example", subject="The loom", body="It runs.",
        attachments=[office.attachment()], **office.account,
    )  # fmt: skip
    (listed,) = office.ask("email_list", folder="drafts", **office.account)
    assert listed["id"] == draft["id"]
    changed = office.ask(
        "email_create_draft", draft_id=draft["id"], to="ines@mill.example", subject="The loom",
        body="It runs again.", **office.account,
    )  # fmt: skip
    assert changed["id"] == draft["id"]
    assert len(changed["attachments"]) == 1
    read = office.ask("email_get", email_id=draft["id"], **office.account)
    assert read["body"]["content"].strip() == "It runs again."
    queued = office.ask(
        "email_send", draft_id=draft["id"], to="ines@mill.example", subject="The loom",
        body="It runs again.", confirm=True, **office.account,
    )  # fmt: skip
    assert Draft.objects.count() == 1
    sent = office.approve(queued)
    assert (sent.subject, sent.text.strip()) == ("The loom", "It runs again.")
    assert [one.content for one in sent.attachments] == [PDF]
    assert office.ask("email_list", folder="drafts", **office.account) == []
    refused = office.refuse(
        "email_send", draft_id=draft["id"], to="x@mill.example", subject="x", body="x",
        confirm=True, **office.account,
    )  # fmt: skip
    assert refused["code"] == "not_found"


def test_labels_are_put_on_and_taken_off(office):
    thread = office.letter.thread.public_id
    put = office.ask("thread_update", "house", thread_id=thread, add_labels=["Offers"])
    assert "Offers" in put["labels"]
    inbox = office.inbox.public_id
    found = office.ask("list_threads", "mail", inbox_id=inbox, label="offers")
    assert [one["id"] for one in found["threads"]] == [thread]
    taken = office.ask("thread_update", "house", thread_id=thread, remove_labels=["Offers"])
    assert "Offers" not in taken["labels"]


def test_a_search_has_pages(office):
    for number in range(7):
        factories.make_message(office.inbox, subject=f"Loom {number}", text="The loom runs.")
    seen = []
    for skip in (0, 3, 6):
        found = office.ask(
            "search_unified", query="loom", entity_types="message", limit=3, skip=skip,
            **office.account,
        )  # fmt: skip
        seen += [one["id"] for one in found["message"]]
    assert len(seen) == len(set(seen)) == 7
    end = office.ask(
        "search_unified", query="loom", entity_types="message", skip=7, **office.account
    )
    assert end["message"] == []


@pytest.mark.parametrize("scope", ["inbox:read", "comms:send", "inbox:write"])
def test_a_scope_that_is_granted_is_usable_by_itself(office, port, scope):
    """With nothing but the scope, the account's name and what a refusal tells."""
    Token.objects.filter(agent=office.agent).delete()
    office.surface = type(office.surface)(
        port, office, create_token(agent=office.agent, scopes=[scope])[1]
    )
    around = office.ask("look_around", "house")
    account = around["accounts"][0]["address"]
    calls = {
        "inbox:read": ("email_list", {}),
        "inbox:write": ("email_create_draft", {"to": "a@b.example", "subject": "x", "body": "x"}),
        "comms:send": ("email_send", {"to": "a@b.example", "subject": "x", "body": "x",
                                      "confirm": True}),
    }  # fmt: skip
    name, arguments = calls[scope]
    assert office.ask(name, account_id=account, **arguments) is not None


def test_all_are_answered_only_where_that_is_asked_for(office):
    given = {"email_id": office.letter.public_id, "body": "We will.", "confirm": True}
    one = office.approve(office.ask("email_reply", **given, **office.account))
    assert [it.email for it in (*one.to, *one.cc)] == ["ada@customer.example"]
    everybody = office.approve(office.ask("email_reply_all", **given, **office.account))
    assert {it.email for it in (*everybody.to, *everybody.cc)} == {
        "ada@customer.example", "partner@else.example", "boss@customer.example",
    }  # fmt: skip


def test_a_forward_takes_the_text_and_the_files_along(office):
    draft = office.ask(
        "email_create_draft", to="ines@mill.example", subject="Fwd: The offer", body="Please look.",
        forward_of=office.letter.public_id, **office.account,
    )  # fmt: skip
    assert draft["body"]["content"].startswith("Please look.\n\n")
    assert "From: Ada Byron <ada@customer.example>" in draft["body"]["content"]
    assert "Could you look at the offer" in draft["body"]["content"]
    assert [one["name"] for one in draft["attachments"]] == ["offer.pdf"]
    queued = office.ask(
        "email_send", draft_id=draft["id"], to="ines@mill.example", subject="Fwd: The offer",
        body=draft["body"]["content"], confirm=True, **office.account,
    )  # fmt: skip
    sent = office.approve(queued)
    assert [one.content for one in sent.attachments] == [PDF]
    assert "Could you look at the offer" in sent.text


def test_nothing_is_sent_by_a_retry(office):
    given = {"to": "ines@mill.example", "subject": "Once", "body": "Once.", "confirm": True}
    first = office.ask("email_send", **given, **office.account)
    again = office.ask("email_send", **given, **office.account)
    assert again["approval_id"] == first["approval_id"]
    assert Submission.objects.count() == 1
    office.approve(first)
    keyed = {"thread_id": office.letter.thread.public_id, "body_or_draft_id": "Yes.",
             "idempotency_key": "k"}  # fmt: skip
    one = office.ask("send_reply", "mail", **keyed)
    office.approve({"approval_id": Approval.objects.latest("pk").public_id})
    two = office.ask("send_reply", "mail", **keyed)
    assert (two["message_id"], two["status"]) == (one["message_id"], "sent")
    assert Submission.objects.count() == 2


def test_tools_alone_finish_the_tour_of_the_readme(office):
    """Who am I, what came in, what is it, what is in it, an answer, its approval, what became of it.

    Every argument stands in an answer before, or is a word of one's own.
    """
    ensure_defaults(office.workspace)
    around = office.ask("look_around", "mail")
    inbox, taxonomy, schema, policy = (
        around[kind][0]["id"] for kind in ("inboxes", "taxonomies", "schemas", "policies")
    )
    (newest,) = office.ask("list_threads", "mail", inbox_id=inbox, limit=5)["threads"]
    (hit,) = office.ask("search_inbox", "mail", inbox_id=inbox, query="offer attached")["results"]
    assert hit["thread_id"] == newest["id"]
    thread, message = hit["thread_id"], hit["message_id"]
    assert office.ask("get_thread", "mail", thread_id=thread)["messages"][0]["id"] == message
    triaged = office.ask("triage_message", "mail", message_id=message, taxonomy_id=taxonomy)
    assert triaged["intent"]
    found = office.ask("extract_to_schema", "mail", message_id=message, schema_id=schema)
    assert "data" in found
    drafted = office.ask(
        "draft_reply_with_policy", "mail", thread_id=thread, policy_id=policy,
        goal="Say that we look at it until Friday",
    )  # fmt: skip
    queued = office.ask(
        "send_reply", "mail", thread_id=thread, body_or_draft_id=drafted["draft"],
        idempotency_key="tour-1",
    )  # fmt: skip
    assert queued["status"] == "queued"
    (waiting,) = office.ask("list_approvals", "mail", state="waiting")["approvals"]
    assert waiting["message_id"] == queued["message_id"]
    office.approve(waiting)
    told = office.ask("get_approval", "mail", approval_id=waiting["approval_id"])
    assert (told["state"], told["submission_state"]) == ("approved", "sent")
