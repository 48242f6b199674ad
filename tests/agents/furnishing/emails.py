"""Emails to read, change and answer, each of its own; and a search over what the others made."""

from agents.dispatching.dispatch import call
from inbox.models import Attachment, Mailbox, store_blob
from tests import factories


def furnish(world):
    account = {"account_id": world.account.public_id}
    email = {**account, "email_id": _email(world).public_id}
    attachment = _attach(world, _email(world))
    written = {
        **account, "to": [f"ada@{world.word}.example"], "subject": f"About the {world.word}",
        "body": f"The {world.word} is yours.",
    }  # fmt: skip
    draft = call("email_create_draft", written, world.actor)
    label = Mailbox.objects.create(workspace=world.workspace, inbox=world.inbox, name=world.word)
    attachment.message.thread.mailboxes.add(label)
    world.rows |= {"attachment": attachment, "written_draft": draft.result["id"]}
    reply = {**email, "body": f"The {world.word} is sold.", "confirm": True}
    world.calls |= {
        "email_list": {**account, "folder_id": _inbox_folder(world).public_id},
        "email_get": email,
        "email_get_attachment": {
            **account,
            "email_id": attachment.message.public_id,
            "attachment_id": attachment.public_id,
            "save_path": "in/offer.txt",
        },
        "email_create_draft": written,
        "email_send": {**written, "confirm": True},
        "email_reply": reply,
        "email_reply_all": reply,
        "email_update": {
            **account, "email_id": _email(world).public_id, "updates": {"isRead": True},
        },
        "email_move": {
            **account, "email_id": _email(world).public_id, "destination_folder": "archive",
        },
        "email_delete": {**account, "email_id": _email(world).public_id, "confirm": True},
        "search_unified": {**account, "query": world.word},
    }  # fmt: skip


def _inbox_folder(world):
    return Mailbox.objects.get(inbox=world.inbox, role="inbox")


def _email(world):
    message = factories.make_message(
        world.inbox,
        sender=f"ada@{world.word}.example",
        sender_name=world.word,
        subject=f"About the {world.word}",
        text=f"Is the {world.word} for sale?",
        keywords=[world.word],
    )
    message.mailboxes.add(_inbox_folder(world))
    return message


def _attach(world, message):
    return Attachment.objects.create(
        workspace=world.workspace, message=message, position=0, filename=f"{world.word}.txt",
        content_type="text/plain", blob=store_blob(world.workspace.pk, world.word.encode()),
        size=len(world.word), received_at=message.received_at,
    )  # fmt: skip
