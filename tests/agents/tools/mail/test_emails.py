"""Mail that is read by the operations: lists, one email, one attachment."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.exchange import folders
from inbox.models import Attachment, Draft, Identity, Mailbox, store_blob
from inbox.operations.drafts.writing import create_draft
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def ask(actor, inbox):
    """Call an operation on the account; return its answer."""

    def ask(tool, who=actor, **fields):
        return call(tool, {"account_id": inbox.account.public_id, **fields}, who).result

    return ask


@pytest.fixture
def received(inbox):
    """Make a message in the mailbox of a role."""

    def received(role="inbox", **fields):
        message = factories.make_message(inbox, **fields)
        message.mailboxes.add(Mailbox.objects.get(inbox=inbox, role=role))
        return message

    return received


def refusal(function, *args, **fields):
    with pytest.raises(ToolError) as caught:
        function(*args, **fields)
    return caught.value


def pointer_of(error):
    return error.details.get("pointer") or error.details["errors"][0]["pointer"]


def ids_of(items):
    return [item["id"] for item in items]


def write_draft(actor, inbox, **fields):
    identity = Identity.objects.get(account=inbox.account, is_default=True)
    return create_draft(
        actor=actor, inbox=inbox, identity=identity, subject="Hi",
        **({"to": ["ada@customer.example"], "body": "There."} | fields),
    )  # fmt: skip


# -- lists -----------------------------------------------------------------------------------------
def test_an_item_of_a_list_has_the_shape_of_graph(ask, received):
    message = received(
        cc=[{"name": "Bo", "email": "bo@customer.example"}], keywords=["$seen"], has_attachments=True
    )  # fmt: skip
    (item,) = ask("email_list")
    cached_at = item.pop("_cached_at")
    assert cached_at.endswith("Z")
    assert item == {
        "id": message.public_id,
        "subject": "A question",
        "from": {"emailAddress": {"name": "Ada Byron", "address": "ada@customer.example"}},
        "toRecipients": [{"emailAddress": {"address": "office@lantern.example"}}],
        "ccRecipients": [{"emailAddress": {"name": "Bo", "address": "bo@customer.example"}}],
        "receivedDateTime": message.received_at.isoformat().replace("+00:00", "Z"),
        "hasAttachments": True,
        "conversationId": message.thread.public_id,
        "isRead": True,
        "body": {"content": "Could you send me the offer by Friday?", "contentType": "text"},
        "_cache_status": "miss",
    }


def test_the_newest_of_a_folder_come_first_and_no_more_than_asked_for(ask, received):
    messages = [received() for _ in range(12)]
    newest = [message.public_id for message in reversed(messages)]
    assert ids_of(ask("email_list")) == newest[:10]
    assert ids_of(ask("email_list", limit=200)) == newest
    assert ids_of(ask("email_list", limit=1, folder="inbox")) == newest[:1]


@pytest.mark.parametrize(
    ("folder", "role"),
    [("inbox", "inbox"), ("sent", "sent"), ("deleted", "trash"), ("junk", "junk"),
     ("archive", "archive"), ("drafts", "drafts")],
)  # fmt: skip
def test_a_folder_is_the_mailbox_of_its_role(ask, received, inbox, folder, role):
    message = received(role)
    for other in {"inbox", "junk"} - {role}:
        received(other)
    assert ids_of(ask("email_list", folder=folder)) == [message.public_id]
    mailbox = Mailbox.objects.get(inbox=inbox, role=role)
    assert ids_of(ask("email_list", folder_id=mailbox.public_id)) == [message.public_id]


def test_a_mailbox_without_a_role_is_found_by_its_id(ask, inbox):
    label = Mailbox.objects.create(workspace=inbox.workspace, inbox=inbox, name="Urgent")
    message = factories.make_message(inbox)
    message.mailboxes.add(label)
    assert ids_of(ask("email_list", folder_id=label.public_id)) == [message.public_id]


def test_two_folders_that_differ_are_refused(ask, inbox):
    mailbox = Mailbox.objects.get(inbox=inbox, role="junk")
    error = refusal(ask, "email_list", folder="inbox", folder_id=mailbox.public_id)
    assert (error.code, pointer_of(error)) == ("invalid_input", "/folder_id")
    assert ask("email_list", folder="junk", folder_id=mailbox.public_id) == []


def test_a_folder_of_another_account_does_not_exist(ask, workspace, inbox):
    other = factories.make_inbox(workspace)
    both = factories.agent_actor(factories.make_agent(workspace, "Scout", (inbox, other)))
    foreign = Mailbox.objects.get(inbox=other, role="inbox").public_id
    for folder_id in (foreign, "mbx_none", "mbx_", inbox.public_id, ""):
        error = refusal(ask, "email_list", both, folder_id=folder_id)
        assert (error.code, pointer_of(error)) == ("not_found", "/folder_id")


def test_drafts_stand_among_the_drafts_until_they_are_sent(ask, actor, inbox, received):
    imported = received("drafts")
    draft = write_draft(actor, inbox)
    sent = write_draft(actor, inbox)
    Draft.objects.filter(pk=sent.pk).update(status="sent")
    first, second = ask("email_list", folder="drafts")
    assert (first["id"], second["id"]) == (draft.public_id, imported.public_id)
    assert first["from"] == {"emailAddress": {"name": "Lantern", "address": inbox.address}}
    assert first["body"]["content"] == "There."


def test_a_list_without_texts_reads_none(ask, received, actor, inbox):
    received()
    write_draft(actor, inbox)
    for folder in ("inbox", "drafts"):
        with CaptureQueriesContext(connection) as queries:
            (item,) = ask("email_list", folder=folder, include_body=False)
        assert "body" not in item
        read = [it["sql"] for it in queries if it["sql"].startswith("SELECT")]
        assert not any('"text"' in sql or '"body"' in sql for sql in read)


def test_long_texts_are_cut_in_a_list_and_say_so(ask, received):
    received(text="ä" * 30_000)
    (item,) = ask("email_list")
    assert item["body"] == {
        "content": "ä" * 20_000, "contentType": "text", "truncated": True, "total_length": 30_000,
    }  # fmt: skip


def test_a_list_takes_as_many_queries_for_many_as_for_few(ask, received, actor, inbox):
    counts = []
    received()
    ask("email_list")  # the first receipt of a workspace costs more, and the first text shown
    for number in (1, 5, 20):
        for _ in range(number):
            received()
            write_draft(actor, inbox)
        for folder in ("inbox", "drafts"):
            with CaptureQueriesContext(connection) as queries:
                ask("email_list", folder=folder, limit=200, force_refresh=True)
            counts.append((folder, len(queries)))
    assert len(set(counts)) == 2


def test_an_account_with_two_inboxes_is_one_list(ask, workspace, inbox, received):
    second = factories.make_inbox(workspace)
    second.account = inbox.account
    second.save()
    newer = factories.make_message(second, at=factories.NOON + timedelta(days=9))
    newer.mailboxes.add(Mailbox.objects.get(inbox=second, role="inbox"))
    older = received()
    assert ids_of(ask("email_list")) == [newer.public_id, older.public_id]


def test_the_newest_of_two_inboxes_are_the_newest_of_both(ask, workspace, inbox, received):
    second = factories.make_inbox(workspace)
    second.account = inbox.account
    second.save()
    made = []
    for day in range(8):
        place = second if day in (0, 3, 7) else inbox
        message = factories.make_message(place, at=factories.NOON + timedelta(days=day))
        message.mailboxes.add(Mailbox.objects.get(inbox=place, role="sent"))
        made.insert(0, message)
    made[1].deleted_at = factories.NOON
    made[1].save()
    expected = [message.public_id for message in made if message.deleted_at is None]
    for limit in (1, 3, 5, 7, 9):
        found = ask("email_list", folder="sent", limit=limit)
        assert ids_of(found) == expected[:limit]


def test_the_unified_form_answers_the_same(ask, actor, inbox, received):
    received()
    parameters = {"account_id": inbox.account.public_id, "folder": "inbox"}
    ask("email_list", folder="inbox")
    unified = call("list", {"resource": "emails", "parameters": parameters}, actor).result
    assert unified == ask("email_list", folder="inbox")


@pytest.mark.parametrize(
    ("field", "value"),
    [("limit", 0), ("limit", 201), ("limit", "3"), ("limit", True), ("folder", "trash"), ("folder", None),
     ("include_body", "yes"), ("colour", "red"), ("folder_id", 3)],
)  # fmt: skip
def test_what_the_contract_does_not_have_is_refused(ask, field, value):
    error = refusal(ask, "email_list", **{field: value})
    assert (error.code, pointer_of(error)) == ("invalid_input", f"/{field}")


# -- one email -------------------------------------------------------------------------------------
def test_an_email_is_got_whole(ask, received, inbox):
    message = received(keywords=["$flagged", "Offers"])
    attached(message, "offer.pdf", b"%PDF-1", "application/pdf")
    email = ask("email_get", email_id=message.public_id)
    (attachment,) = email["attachments"]
    assert attachment == {
        "id": Attachment.objects.get().public_id, "name": "offer.pdf", "size": 6,
        "contentType": "application/pdf",
    }  # fmt: skip
    assert email["flag"] == {"flagStatus": "flagged"}
    assert email["categories"] == ["Offers"]
    assert email["importance"] == "normal"
    assert email["inferenceClassification"] == "focused"
    assert email["isDraft"] is False
    assert email["_cache_status"] == "miss"


def test_a_text_is_cut_where_asked_and_says_how_long_it_is(ask, received):
    message = received(text="Grüße 🌍 und mehr")
    body = ask("email_get", email_id=message.public_id, body_max_length=7)["body"]
    assert body == {
        "content": "Grüße 🌍", "contentType": "text", "truncated": True, "total_length": 16,
    }  # fmt: skip
    whole = ask("email_get", email_id=message.public_id, body_max_length=16)["body"]
    assert whole == {"content": "Grüße 🌍 und mehr", "contentType": "text"}


def test_what_was_not_asked_for_is_left_out(ask, received):
    message = received()
    email = ask(
        "email_get", email_id=message.public_id, include_body=False, include_attachments=False
    )
    assert not {"body", "attachments"} & set(email)


def test_a_draft_is_got_by_its_own_id(ask, actor, inbox):
    draft = write_draft(actor, inbox)
    email = ask("email_get", email_id=draft.public_id)
    assert (email["id"], email["isDraft"]) == (draft.public_id, True)
    assert email["body"]["content"] == "There."
    assert email["attachments"] == []


def test_emails_of_others_and_of_no_one_answer_alike(ask, workspace, inbox, received):
    other = factories.make_inbox(workspace)
    both = factories.agent_actor(factories.make_agent(workspace, "Scout", (inbox, other)))
    foreign = factories.make_message(factories.make_inbox(factories.make_workspace("far")))
    gone = received(deleted_at=factories.NOON)
    theirs = write_draft(both, other)
    wrong = [
        factories.make_message(other).public_id, foreign.public_id, gone.public_id, theirs.public_id,
        "msg_none", "drf_none", "", inbox.public_id, "💌",
    ]  # fmt: skip
    answers = [refusal(ask, "email_get", both, email_id=one).as_json() for one in wrong]
    assert all(answer == answers[0] for answer in answers)
    assert answers[0]["details"] == {"pointer": "/email_id"}


def test_a_message_with_many_recipients_is_shown_with_the_first_of_them(ask, received):
    many = [{"email": f"p{number}@customer.example"} for number in range(2000)]
    message = received(to=many)
    assert len(ask("email_get", email_id=message.public_id)["toRecipients"]) == 500


# -- one attachment --------------------------------------------------------------------------------
def attached(message, name, content, content_type="text/plain"):
    return Attachment.objects.create(
        workspace=message.workspace, message=message, blob=store_blob(message.workspace_id, content),
        position=0, filename=name, content_type=content_type, size=len(content),
        received_at=message.received_at,
    )  # fmt: skip


def test_an_attachment_is_saved_in_the_exchange_folder(ask, actor, received):
    message = received()
    attachment = attached(message, "../offer.pdf", b"%PDF-1", "application/pdf")
    wanted = {
        "email_id": message.public_id, "attachment_id": attachment.public_id, "save_path": "in/x.pdf",
    }  # fmt: skip
    assert ask("email_get_attachment", **wanted) == {
        "name": "../offer.pdf", "content_type": "application/pdf", "size": 6, "saved_to": "in/x.pdf",
    }  # fmt: skip
    assert folders.read_file(actor, "in/x.pdf") == b"%PDF-1"
    error = refusal(ask, "email_get_attachment", **wanted)
    assert (error.code, pointer_of(error)) == ("conflict", "/save_path")


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../b", "", "a//b", ".", "a\nb"])
def test_an_attachment_goes_nowhere_else(ask, received, path):
    message = received()
    attachment = attached(message, "x", b"x")
    wanted = {"email_id": message.public_id, "attachment_id": attachment.public_id}
    error = refusal(ask, "email_get_attachment", **wanted, save_path=path)
    assert (error.code, pointer_of(error)) == ("invalid_input", "/save_path")


def test_an_attachment_belongs_to_its_email(ask, actor, inbox, received):
    message, other = received(), received()
    attachment = attached(other, "x", b"x")
    draft = write_draft(actor, inbox)
    for email_id in (message.public_id, draft.public_id):
        wanted = {"email_id": email_id, "save_path": "x"}
        for one in (attachment.public_id, "att_none", "", message.public_id):
            error = refusal(ask, "email_get_attachment", **wanted, attachment_id=one)
            assert (error.code, pointer_of(error)) == ("not_found", "/attachment_id")


def test_an_attachment_whose_bytes_are_lost_is_said_to_be(ask, received, settings, tmp_path):
    message = received()
    attachment = attached(message, "x", b"x")
    settings.MEDIA_ROOT = tmp_path / "elsewhere"
    error = refusal(
        ask, "email_get_attachment", email_id=message.public_id,
        attachment_id=attachment.public_id, save_path="x",
    )  # fmt: skip
    assert error.code == "conflict"
