"""The tools of services.

Made by `python manage.py reference`; change the declarations instead.
"""

from typing import Any, Literal

from chancery_client.carriers import AsyncCarrier
from chancery_client.generated.shapes.services import (
    GoogleCalendarServiceCreateAnswer,
    GoogleCalendarServiceDeleteAnswer,
    GoogleCalendarServiceListAnswer,
    GoogleTasksServiceCreateAnswer,
    GoogleTasksServiceDeleteAnswer,
    GoogleTasksServiceListAnswer,
    InternalMemoryServiceSaveAnswer,
    InternalMemoryServiceSearchAnswer,
    InternalSchedulerServiceCreateAnswer,
)
from chancery_client.wire import (
    OMITTED,
    Held,
    Omitted,
)


class Services:
    """The tools of services."""

    def __init__(self, carrier: AsyncCarrier) -> None:
        self._carrier = carrier

    async def google_calendar_service_list(
        self,
        *,
        days_ahead: int | Omitted = OMITTED,
    ) -> GoogleCalendarServiceListAnswer:
        """List what takes place from now on in all calendars, series as instances; at most 500.

        days_ahead: So many days from now.
        """
        given: dict[str, Any] = {
            "days_ahead": days_ahead,
        }
        answer: GoogleCalendarServiceListAnswer
        answer = await self._carrier.read("google_calendar_service.list", given)
        return answer

    async def google_calendar_service_create(
        self,
        *,
        title: str,
        start_at: str,
        end_at: str,
        calendar_id: str | Omitted = OMITTED,
        description: str | Omitted = OMITTED,
        idempotency_key: str | None = None,
    ) -> GoogleCalendarServiceCreateAnswer:
        """Create an event; without a `calendar_id`, in the default calendar.

        title: What it is called.
        start_at: With its offset.
        end_at: With its offset; after the start.
        calendar_id: The calendar: its id, as `list` gives it, or its name.
        description: More about it, as plain text.
        """
        given: dict[str, Any] = {
            "title": title,
            "start_at": start_at,
            "end_at": end_at,
            "calendar_id": calendar_id,
            "description": description,
        }
        answer: GoogleCalendarServiceCreateAnswer
        answer = await self._carrier.change("google_calendar_service.create", given, idempotency_key)
        return answer

    async def google_calendar_service_update(
        self,
        *,
        event_id: str,
        calendar_id: str,
        title: str | Omitted = OMITTED,
        start_at: str | Omitted = OMITTED,
        end_at: str | Omitted = OMITTED,
        description: str | Omitted = OMITTED,
        idempotency_key: str | None = None,
    ) -> GoogleCalendarServiceCreateAnswer | Held[GoogleCalendarServiceCreateAnswer]:
        """Change an event; where it has attendees, a person approves first what they are told.

        event_id: The event, as `list` names it.
        calendar_id: The calendar: its id, as `list` gives it, or its name.
        title: What it is called.
        start_at: From then on, with its offset.
        end_at: Until then, with its offset; after the start.
        description: More about it, as plain text.
        """
        given: dict[str, Any] = {
            "event_id": event_id,
            "calendar_id": calendar_id,
            "title": title,
            "start_at": start_at,
            "end_at": end_at,
            "description": description,
        }
        answer: GoogleCalendarServiceCreateAnswer | Held[GoogleCalendarServiceCreateAnswer]
        answer = await self._carrier.propose("google_calendar_service.update", given, idempotency_key)
        return answer

    async def google_calendar_service_delete(
        self,
        *,
        event_id: str,
        calendar_id: str,
        idempotency_key: str | None = None,
    ) -> GoogleCalendarServiceDeleteAnswer | Held[GoogleCalendarServiceDeleteAnswer]:
        """Delete an event; a person approves the cancellation that attendees are sent first.

        event_id: The event, as `list` names it.
        calendar_id: The calendar: its id, as `list` gives it, or its name.
        """
        given: dict[str, Any] = {
            "event_id": event_id,
            "calendar_id": calendar_id,
        }
        answer: GoogleCalendarServiceDeleteAnswer | Held[GoogleCalendarServiceDeleteAnswer]
        answer = await self._carrier.propose("google_calendar_service.delete", given, idempotency_key)
        return answer

    async def google_tasks_service_list(
        self,
    ) -> GoogleTasksServiceListAnswer:
        """List the to-dos, the open ones first, each in the order of the list; at most 500."""
        answer: GoogleTasksServiceListAnswer
        answer = await self._carrier.read("google_tasks_service.list", {})
        return answer

    async def google_tasks_service_create(
        self,
        *,
        title: str,
        due_at: str | Omitted = OMITTED,
        notes: str | Omitted = OMITTED,
        parent_id: str | Omitted = OMITTED,
        idempotency_key: str | None = None,
    ) -> GoogleTasksServiceCreateAnswer:
        """Add a to-do at the end of the list, or as a part of another one.

        title: What is to be done.
        due_at: When it is due, with its offset.
        notes: More about it.
        parent_id: The to-do that it is a part of.
        """
        given: dict[str, Any] = {
            "title": title,
            "due_at": due_at,
            "notes": notes,
            "parent_id": parent_id,
        }
        answer: GoogleTasksServiceCreateAnswer
        answer = await self._carrier.change("google_tasks_service.create", given, idempotency_key)
        return answer

    async def google_tasks_service_update(
        self,
        *,
        task_id: str,
        title: str | Omitted = OMITTED,
        notes: str | Omitted = OMITTED,
        status: Literal["needsAction", "completed"] | Omitted = OMITTED,
        due_at: str | None | Omitted = OMITTED,
        starred: bool | Omitted = OMITTED,
        idempotency_key: str | None = None,
    ) -> GoogleTasksServiceCreateAnswer:
        """Change a to-do: only what is given changes.

        task_id: The id of a task, as `list` gives it.
        title: What is to be done.
        notes: More about it; empty takes it away.
        status: Whether it is done.
        due_at: When it is due, with its offset; null takes it away.
        starred: Whether it is marked.
        """
        given: dict[str, Any] = {
            "task_id": task_id,
            "title": title,
            "notes": notes,
            "status": status,
            "due_at": due_at,
            "starred": starred,
        }
        answer: GoogleTasksServiceCreateAnswer
        answer = await self._carrier.change("google_tasks_service.update", given, idempotency_key)
        return answer

    async def google_tasks_service_delete(
        self,
        *,
        task_id: str,
        idempotency_key: str | None = None,
    ) -> GoogleTasksServiceDeleteAnswer:
        """Delete a to-do with all that are a part of it; a person can restore them for 30 days.

        task_id: The id of a task, as `list` gives it.
        """
        given: dict[str, Any] = {
            "task_id": task_id,
        }
        answer: GoogleTasksServiceDeleteAnswer
        answer = await self._carrier.change("google_tasks_service.delete", given, idempotency_key)
        return answer

    async def internal_scheduler_service_create(
        self,
        *,
        command: str,
        trigger_at: str,
        type: Literal["notification", "command"] | Omitted = OMITTED,
        payload: dict[str, Any] | Omitted = OMITTED,
        idempotency_key: str | None = None,
    ) -> InternalSchedulerServiceCreateAnswer:
        """Have something happen at `trigger_at`, a time to come with an offset, once.

        A `notification` puts the words of `command` before the reviewers. A `command` calls the
        tool that `command` names with the arguments in `payload`; whether you may, and whether a
        person is asked, is decided when it fires. What comes due while the service is down fires
        late and says so.

        command: The note's text, or the name of the tool to call.
        trigger_at: When it comes due, with its offset; not in the past.
        type: What comes due: a note to the reviewers, or the call of a tool.
        payload: The arguments of the tool.
        """
        given: dict[str, Any] = {
            "command": command,
            "trigger_at": trigger_at,
            "type": type,
            "payload": payload,
        }
        answer: InternalSchedulerServiceCreateAnswer
        answer = await self._carrier.change("internal_scheduler_service.create", given, idempotency_key)
        return answer

    async def internal_scheduler_service_cancel(
        self,
        *,
        schedule_id: str,
        idempotency_key: str | None = None,
    ) -> InternalSchedulerServiceCreateAnswer:
        """Keep something of your own that is still pending from happening.

        schedule_id: The schedule, as its creation named it.
        """
        given: dict[str, Any] = {
            "schedule_id": schedule_id,
        }
        answer: InternalSchedulerServiceCreateAnswer
        answer = await self._carrier.change("internal_scheduler_service.cancel", given, idempotency_key)
        return answer

    async def internal_memory_service_save(
        self,
        *,
        content: str,
        idempotency_key: str | None = None,
    ) -> InternalMemoryServiceSaveAnswer:
        """Remember a text, for yourself alone; people can see and delete it.

        Say it so that it can be understood by itself. The same text again is the same memory. What
        you save after a stranger's words were shown to you is found once a person has reviewed it.

        content: The text.
        """
        given: dict[str, Any] = {
            "content": content,
        }
        answer: InternalMemoryServiceSaveAnswer
        answer = await self._carrier.change("internal_memory_service.save", given, idempotency_key)
        return answer

    async def internal_memory_service_search(
        self,
        *,
        query: str,
        limit: int | Omitted = OMITTED,
    ) -> InternalMemoryServiceSearchAnswer:
        """Find what you saved that answers a question best, at most `limit` (5), best first.

        It goes by words: in other endings, with a slip of spelling, or of the same field; what was
        saved within minutes of a hit counts for more. Conditions are after: and before: (when it
        was saved), about:word and -word; OR takes either, and what has a "phrase" comes first.
        Where nothing is relevant, nothing is returned.

        query: The words to look for.
        limit: At most so many.
        """
        given: dict[str, Any] = {
            "query": query,
            "limit": limit,
        }
        answer: InternalMemoryServiceSearchAnswer
        answer = await self._carrier.read("internal_memory_service.search", given)
        return answer
