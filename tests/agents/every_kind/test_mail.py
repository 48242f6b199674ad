"""Mail, by the operations and by the mail contract, on an account of every kind."""

import pytest

from agents.exchange import folders
from inbox.models import ExtractionSchema, ReplyPolicy, Taxonomy
from inbox.operations.activities.understanding import ensure_defaults
from tests.agents.every_kind.offices import calls, in_turn

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.parametrize("office", in_turn(0), indirect=True),
]
ADA = "ada@customer.example"


def letter(subject, number=1):
    return (
        f"From: Ada <{ADA}>\r\nTo: office@lantern.example, bo@customer.example\r\n"
        f"Subject: {subject}\r\nMessage-ID: <{number}@customer.example>\r\n"
        "Date: Mon, 02 Mar 2026 12:00:00 +0000\r\nMIME-Version: 1.0\r\n"
        'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\n'
        "Could you send me the offer by Friday?\r\n--b\r\nContent-Type: text/plain\r\n"
        'Content-Disposition: attachment; filename="list.txt"\r\n\r\nLamps: 6\r\n--b--\r\n'
    ).encode()


@calls(
    "email_list", "email_get", "email_get_attachment", "email_update", "email_move", "email_delete"
)
def test_what_came_is_read_marked_moved_and_deleted(office):
    office.mail.deliver(letter("Lamps"))
    [listed] = office.do("email_list")
    got = office.do("email_get", email_id=listed["id"])
    assert "offer by Friday" in got["body"]["content"]
    [attached] = got["attachments"]
    office.do(
        "email_get_attachment", email_id=listed["id"], attachment_id=attached["id"],
        save_path="list.txt",
    )  # fmt: skip
    assert folders.read_file(office.actor, "list.txt").strip() == b"Lamps: 6"
    updates = {"isRead": True, "categories": ["Offers"], "flag": {"flagStatus": "flagged"}}
    changed = office.do("email_update", email_id=listed["id"], updates=updates)
    assert (changed["isRead"], changed["categories"]) == (True, ["Offers"])
    office.mail.lies("INBOX", "Lamps", flags=b"\\Seen")
    moved = office.do("email_move", email_id=listed["id"], destination_folder="archive")
    office.mail.lies("Archive", "Lamps", flags=b"\\Flagged")
    assert office.do("email_list") == []
    assert [it["id"] for it in office.do("email_list", folder="archive")] == [moved["new_id"]]
    if office.mail.is_elsewhere:
        office.mail.move("Archive", "INBOX")
        [back] = office.do("email_list")
        assert back["isRead"]
        assert office.do("email_get", email_id=back["id"])["categories"] == ["Offers"]
        moved = {"new_id": back["id"]}
    office.do("email_delete", email_id=moved["new_id"], confirm=True)
    for mailbox in ("INBOX", "Archive"):
        office.mail.lies(mailbox)
    assert office.do("email_list") == office.do("email_list", folder="archive") == []


@calls("email_list", "email_create_draft", "email_send", "email_reply", "email_reply_all")
def test_what_is_written_leaves_once_each_is_approved(office):
    office.mail.deliver(letter("Lamps"))
    [came] = office.do("email_list")
    said = {"to": [ADA], "subject": "The offer", "body": "It is attached."}
    draft = office.do("email_create_draft", **said)
    assert [it["id"] for it in office.do("email_list", folder="drafts")] == [draft["id"]]
    sent = {**said, "draft_id": draft["id"], "confirm": True}
    office.let_leave(office.do("email_send", key="k", **sent))
    assert office.do("email_send", key="k", **sent)["status"] == "sent"
    answer = {"email_id": came["id"], "body": "Ninety.", "confirm": True}
    office.let_leave(office.do("email_reply", **answer))
    office.let_leave(office.do("email_reply_all", **{**answer, "body": "Ninety each."}))
    office.mail.lies("Sent", "The offer", "Re: Lamps", "Re: Lamps")
    found = office.do("email_list", folder="sent")
    assert sorted(it["subject"] for it in found) == ["Re: Lamps", "Re: Lamps", "The offer"]
    assert office.do("email_list", folder="drafts") == []


@calls("search_unified")
def test_the_mail_contract_holds(office):
    ensure_defaults(office.inbox.workspace)
    office.mail.deliver(letter("Lamps"))
    inbox_id = office.inbox.public_id
    [thread] = office.ask("list_threads", inbox_id=inbox_id)["threads"]
    asked = office.ask("get_thread", thread_id=thread["id"])
    [message] = asked["messages"]
    [hit] = office.ask("search_inbox", inbox_id=inbox_id, query="lamps")["results"]
    [found] = office.do("search_unified", query="lamps")["message"]
    assert hit["thread_id"] == found["conversationId"] == thread["id"]
    workspace = office.inbox.workspace
    taxonomy = Taxonomy.objects.get(workspace=workspace).public_id
    assert office.ask("triage_message", message_id=message["id"], taxonomy_id=taxonomy)["intent"]
    schema = ExtractionSchema.objects.filter(workspace=workspace).first().public_id
    office.ask("extract_to_schema", message_id=message["id"], schema_id=schema)
    policy = ReplyPolicy.objects.get(workspace=workspace).public_id
    draft = office.ask(
        "draft_reply_with_policy", thread_id=thread["id"], policy_id=policy, goal="Thank them."
    )
    reply = {"thread_id": thread["id"], "body_or_draft_id": draft["draft"], "idempotency_key": "k"}
    office.let_leave(office.ask("send_reply", **reply))
    assert office.ask("send_reply", **reply)["status"] == "sent"
    office.mail.lies("Sent", "Re: Lamps")
