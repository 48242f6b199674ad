"""What the calendar does when mail has come in."""

from calendar_app.operations.invitations import inform_activities, take_invitations
from inbox.jobs import Payload, subscribe


@subscribe("message.received", "calendar.take_invitations")
def take_received_invitations(payload: Payload) -> None:
    """Bring the calendars up to what new messages say."""
    take_invitations(message_ids=payload["message_ids"])


@subscribe("activity.created", "calendar.inform_activities")
def inform_new_activities(payload: Payload) -> None:
    """Tell new activities of their invitations, whichever of the two came first."""
    inform_activities(message_ids=payload["message_ids"])
