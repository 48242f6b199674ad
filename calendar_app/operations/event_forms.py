"""What stands beside an event for the search: who is invited, and other forms of its words."""

from collections.abc import Sequence

from calendar_app.models import Attendee, Event
from calendar_app.operations.keeping import MOST_INVITED, SEARCHED, searched_text
from inbox.background.jobs import Payload, handler
from inbox.operations.renewing import renew_words
from inbox.rfc5322.text.short_texts import words_beside


@handler("search.events")
def renew_forms(payload: Payload) -> None:
    """Renew what stands beside the next events after a key, and go on."""
    rows = Event.objects.only("pk", "search_extra", *SEARCHED)
    renew_words("search.events", rows, int(payload["after"]), _beside)


def _beside(events: Sequence[Event]) -> list[str]:
    guests: dict[int, list[str]] = {event.pk: [] for event in events}
    rows = Attendee.objects.filter(event__in=guests).order_by("event", "pk")
    for key, name, email in rows.values_list("event_id", "name", "email"):
        if len(guests[key]) < MOST_INVITED:
            guests[key] += [name, email] if name else [email]
    return [words_beside(searched_text(event), guests[event.pk]) for event in events]
