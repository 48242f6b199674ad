"""Mail that is written by the operations: drafts, sends, replies."""

import pytest

from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.exchange import folders
from agents.models import Approval
from inbox.background.jobs import run_due
from inbox.models import Account, Direction, Draft, Identity, InboxStatus, ReplyPolicy, Submission
from inbox.operations.mail.incoming import receive_message
from tests import factories
from tests.sending_tools import check_proposed

pytestmark = pytest.mark.django_db(transaction=True)
ADA = "ada@customer.example"


@pytest.fixture(autouse=True)
def no_undo(inbox):
    Account.objects.update(undo_seconds=0)


@pytest.fixture
def send(actor, inbox):
    """Propose an email to Ada; return the answer."""

    def send(tool="email_send", key=None, **fields):
        wanted = {"to": ADA, "subject": "The offer", "body": "It is attached."} | fields
        return call(tool, arguments(inbox, **wanted), actor, key)

    return send


def arguments(inbox, **fields):
    confirmed = {} if fields.pop("confirm", True) is None else {"confirm": True}
    return {"account_id": inbox.account.public_id, **confirmed, **fields}


def refusal(function, *args, **fields):
    with pytest.raises(ToolError) as caught:
        function(*args, **fields)
    return caught.value


def pointer_of(error):
    return error.details.get("pointer") or error.details["errors"][0]["pointer"]


def sealed():
    return Submission.objects.latest("pk")


def test_an_email_waits_for_a_person_with_its_id_and_where_to_decide(send):
    answer = send().result
    approval = Approval.objects.get()
    assert answer == {
        "status": "queued",
        "message_id": approval.submission.message_public_id,
        "approval_id": approval.public_id,
        "review_url": answer["review_url"],
    }
    assert approval.public_id in answer["review_url"]
    assert approval.submission.state == "held"


def test_what_came_in_is_answered_approved_delivered_and_listed_among_the_sent(
    actor, inbox, approve
):
    raw = (
        b"From: Ada <ada@customer.example>\r\nTo: office@lantern.example\r\nSubject: Lamps\r\n"
        b"Message-ID: <1@customer.example>\r\n\r\nHow much?\r\n"
    )
    receive_message(inbox=inbox, raw=raw)
    account = {"account_id": inbox.account.public_id}
    (came,) = call("email_list", account, actor).result
    reply = {**account, "email_id": came["id"], "body": "Ninety.", "confirm": True}
    queued = call("email_reply", reply, actor, "k1")
    assert queued.result["status"] == "queued"
    approve(queued.approval)
    run_due()
    (sent,) = call("email_list", {**account, "folder": "sent"}, actor).result
    assert sent["id"] == queued.result["message_id"]
    assert sent["subject"] == "Re: Lamps"
    assert sent["toRecipients"] == [{"emailAddress": {"name": "Ada", "address": ADA}}]
    assert sent["conversationId"] == came["conversationId"]
    again = call("email_reply", reply, actor, "k1")
    assert again.result == {**queued.result, "status": "sent"}
    assert Submission.objects.count() == 1


def test_a_call_in_the_unified_form_is_the_same_call(actor, inbox, send):
    parameters = arguments(inbox, to=[ADA], subject="Hello", body="There.")
    answer = call("send", {"resource": "email", "parameters": parameters}, actor).result
    assert answer["status"] == "queued"
    assert Approval.objects.get().tool == "email_send"


def test_nothing_is_sent_without_a_promise_that_it_is_meant(actor, inbox):
    for said in ({}, {"confirm": False}, {"confirm": "true"}, {"confirm": 1}):
        fields = {"account_id": inbox.account.public_id, "to": ADA, "subject": "x", "body": "y"}
        error = refusal(call, "email_send", {**fields, **said}, actor)
        assert (error.code, pointer_of(error)) == ("invalid_input", "/confirm")
    assert not Draft.objects.exists()


def test_recipients_are_trimmed_and_each_is_written_to_once(send):
    send(to=[f" {ADA} ", "ADA@customer.example"], cc=["bo@customer.example", ADA.title()])
    assert sealed().envelope_to == [ADA, "bo@customer.example"]


def test_a_domain_in_another_script_is_written_as_the_dns_has_it(send):
    send(to="käthe@bücher.example")
    assert sealed().envelope_to == ["käthe@xn--bcher-kva.example"]


@pytest.mark.parametrize(
    "address",
    [
        "ada@customer.example\r\nBcc: eve@evil.example", "ada", "", "a@b.example, c@d.example",
        '"ada lovelace"@customer.example', "ada@[127.0.0.1]", "ada@customer.example\u202e",
        "Ada <ada@customer.example>, <eve@evil.example>", "a" * 65 + "@customer.example",
    ],
)  # fmt: skip
def test_what_is_no_single_address_is_refused_where_it_stands(send, address):
    assert pointer_of(refusal(send, to=address)) == "/to"
    assert pointer_of(refusal(send, to=[ADA, address])) == "/to/1"
    assert pointer_of(refusal(send, cc=address)) == "/cc"
    assert not Submission.objects.exists()


