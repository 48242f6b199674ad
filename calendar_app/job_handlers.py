"""What the calendar does when mail has come in, and when mail has left."""

from calendar_app.mirroring import marking, todo_marking
from calendar_app.mirroring.events import EventKeeper
from calendar_app.mirroring.todos import TodoKeeper
from calendar_app.operations import deletions, event_forms, expansions, todos
from calendar_app.operations.invitations import inform_activities, take_invitations
from calendar_app.operations.sent import apply_sent
from inbox.background.jobs import Payload, subscribe
from inbox.syncing.collections.keepers import register_keeper

# In these stand periodic jobs, which are known once they are loaded.
__all__ = ["deletions", "event_forms", "expansions", "marking", "todo_marking", "todos"]

register_keeper("calendar", EventKeeper())
register_keeper("todos", TodoKeeper())


@subscribe("message.received", "calendar.take_invitations")
def take_received_invitations(payload: Payload) -> None:
    """Bring the calendars up to what new messages say."""
    take_invitations(message_ids=payload["message_ids"])


@subscribe("activity.created", "calendar.inform_activities")
def inform_new_activities(payload: Payload) -> None:
    """Tell new activities of their invitations, whichever of the two came first.

    An activity that is no mail, such as a note that came due, has none.
    """
    inform_activities(message_ids=payload.get("message_ids", []))


@subscribe("submission.sent", "calendar.apply_sent")
def apply_sent_message(payload: Payload) -> None:
    """Have the calendar say what attendees were told."""
    apply_sent(submission_id=payload["submission_id"])
