"""The tools of calendar.

Made by `python manage.py reference`; change the declarations instead.
"""

from typing import Any, Literal

from chancery_client.carriers import Carrier
from chancery_client.generated.shapes.calendar import (
    CalendarCheckAvailabilityAnswer,
    CalendarCreateEventAnswer,
    CalendarDeleteCalendarAnswer,
    CalendarDeleteEventAnswer,
    CalendarListEventsAnswer,
    CalendarRespondEventAnswer,
    CalendarUpdateEventUpdates,
)
from chancery_client.wire import (
    OMITTED,
    Held,
    Omitted,
)


class Calendar:
    """The tools of calendar."""

    def __init__(self, carrier: Carrier) -> None:
        self._carrier = carrier

    def calendar_list_events(
        self,
        *,
        account_id: str,
        days_ahead: int | Omitted = OMITTED,
        start: str | Omitted = OMITTED,
        end: str | Omitted = OMITTED,
        include_details: bool | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        use_cache: bool | Omitted = OMITTED,
        force_refresh: bool | Omitted = OMITTED,
    ) -> list[CalendarListEventsAnswer]:
        """List what takes place in all calendars of an account, by start; from now on, or `start`.

        A recurring series is listed as its instances, each with an id of its own. `dateTime` is
        what the clock of the event's own `timeZone` shows.

        account_id: The account: its id, address or name; look_around has them.
        days_ahead: So many days from `start` on; `end` wins.
        start: From then on, also in the past; else from now on.
        end: Until then, at most 366 days after the start.
        include_details: With body, attendees and recurrence.
        limit: At most so many.
        use_cache: False asks the provider first, like force_refresh.
        force_refresh: Ask the provider first.
        """
        given: dict[str, Any] = {
            "account_id": account_id,
            "days_ahead": days_ahead,
            "start": start,
            "end": end,
            "include_details": include_details,
            "limit": limit,
            "use_cache": use_cache,
            "force_refresh": force_refresh,
        }
        answer: list[CalendarListEventsAnswer] = self._carrier.read("calendar_list_events", given)
        return answer

    def calendar_get_event(
        self,
        *,
        event_id: str,
        account_id: str,
        use_cache: bool | Omitted = OMITTED,
        force_refresh: bool | Omitted = OMITTED,
    ) -> CalendarListEventsAnswer:
        """Get an event whole: a single one, a series with its rule, or one instance of a series.

        event_id: The event, series or instance, as a list or a search names it.
        account_id: The account: its id, address or name; look_around has them.
        use_cache: False asks the provider first, like force_refresh.
        force_refresh: Ask the provider first.
        """
        given: dict[str, Any] = {
            "event_id": event_id,
            "account_id": account_id,
            "use_cache": use_cache,
            "force_refresh": force_refresh,
        }
        answer: CalendarListEventsAnswer = self._carrier.read("calendar_get_event", given)
        return answer

    def calendar_check_availability(
        self,
        *,
        account_id: str,
        start: str,
        end: str,
        attendees: str | list[str] | Omitted = OMITTED,
    ) -> CalendarCheckAvailabilityAnswer:
        """Tell when an account and others have time: taken times, and a digit for each half hour.

        Addresses of accounts that the caller may see are known, by all of their calendars; of
        others nothing is, and it says so. `asOf` is how old it is what is known.

        account_id: The account: its id, address or name; look_around has them.
        start: From then on, with its offset.
        end: Until then, with its offset; after the start.
        attendees: Further addresses; our own accounts are known.
        """
        given: dict[str, Any] = {
            "account_id": account_id,
            "start": start,
            "end": end,
            "attendees": attendees,
        }
        answer: CalendarCheckAvailabilityAnswer
        answer = self._carrier.read("calendar_check_availability", given)
        return answer

    def calendar_create_event(
        self,
        *,
        account_id: str,
        subject: str,
        start: str,
        end: str,
        location: str | Omitted = OMITTED,
        body: str | Omitted = OMITTED,
        attendees: str | list[str] | Omitted = OMITTED,
        timezone: str | Omitted = OMITTED,
        idempotency_key: str | None = None,
    ) -> CalendarCreateEventAnswer | Held[CalendarCreateEventAnswer]:
        """Create an event in the account's default calendar; times need an offset.

        With attendees it is an invitation: a person approves it, and it is `queued` and in no
        calendar until it has left.

        account_id: The account: its id, address or name; look_around has them.
        subject: What it is about, in a line.
        start: From then on, with its offset.
        end: Until then, with its offset; after the start.
        location: Where it is.
        body: Plain text.
        attendees: Addresses to invite.
        timezone: An IANA zone, for the clock of its place.
        """
        given: dict[str, Any] = {
            "account_id": account_id,
            "subject": subject,
            "start": start,
            "end": end,
            "location": location,
            "body": body,
            "attendees": attendees,
            "timezone": timezone,
        }
        answer: CalendarCreateEventAnswer | Held[CalendarCreateEventAnswer]
        answer = self._carrier.propose("calendar_create_event", given, idempotency_key)
        return answer

    def calendar_respond_event(
        self,
        *,
        account_id: str,
        event_id: str,
        response: Literal["accept", "decline", "tentativelyAccept", "tentative"] | Omitted = OMITTED,
        message: str | Omitted = OMITTED,
        idempotency_key: str | None = None,
    ) -> CalendarRespondEventAnswer | Held[CalendarRespondEventAnswer]:
        """Answer an invitation, of a series or of one instance; a person approves the answer.

        It is `queued`, and the calendar stays as it is, until the answer has left to the organizer.

        account_id: The account: its id, address or name; look_around has them.
        event_id: The event, series or instance, as a list or a search names it.
        response: What to answer.
        message: Words to the organizer.
        """
        given: dict[str, Any] = {
            "account_id": account_id,
            "event_id": event_id,
            "response": response,
            "message": message,
        }
        answer: CalendarRespondEventAnswer | Held[CalendarRespondEventAnswer]
        answer = self._carrier.propose("calendar_respond_event", given, idempotency_key)
        return answer

    def calendar_update_event(
        self,
        *,
        event_id: str,
        updates: CalendarUpdateEventUpdates,
        account_id: str,
        idempotency_key: str | None = None,
    ) -> CalendarCreateEventAnswer | Held[CalendarCreateEventAnswer]:
        """Change an event of the account's own: one instance by its id, a whole series by the
        series'.

        With attendees a person approves what they are told, and the event stays as it is until
        then.

        event_id: The event, series or instance, as a list or a search names it.
        updates: What to change; what is left out stays.
        account_id: The account: its id, address or name; look_around has them.
        """
        given: dict[str, Any] = {
            "event_id": event_id,
            "updates": updates,
            "account_id": account_id,
        }
        answer: CalendarCreateEventAnswer | Held[CalendarCreateEventAnswer]
        answer = self._carrier.propose("calendar_update_event", given, idempotency_key)
        return answer

    def calendar_delete_event(
        self,
        *,
        account_id: str,
        event_id: str,
        confirm: Literal[True],
        send_cancellation: bool | Omitted = OMITTED,
        idempotency_key: str | None = None,
    ) -> CalendarDeleteEventAnswer | Held[CalendarDeleteEventAnswer]:
        """Delete an event, a series, or one instance of it; a person can restore it for 30 days.

        Attendees of an event of ours are sent a cancellation, which a person approves first. An
        invitation is only taken off the calendar: decline it to tell the organizer.

        account_id: The account: its id, address or name; look_around has them.
        event_id: The event, series or instance, as a list or a search names it.
        confirm: Your promise that it is meant; it is never an approval.
        send_cancellation: Tell the attendees of an event of ours.
        """
        given: dict[str, Any] = {
            "account_id": account_id,
            "event_id": event_id,
            "confirm": confirm,
            "send_cancellation": send_cancellation,
        }
        answer: CalendarDeleteEventAnswer | Held[CalendarDeleteEventAnswer]
        answer = self._carrier.propose("calendar_delete_event", given, idempotency_key)
        return answer

    def calendar_delete_calendar(
        self,
        *,
        account_id: str,
        calendar_id: str,
        confirm: Literal[True],
        idempotency_key: str | None = None,
    ) -> CalendarDeleteCalendarAnswer:
        """Delete a calendar with its events; a person can restore it for 30 days.

        One that lies at a server goes from here alone: what is there stays. The default calendar
        stays, and so does one with meetings to come that others were invited to: delete those
        first, so that the attendees are told.

        account_id: The account: its id, address or name; look_around has them.
        calendar_id: The calendar: its id or name; look_around has them.
        confirm: Your promise that it is meant; it is never an approval.
        """
        given: dict[str, Any] = {
            "account_id": account_id,
            "calendar_id": calendar_id,
            "confirm": confirm,
        }
        answer: CalendarDeleteCalendarAnswer
        answer = self._carrier.change("calendar_delete_calendar", given, idempotency_key)
        return answer