def test_more_than_five_hundred_recipients_are_refused(send):
    many = [f"p{number}@customer.example" for number in range(501)]
    assert pointer_of(refusal(send, to=many)) == "/to"
    assert pointer_of(refusal(send, to=many[:300], cc=many[300:])) == "/to"
    assert not Draft.objects.exists()
    send(to=many[:300], cc=many[300:500])
    assert len(sealed().envelope_to) == 500


@pytest.mark.parametrize("text", ["a\0b", "a\u202eb", "a\x07b", "\ud800"])
def test_what_no_mail_holds_is_refused_in_subject_and_text(send, text):
    assert pointer_of(refusal(send, subject=text)) == "/subject"
    assert pointer_of(refusal(send, body=text)) == "/body"


def test_a_subject_is_one_line(send):
    assert pointer_of(refusal(send, subject="Hi\r\nBcc: eve@evil.example")) == "/subject"


def test_a_text_has_bounds_and_may_be_empty(send):
    assert pointer_of(refusal(send, body="x" * 1_000_001)) == "/body"
    send(body="")
    assert sealed().mime_bytes.endswith(b"\r\n\r\n")


def test_files_go_along_from_the_exchange_folder_and_stay_as_they_were_sealed(actor, send):
    folders.write_file(actor, "out/offer.pdf", b"%PDF-1", "/path")
    folders.write_file(actor, "mail.eml", b"From: x", "/path")
    send(attachments=["out/offer.pdf", "mail.eml"])
    assert [it[:2] for it in sealed().attachments] == [
        ["offer.pdf", "application/pdf"],
        ["mail.eml", "application/octet-stream"],
    ]
    send(attachments="out/offer.pdf")
    assert [it[0] for it in sealed().attachments] == ["offer.pdf"]


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "none.pdf", "a/../../x", "", "~root"])
def test_a_file_from_anywhere_else_is_refused(send, path):
    assert pointer_of(refusal(send, attachments=path)) == "/attachments"
    assert pointer_of(refusal(send, attachments=[path])) == "/attachments/0"
    assert not Draft.objects.exists()


def test_the_exchange_folder_of_another_agent_is_not_read(workspace, inbox, send):
    other = factories.agent_actor(factories.make_agent(workspace, "Scout", (inbox,)))
    folders.write_file(other, "secret.txt", b"x", "/path")
    assert refusal(send, attachments="secret.txt").code == "not_found"


def test_too_many_files_are_refused_before_any_is_read(send):
    error = refusal(send, attachments=["none"] * 51)
    assert (error.code, pointer_of(error)) == ("invalid_input", "/attachments")


def test_a_paused_inbox_lets_nothing_be_proposed(inbox, send):
    inbox.status = InboxStatus.PAUSED
    inbox.save()
    assert refusal(send).code == "conflict"
    assert not Draft.objects.exists()


def test_what_the_policy_forbids_is_not_proposed(workspace, send):
    source = "recipients: {block: [customer.example]}"
    ReplyPolicy.objects.create(workspace=workspace, name="House", source=source)
    error = refusal(send)
    assert (error.code, error.status) == ("policy_blocked", 403)
    assert not Draft.objects.exists()


def test_what_is_odd_about_an_email_stands_on_its_approval(send):
    send(to="ada@customer.example", body="Invisible\u200b mark")
    check_proposed()
    flags = {risk["flag"] for risk in Approval.objects.get().risk_flags}
    assert {"new_recipient", "hidden_text"} <= flags


def test_an_account_of_another_workspace_does_not_exist(actor, send):
    elsewhere = factories.make_inbox(factories.make_workspace("elsewhere"))
    for account in (elsewhere.account.public_id, "acc_none", "msg_x", ""):
        error = refusal(send, account_id=account)
        assert (error.code, pointer_of(error)) == ("not_found", "/account_id")


# -- replies ---------------------------------------------------------------------------------------
@pytest.fixture
def reply(actor, inbox):
    def reply(message, tool="email_reply", **fields):
        given = {"email_id": message.public_id, "body": "Thank you."} | fields
        return call(tool, arguments(inbox, **given), actor)

    return reply


def test_a_reply_goes_to_reply_to_else_to_the_sender(inbox, reply):
    reply(factories.make_message(inbox, reply_to=[{"email": "desk@customer.example"}]))
    assert sealed().envelope_to == ["desk@customer.example"]
    reply(factories.make_message(inbox))
    assert sealed().envelope_to == [ADA]


