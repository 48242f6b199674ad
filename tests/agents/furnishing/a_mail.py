"""A message, what was made of it, and a reply that waits; the others build on it."""

from agents.dispatching.dispatch import call
from inbox.models import ExtractionSchema, ReplyPolicy, Taxonomy
from inbox.operations.drafts.writing import draft_reply
from tests import factories


def furnish(world):
    word, workspace = world.word, world.workspace
    message = factories.make_message(
        world.inbox,
        sender=f"ada@{word}.example",
        subject=f"About the {word}",
        text=f"Is the {word} for sale?",
    )
    factories.make_person(
        workspace, f"ada@{word}.example", fn=word, received_count=1, contact_count=1,
        first_contact_at=message.received_at, last_contact_at=message.received_at,
    )  # fmt: skip
    (activity,) = factories.activities_from_messages([message.pk])
    thread_id = message.thread.public_id
    first = {
        "thread_id": thread_id,
        "body_or_draft_id": f"The {word} is.",
        "idempotency_key": "first",
    }
    approval = call("send_reply", first, world.actor).approval
    draft = draft_reply(actor=world.actor, thread=message.thread, body=f"The {word} is sold.")
    world.rows |= {"message": message, "activity": activity, "approval": approval}
    inbox_id, message_id = world.inbox.public_id, message.public_id
    schema = ExtractionSchema.objects.filter(workspace=workspace).first()
    world.calls |= {
        "list_threads": {"inbox_id": inbox_id},
        "get_thread": {"thread_id": thread_id},
        "thread_update": {"thread_id": thread_id, "add_labels": [word]},
        "search_inbox": {"inbox_id": inbox_id, "query": word},
        "triage_message": {
            "message_id": message_id,
            "taxonomy_id": Taxonomy.objects.get(workspace=workspace).public_id,
        },
        "extract_to_schema": {"message_id": message_id, "schema_id": schema.public_id},
        "draft_reply_with_policy": {
            "thread_id": thread_id,
            "policy_id": ReplyPolicy.objects.get(workspace=workspace).public_id,
            "goal": "Thank them.",
        },
        "send_reply": {
            "thread_id": thread_id,
            "body_or_draft_id": draft.public_id,
            "idempotency_key": "second",
        },
        "classify_activity": {
            "activity_id": activity.public_id,
            "content": "y",
            "title": "x",
            "sender_email": None,
            "starts_at": None,
        },
        "update_activities": {
            "activity_ids": [activity.public_id],
            "updates": {"status": "surfaced", "classification": None},
        },
        "query_activities": {},
        "query_people": {"search": word},
        "list_approvals": {},
        "look_around": {},
        "get_approval": {"approval_id": approval.public_id},
    }
