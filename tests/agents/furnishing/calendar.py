"""A calendar with an event, a series and an invitation, of which every text holds the word."""

from datetime import UTC, datetime, timedelta

from django.utils import timezone

from calendar_app.models import Attendee, Calendar, Event
from calendar_app.operations.keeping import default_calendar


def make_event(calendar, summary, **fields):
    start = fields.pop("dtstart", timezone.now().replace(microsecond=0) + timedelta(days=1))
    end = fields.pop("dtend", start + timedelta(hours=1))
    made = {"status": "confirmed", "last_end": end, "uid": f"{summary}@calendar.example"} | fields
    return Event.objects.create(
        workspace_id=calendar.workspace_id, calendar=calendar, summary=summary, dtstart=start,
        dtend=end, **made,
    )  # fmt: skip


def furnish(world):
    word, account = world.word, world.account
    calendar = default_calendar(account)
    other = Calendar.objects.create(
        workspace=world.workspace, account=account, name=f"Calendar of the {word}"
    )
    event = make_event(calendar, f"About the {word}", description=word, location=f"{word} street")
    invitation = make_event(
        calendar, f"The {word} party", organizer=f"ada@{word}.example", status="tentative"
    )
    Attendee.objects.create(event=invitation, email=account.address, name=word)
    make_event(calendar, f"Weekly {word}", rrule="FREQ=WEEKLY", last_end=None)
    gone, moved, left, lost = (
        make_event(calendar, f"{word} {number}") for number in ("one", "two", "three", "four")
    )
    world.rows |= {"event": event, "calendar": calendar}
    account_id = {"account_id": account.public_id}
    in_default = {"calendar_id": calendar.public_id}
    start, end = datetime(2026, 3, 2, 8, tzinfo=UTC), datetime(2026, 3, 3, 8, tzinfo=UTC)
    window = {"start": start.isoformat(), "end": end.isoformat()}
    world.calls |= {
        "calendar_list_events": {**account_id, "include_details": True},
        "calendar_get_event": {**account_id, "event_id": event.public_id},
        "calendar_check_availability": {**account_id, **window, "attendees": [account.address]},
        "calendar_create_event": {
            **account_id, **window, "subject": f"New {word}", "attendees": f"bo@{word}.example",
        },
        "calendar_respond_event": {**account_id, "event_id": invitation.public_id},
        "calendar_update_event": {
            **account_id, "event_id": moved.public_id, "updates": {"location": word},
        },
        "calendar_delete_event": {**account_id, "event_id": gone.public_id, "confirm": True},
        "calendar_delete_calendar": {
            **account_id, "calendar_id": other.public_id, "confirm": True,
        },
        "google_calendar_service.list": {},
        "google_calendar_service.create": {
            **in_default, "title": word, "start_at": window["start"], "end_at": window["end"],
        },
        "google_calendar_service.update": {
            **in_default, "event_id": left.public_id, "title": f"{word} moved",
        },
        "google_calendar_service.delete": {**in_default, "event_id": lost.public_id},
        "find_free_slots": {
            **window, "duration_minutes": 30, "account_ids": [account.public_id],
        },
    }  # fmt: skip