def test_a_reply_answers_the_message_that_is_named(inbox, reply):
    first = factories.make_message(inbox)
    factories.make_message(inbox, thread=first.thread, sender="bo@customer.example")
    reply(first)
    assert sealed().envelope_to == [ADA]
    assert f"In-Reply-To: {first.message_id_header}".encode() in sealed().mime_bytes
    assert sealed().thread == first.thread


def test_a_reply_to_all_leaves_ourselves_out_and_names_each_once(inbox, reply):
    Identity.objects.create(
        workspace=inbox.workspace, account=inbox.account, email="sales@lantern.example"
    )
    message = factories.make_message(
        inbox,
        to=[{"email": inbox.address}, {"email": "bo@customer.example"}, {"email": ADA.upper()}],
        cc=[{"email": "SALES@lantern.example"}, {"email": "cy@customer.example"}, {"email": "x"}],
    )
    reply(message, "email_reply_all")
    draft = sealed().draft
    assert [it["email"] for it in draft.to] == [ADA]
    assert [it["email"] for it in draft.cc] == ["bo@customer.example", "cy@customer.example"]


def test_a_reply_to_our_own_message_goes_to_whom_that_went(inbox, reply):
    message = factories.make_message(
        inbox, sender=inbox.address, direction=Direction.OUTBOUND,
        to=[{"email": ADA}], cc=[{"email": "bo@customer.example"}],
    )  # fmt: skip
    reply(message)
    assert sealed().envelope_to == [ADA]
    reply(message, "email_reply_all")
    assert sealed().envelope_to == [ADA, "bo@customer.example"]


def test_a_message_that_names_nobody_but_us_cannot_be_answered(inbox, reply):
    message = factories.make_message(inbox, sender=inbox.address)
    error = refusal(reply, message)
    assert (error.code, pointer_of(error)) == ("conflict", "/email_id")


def test_a_reply_to_more_than_mail_may_go_to_is_refused(inbox, reply):
    many = [{"email": f"p{number}@customer.example"} for number in range(500)]
    error = refusal(reply, factories.make_message(inbox, to=many), "email_reply_all")
    assert (error.code, pointer_of(error)) == ("conflict", "/email_id")


@pytest.mark.parametrize("body", ["", " \n\t", None, 3])
def test_a_reply_says_something(inbox, reply, body):
    error = refusal(reply, factories.make_message(inbox), body=body)
    assert (error.code, pointer_of(error)) == ("invalid_input", "/body")


def test_an_email_of_another_account_does_not_exist(actor, workspace, inbox, reply):
    other = factories.make_inbox(workspace)
    both = factories.agent_actor(factories.make_agent(workspace, "Scout", (inbox, other)))
    message = factories.make_message(other)
    given = arguments(inbox, email_id=message.public_id, body="Hello.")
    for who in (actor, both):
        error = refusal(call, "email_reply", given, who)
        assert (error.code, pointer_of(error)) == ("not_found", "/email_id")


def test_nobody_replies_to_a_draft(actor, inbox, reply):
    call("email_create_draft", draft_of(inbox), actor)
    error = refusal(reply, Draft.objects.get())
    assert (error.code, pointer_of(error)) == ("conflict", "/email_id")


# -- drafts ----------------------------------------------------------------------------------------
def draft_of(inbox, **fields):
    return arguments(inbox, confirm=None, to=ADA, subject="Hi", body="There.", **fields)


def test_a_draft_is_answered_whole_and_leaves_nobody_waiting(actor, inbox):
    folders.write_file(actor, "a.txt", b"12345", "/path")
    answer = call(
        "email_create_draft", draft_of(inbox, cc=["bo@customer.example"], attachments=["a.txt"]), actor
    ).result  # fmt: skip
    draft = Draft.objects.get()
    assert answer["id"] == draft.public_id
    assert answer["isDraft"] is True
    assert answer["body"] == {"content": "There.", "contentType": "text"}
    assert answer["from"]["emailAddress"]["address"] == inbox.address
    (attachment,) = answer["attachments"]
    assert {**attachment, "id": ""} == {
        "id": "", "name": "a.txt", "size": 5, "contentType": "text/plain",
    }  # fmt: skip
    assert not Approval.objects.exists()
    listed = call("email_list", {"account_id": inbox.account.public_id, "folder": "drafts"}, actor)
    assert [it["id"] for it in listed.result] == [draft.public_id]


def test_a_drafts_file_can_be_saved_again(actor, inbox):
    folders.write_file(actor, "a.txt", b"12345", "/path")
    made = call("email_create_draft", draft_of(inbox, attachments="a.txt"), actor).result
    wanted = {
        "email_id": made["id"], "attachment_id": made["attachments"][0]["id"], "save_path": "b.txt",
        "account_id": inbox.account.public_id,
    }  # fmt: skip
    call("email_get_attachment", wanted, actor)
    assert folders.read_file(actor, "b.txt") == b"12345"
