"""What a sent message answers is marked so, here and at the provider, as mail programs do."""

from inbox.actor import system_actor
from inbox.background.jobs import Payload, subscribe
from inbox.models import Message, Submission
from inbox.operations.mail.message_changes import MessageChanges, update_message

CLERK = "Sending"


@subscribe("submission.sent", "submission.mark_answered")
def mark_answered(payload: Payload) -> None:
    """Mark the message that a sent submission answers with `$answered`; again, nothing changes."""
    sent = Submission.objects.filter(pk=payload["submission_id"])
    answered = sent.values("draft__in_reply_to")
    rows = Message.objects.filter(pk__in=answered).kept()
    message = rows.defer(*Message.LIST_DEFERRED).first()
    if message is None or "$answered" in message.keywords:
        return
    actor = system_actor(message.workspace_id, CLERK)
    update_message(actor=actor, message=message, changes=MessageChanges(is_answered=True))
