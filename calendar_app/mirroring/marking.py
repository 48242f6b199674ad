"""What was changed in calendars that lie at a server, marked to be told there."""

from calendar_app.models import Event
from inbox.background.jobs import Payload, subscribe
from inbox.models import RemoteCollection
from inbox.syncing.collections.marking import mark_changed


@subscribe("event.changed", "calendar.mark_event")
def mark_event(payload: Payload) -> None:
    """Have an event's server told of what changed, where its calendar lies at one."""
    collection = (
        RemoteCollection.objects.filter(calendar=payload["calendar_id"], is_taken=True)
        .select_related("source")
        .first()
    )
    event = Event.objects.filter(pk=payload["event_id"]).only("uid").first()
    if collection is not None and event is not None:
        mark_changed(collection, [event.uid])
